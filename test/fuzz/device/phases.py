# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regions of one team whose threads hand data on from one work-sharing construct to the next; tasks; nested parallel
regions."""

from expressions import made, read
from regions import Region, Variable, contribution, loop_head


class PhasesRegion(Region):
    """Each phase computes one of two arrays from all elements of the other."""

    def write(self):
        rng = self.rng
        self.count, threads = rng.choice([40, 96, 130, 200]), rng.choice([None, 20, 64, 128, 128])
        self.is_wide = threads == 128 and self.count >= 130
        self.total = self.scalar(self.kind(("u32", "u64")))
        self.sink = self.array(self.kind(), self.count)
        kind = self.kind()
        is_inside = rng.random() < 0.4
        forms = ("pointer", "local")  # a task would use a global array itself, not what is mapped for it
        self.x, self.y = [None if is_inside else self.array(kind, self.count, forms) for _ in range(2)]
        maps = self.maps("tofrom", [self.sink, self.total] + ([] if is_inside else [self.x, self.y]))
        of_threads = " num_threads(%d)" % threads if threads else ""
        if is_inside or rng.random() < 0.4:
            self.pragma("target " + rng.choice(["", "teams num_teams(1)"]) + maps)
            self.open()
            if is_inside:
                self.declare(kind)
            self.pragma("parallel" + of_threads)
        else:
            self.pragma("target parallel" + maps + of_threads)
        self.open()
        self.write_phases()
        self.close()
        while self.depth > 1:
            self.close()
        self.finish()

    def declare(self, kind):
        """Arrays that the team shares."""
        names = self.name("t"), self.name("t")
        self.x, self.y = [Variable(name, kind, self.count, None) for name in names]
        self.both("%s %s[%d], %s[%d];" % (kind, names[0], self.count, names[1], self.count))
        self.open("for (int i = 0; i < %d; ++i) {" % self.count)
        self.both("%s[i] = %s;" % (names[0], made(self.rng, kind, "(u32)i * 7u")), "%s[i] = 0;" % names[1])
        self.close()

    def write_phases(self):
        rng = self.rng
        source, target = self.x, self.y
        phases = ["loop", "loop", "loop", "single", "masked", "sections", "critical", "sum", "count", "ordered"]
        phases += ["tasks", "taskloop", "nested"] if self.context.has_tasks else ["nested"]
        self.lacking = None # a fault of the last phase, if the next one reads what other threads have written
        for phase in ["loop"] + [rng.choice(phases) for _ in range(rng.choice([1, 2, 3, 4]))]:
            before, self.lacking = self.lacking, None
            if getattr(self, "write_" + phase)(source, target):
                source, target = target, source
            self.add_lacking(before, phase == "loop" and not self.is_dynamic)
        self.add_lacking(self.lacking, True)
        self.pragma("for")
        self.open(loop_head(rng, "i", self.count) + " {")
        self.both("%s[i] = %s;" % (self.sink.name, made(rng, self.sink.kind, read(rng, source.kind, "%s[%d - i]" % (
            source.name, self.count - 1)))))
        self.close()

    def lack_barrier(self, instead, *arrays):
        if self.is_wide:
            self.lacking = len(self.device) - 1, instead, [one.name for one in arrays]

    def add_lacking(self, fault, is_seen):
        """Dynamic schedules and the like have atomic operations, which order waves of AMD's."""
        if fault and is_seen:
            self.faults.append(("barrier", fault[0], fault[1], [], fault[2]))

    def element(self, source, target, index="i"):
        """Statements that compute an element."""
        code = self.statements(["(u32)" + index], [source])
        at = self.rng.choice(["%d - i" % (self.count - 1), "(i * 7 + 90) %% %d" % self.count])
        self.both(*code.begin(2))
        self.both(*code.statements(self.rng.choice([0, 1, 2])))
        self.both("v1 += %s;" % read(self.rng, source.kind, "%s[%s]" % (source.name, at.replace("i", index))))
        self.both("%s[%s] = %s;" % (target.name, index, made(self.rng, target.kind, "v1 + v2")))

    def write_loop(self, source, target):
        rng = self.rng
        schedule = rng.choice(["", "", " schedule(dynamic, 3)", " schedule(static, 2)", " schedule(guided)"])
        waits = rng.choice(["", " nowait"])
        self.is_dynamic = "dynamic" in schedule or "guided" in schedule
        self.pragma("for" + schedule + waits)
        if not waits and not schedule:
            self.lack_barrier(self.device[-1] + " nowait", source, target)
        self.open(loop_head(rng, "i", self.count) + " {")
        self.element(source, target)
        self.close()
        if waits:
            self.pragma("barrier")
            if not schedule:
                self.lack_barrier("", source, target)
        return True

    def write_single(self, source, target):
        self.pragma("single")
        self.serial(source, target)
        return True

    def serial(self, source, target):
        self.open()
        self.open(loop_head(self.rng, "i", self.count) + " {")
        self.element(source, target)
        self.close()
        self.close()

    def write_masked(self, source, target):
        self.pragma("master" if self.context.clang == 16 or self.rng.random() < 0.3 else "masked")
        self.serial(source, target)
        self.pragma("barrier")
        self.lack_barrier("", source, target)
        return True

    def write_sections(self, source, target):
        self.pragma("sections")
        self.open()
        parts = self.rng.choice([2, 3])
        for part in range(parts):
            self.pragma("section")
            self.open()
            first, end = self.count * part // parts, self.count * (part + 1) // parts
            self.open("for (int i = %d; i < %d; ++i) {" % (first, end))
            self.element(source, target)
            self.close()
            self.close()
        self.close()
        return True

    def few(self):
        return loop_head(self.rng, "i", min(self.count, 40)) + " {"

    def write_critical(self, source, _):
        self.pragma("for")
        self.open(self.few())
        self.pragma("critical" + self.rng.choice(["", " (one)"]))
        self.open()
        self.both("%s += (%s)(%s & 15u);" % (self.total.name, self.total.kind, read(self.rng, source.kind,
                                                                                "%s[i]" % source.name)))
        self.close()
        self.close()
        return False

    def write_sum(self, source, _):
        rng = self.rng
        operator = rng.choice(["+", "max", "^"])
        self.pragma("for reduction(%s : %s)" % (operator, self.total.name))
        self.open(loop_head(rng, "i", self.count) + " {")
        code = self.statements(["(u32)i"], [source])
        self.both(contribution(rng, operator, self.total.name, self.total.kind, code, "(u32)i"))
        self.close()
        return False

    def write_count(self, source, _):
        self.pragma("for")
        self.open(loop_head(self.rng, "i", self.count) + " {")
        self.both("#pragma omp atomic", "%s += (%s)(%s & 3u);" % (self.total.name, self.total.kind, read(
            self.rng, source.kind, "%s[i]" % source.name)))
        self.close()
        return False

    def write_ordered(self, source, _):
        self.pragma("for ordered" + self.rng.choice(["", " schedule(static, 1)", " schedule(dynamic)"]))
        self.open(self.few())
        self.pragma("ordered")
        self.both("{ %s = (%s)((u64)%s * 3u + (%s & 7u)) & 0xffff; }" % (
            self.total.name, self.total.kind, self.total.name, read(self.rng, source.kind, "%s[i]" % source.name)))
        self.close()
        return False

    def write_tasks(self, source, target):
        self.pragma("single")
        self.open()
        self.open(loop_head(self.rng, "b", 5) + " {")
        self.pragma("task firstprivate(b)" + self.rng.choice(["", " untied", " if(b > 2)", " final(b == 4)"]))
        self.open()
        self.open("for (int i = b * %d / 5; i < (b + 1) * %d / 5; ++i) {" % (self.count, self.count))
        self.element(source, target)
        self.close()
        self.close()
        self.close()
        if self.rng.random() < 0.5:
            self.pragma("taskwait")
        self.close()
        return True

    def write_taskloop(self, source, target):
        self.pragma("single")
        self.open()
        self.pragma("taskloop" + self.rng.choice(["", " grainsize(7)", " num_tasks(4)", " nogroup"]))
        self.open(loop_head(self.rng, "i", self.count) + " {")
        self.element(source, target)
        self.close()
        self.close()
        return True

    def write_nested(self, source, target):
        rng = self.rng
        self.pragma("for")
        self.open(loop_head(rng, "i", self.count) + " {")
        self.both("u32 own = (u32)i;")
        self.pragma("parallel for reduction(+ : own)" + rng.choice(["", " num_threads(3)"]))
        self.open(loop_head(rng, "j", 6) + " {")
        self.both("own += %s * (u32)(j + 1);" % read(rng, source.kind, "%s[(i + j) %% %d]" % (source.name, self.count)))
        self.close()
        self.both("%s[i] = %s;" % (target.name, made(rng, target.kind, "own")))
        self.close()
        return True


