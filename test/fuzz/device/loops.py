# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of one nest of loops that is shared among teams and threads."""

from expressions import SIZES, made, read
from regions import Effects, Region, loop_head

# Pragmas, the first behind "target", and what the nest has: t teams, p parallel, s a schedule, l loop (few clauses),
# d two loops that are shared separately.
SHAPES = [
    (["teams distribute parallel for"], "tps"),
    (["teams distribute parallel for"], "tps"),
    (["teams distribute parallel for simd"], "tps"),
    (["parallel for"], "ps"),
    (["parallel for simd"], "ps"),
    (["parallel", "for"], "ps"),
    (["", "parallel for"], "ps"),
    (["", "parallel", "for"], "ps"),
    (["teams", "distribute parallel for"], "tps"),
    (["teams", "distribute", "parallel for"], "tpd"),
    (["teams distribute", "parallel for"], "tpd"),
    (["teams distribute", "parallel for simd"], "tpd"),
    (["teams distribute"], "t"),
    (["teams distribute simd"], "t"),
    (["simd"], ""),
    ([""], ""),
    (["teams loop"], "tl"),
    (["parallel loop"], "pl"),
    (["", "teams distribute parallel for"], "tps"),
]
LAST = (["parallel for"], ["teams distribute"], ["", "parallel for"], ["", "parallel", "for"], ["parallel", "for"])


class LoopRegion(Region):
    def write(self):
        rng = self.rng
        pragmas, self.has = rng.choice([one for one in SHAPES if "l" not in one[1] or self.context.clang > 16])
        self.pragmas, self.is_flat, self.is_simd = list(pragmas), "d" not in self.has, "simd" in pragmas[-1]
        self.choose_counts()
        self.teams_clauses = self.of_teams()
        self.inputs = [self.array(self.kind(), rng.choice([self.total, self.total, 5, 37]))
                       for _ in range(rng.choice([1, 2]))]
        self.outputs = [self.array(self.kind(), self.total, ("pointer", "pointer", "local", "global", "declared"))
                        for _ in range(rng.choice([1, 1, 2]))]
        self.records = [self.array("struct record", self.total, ("pointer", "local"))] if rng.random() < 0.2 else []
        self.code = self.statements(["(u32)%s" % name for name in self.loops], self.inputs)
        self.body = self.code.begin(2) + self.code.statements(rng.choice([1, 2, 3, 4]))
        self.effects = Effects(self, self.total, self.is_spread)
        for _ in range(rng.choice([0, 1, 1, 2])):
            self.add_effect()
        self.own = None if self.is_flat else self.code.name("own")
        clauses = self.clauses()
        self.begin(clauses)
        self.write_body()
        self.finish()

    def choose_counts(self):
        rng = self.rng
        counts, self.collapse = [rng.choice([64, 96, 100, 130, 200])], 1
        if not self.is_flat:
            counts = [rng.choice([3, 4, 6]), rng.choice([16, 33, 40])]
        elif rng.random() < 0.3:
            counts = rng.choice([[4, 13], [7, 17], [10, 8], [3, 5, 6], [3, 4, 9]])
            self.collapse = len(counts)
        self.counts, self.loops, self.index, self.total = counts, ["i", "j", "k"][:len(counts)], "i", counts[0]
        for name, count in list(zip(self.loops, counts))[1:]:
            self.index = "(%s) * %d + %s" % (self.index, count, name)
            self.total *= count

    def of_teams(self):
        """Clauses of the construct with teams. Two teams have work for certain if there are many iterations."""
        rng, self.is_spread = self.rng, False
        if "t" not in self.has:
            return ""
        teams = rng.choice([None, None, 1, 2, 3, 5, 8])
        threads = rng.choice([None, None, 8, 12, 32, 33, 64, 96, 128])
        work = threads is not None and self.total >= 2 * threads if "p" in self.has else True
        self.is_spread = self.is_flat and "l" not in self.has and teams not in (None, 1) and work
        return (" num_teams(%d)" % teams if teams else "") + (" thread_limit(%d)" % threads if threads else "")

    def add_effect(self):
        if "l" in self.has:
            return
        if self.rng.random() < 0.5 and not self.is_simd:
            self.effects.atomic(self.code, "(u32)(%s)" % self.index)
        elif self.is_flat:
            self.effects.reduction(self.code, "(u32)(%s)" % self.index)

    def clauses(self):
        """Clauses of the innermost construct, with the variables that they need."""
        rng, has, text = self.rng, self.has, ""
        if "p" in has and rng.random() < 0.2 and self.pragmas[-1] != "for" and "l" not in has:
            text += " num_threads(%d)" % rng.choice([4, 20, 32, 64, 100])
        if "s" in has and rng.random() < 0.5 and not self.is_simd:
            text += " schedule(%s)" % rng.choice(["static", "static, 3", "dynamic", "dynamic, 4", "guided", "auto",
                                                  "static, 1"])
        if "distribute" in self.pragmas[-1] and rng.random() < 0.2:
            text += " dist_schedule(static, %d)" % rng.choice([1, 8, 32])
            self.is_spread = self.effects.is_spread = False
        if self.collapse > 1 and self.pragmas[-1]:
            text += " collapse(%d)" % self.collapse
        self.first, self.last = None, None
        if "l" in has or not self.pragmas[-1]:
            return text
        if rng.random() < 0.3:
            private = self.name("p")
            self.both("u32 %s = 5;" % private)
            text += " private(%s)" % private
            self.body += ["%s = %s;" % (private, self.code.value(1)), "v1 ^= %s;" % private]
        if rng.random() < 0.3 and not self.is_simd:
            text += self.of_first()
        if self.pragmas in LAST and rng.random() < 0.4:
            self.last = self.scalar(self.kind())
            self.effects.tofrom.append(self.last)
            text += " lastprivate(%s)" % self.last.name
        return text

    def of_first(self):
        kind = self.kind()
        self.first = self.name("f")
        self.both("%s %s[3] = {1, 2, %s};" % (kind, self.first, self.rng.choice("3579")))
        self.body += ["%s[1] = %s;" % (self.first, made(self.rng, kind, "v1")),
                      "v2 += %s + %s;" % (read(self.rng, kind, self.first + "[1]"), read(self.rng, kind,
                                                                                       self.first + "[2]"))]
        return " firstprivate(%s)" % self.first

    def begin(self, clauses):
        """The constructs. Reductions stand at each of them that shares the loop, or begins what does."""
        lines = ["target " + self.pragmas[0]] + self.pragmas[1:]
        reductions = "".join(" reduction(%s : %s)" % one for one in self.effects.reductions)
        for at, text in enumerate(lines):
            if set(text.split()) & {"teams", "for", "simd", "loop"} or "distribute parallel" in text:
                lines[at] += reductions if self.is_flat else ""
        lines[-1] += clauses
        at = [at for at, text in enumerate(lines) if "teams" in text]
        if at:
            lines[at[0]] += self.teams_clauses
        tofrom = self.rng.choice(["from", "tofrom"])
        first = " map(to : %s)" % self.first if self.first and len(lines) > 1 else ""
        parts = [self.maps("to", self.inputs), self.maps(tofrom, self.outputs),
                 self.maps(self.rng.choice(["from", "tofrom"]), self.records), self.maps("tofrom", self.effects.tofrom)]
        self.pragma(lines[0] + "".join(parts) + first)
        self.map_faults(lines[0], parts, first)
        if not self.pragmas[0] and len(lines) == 1:
            self.open()
        for text in lines[1:] if self.is_flat else lines[1:-1]:
            self.pragma(text)
        self.inner = None if self.is_flat else lines[-1]

    def map_faults(self, line, parts, first):
        whole = "#pragma omp " + line
        if any(one.clause and one.count == self.total for one in self.outputs) and parts[1]:
            wrong = parts[1].replace("(from :", "(to :").replace("(tofrom :", "(to :")
            self.fault("dropped", whole + parts[0] + wrong + parts[2] + parts[3] + first)
        if parts[0]:
            wrong = parts[0].replace("(to :", "(alloc :") + "".join(parts[1:]) + first
            self.fault("unwritten", whole + wrong, words=[""]) # compilers move loads

    def write_body(self):
        rng, outer = self.rng, self.depth
        if self.is_flat:
            for name, count in zip(self.loops, self.counts):
                self.both(loop_head(rng, name, count) + (" {" if name == self.loops[-1] else ""))
            self.depth += 1
        else:
            self.open(loop_head(rng, "i", self.counts[0]) + " {")
            self.both("u32 %s = 0;" % self.own)
            operator = rng.choice("+^")
            self.pragma(self.inner + " reduction(%s : %s)" % (operator, self.own))
            self.open(loop_head(rng, "j", self.counts[1]) + " {")
            self.body.append("%s %s= v2;" % (self.own, operator))
        self.both(*self.body)
        self.effects.put()
        self.write_outputs()
        self.close()
        if not self.is_flat:
            one = self.outputs[0]
            self.both("%s[i * %d] = %s;" % (one.name, self.counts[1], made(rng, one.kind, self.own)))
            self.close()
        while self.depth > outer or self.depth > 1:
            self.close()

    def write_outputs(self):
        rng, index = self.rng, self.index
        for at, one in enumerate(self.outputs):
            value = made(rng, one.kind, "v%d" % (1 + at % 2))
            self.both("%s[%s] = %s;" % (one.name, index, value))
            if one.clause:
                self.fault("beyond", "%s[(%s) + ((%s) == %d)] = %s;" % (one.name, index, index, self.total - 1, value))
            if SIZES[one.kind] >= 4 and self.context.finds_misaligned:
                self.fault("misaligned", "*(%s *)((char *)&%s[%s] - ((%s) == 3)) = %s;" % (
                    one.kind, one.name, index, index, value))
        for one in self.inputs:
            if one.clause:
                self.both("v1 += %s;" % read(rng, one.kind, "%s[(%s) %% %d]" % (one.name, index, one.count)))
                self.fault("beyond", "v1 += %s;" % read(rng, one.kind, "%s[(%s) %% %d + ((%s) == 0) * %d]" % (
                    one.name, index, one.count, index, one.count)))
        one = self.outputs[0]
        self.both("%s[%s] = %s;" % (one.name, index, made(rng, one.kind, "v1")))
        for record in self.records:
            self.write_record("%s[%s]" % (record.name, index))
        if self.last:
            self.both("%s = %s;" % (self.last.name, made(rng, self.last.kind, "(u32)(%s) * 3u" % index)))

    def write_record(self, place):
        if self.rng.random() < 0.5:
            self.both("%s.letter = (i8)v1;" % place, "%s.number = (f64)(v1 & 63u);" % place,
                      "%s.count = (i32)v2;" % place, "%s.code = (i16)v2;" % place)
            self.both(*["%s.tail[%d] = (u8)(v1 >> %d);" % (place, at, at) for at in range(3)])
        else:
            self.both("struct record made = {(i8)v1, (f64)(v2 & 15u), (i32)v1, (i16)v2, {1, 2, (u8)v1}};",
                      "%s = made;" % place)