class TasksRegion(Region):
    """Tasks of one thread, in the order of their dependences."""

    def write(self):
        rng = self.rng
        kind = self.kind(("u32", "i16", "f64", "u8", "u64"))
        chain, count = self.array(kind, 8), self.scalar("u32")
        self.pragma("target " + rng.choice(["", "parallel num_threads(64)"]) +
                    self.maps("tofrom", [chain, count]))
        if "parallel" in self.device[-1]:
            self.open()
            self.pragma("single")
        self.open()
        for step in range(rng.choice([3, 5, 7])):
            a, b = rng.randrange(8), rng.randrange(8)
            code = self.statements(["%du" % step], [])
            depends = "depend(in : {0}[{1}]) depend(inout : {0}[{2}])" if a != b else "depend(inout : {0}[{2}])"
            wait = rng.random()
            self.pragma("task shared(%s) " % chain.name + depends.format(chain.name, a, b) +
                        (" mergeable" if wait < 0.2 else ""))
            self.open()
            self.both(*code.begin(2))
            self.both("%s[%d] = %s;" % (chain.name, b, made(rng, kind, "v1 + v2 + %s" % read(
                rng, kind, "%s[%d]" % (chain.name, a)))))
            self.close()
            if wait > 0.6:
                self.pragma("taskwait")
        self.pragma("taskgroup")
        self.open()
        self.pragma("task shared(%s)" % count.name)
        self.both("%s += 5;" % count.name)
        self.close()
        while self.depth > 1:
            self.close()
        self.finish()
