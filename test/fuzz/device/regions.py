# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all regions have. A region is a function that exists twice: for the device, and for the host, which computes the
same without any pragma. Beside right lines it keeps faults that may be planted instead of them."""

from expressions import FLOATS, INTEGERS, SIZES, Statements, made


class Variable:
    """Data of the program, and how map clauses name them; no clause if they need none."""

    def __init__(self, name, kind, count, clause):
        self.name, self.kind, self.count, self.clause = name, kind, count, clause


class Region:
    """The lines of both functions, and what the caller has to prepare and to compare."""

    def __init__(self, number, rng, context):
        self.number, self.rng, self.context = number, rng, context
        self.parameters, self.device, self.host, self.end, self.globals = [], [], [], [], []
        self.names, self.depth = 0, 1
        self.faults = []  # (fault, index of a line of the device's, text instead of it, lines and words)

    def split(self, device, host):
        for lines, text in ((self.device, device), (self.host, host)):
            if text is not None:
                lines.append("  " * self.depth + text)

    def both(self, *lines):
        for line in lines:
            if line.startswith("#pragma omp "):
                self.pragma(line[12:])
            else:
                self.split(line, line)

    def pragma(self, text):
        self.device.append("#pragma omp " + " ".join(text.split()))

    def open(self, line="{"):
        self.both(line)
        self.depth += 1

    def close(self, line="}"):
        self.depth -= 1
        self.both(line)

    def fault(self, name, instead, places=(0,), words=()):
        """The last line would be wrong that way. A report names one of the lines at those places, counted from there,
        or a line that has one of the words."""
        index = len(self.device) - 1
        indent = "" if instead.startswith("#") else self.device[index][:len(self.device[index]) -
                                                                      len(self.device[index].lstrip())]
        self.faults.append((name, index, indent + instead, [index + place for place in places], words))

    def name(self, first):
        self.names += 1
        return "%s_%d" % (first, self.names)

    def kind(self, of=INTEGERS + FLOATS):
        return self.rng.choice([one for one in of if self.context.halves or one != "f16"])

    def array(self, kind, count, forms=("pointer", "pointer", "local", "global")):
        """An array of the program: mapped as a section of a pointer, as a local, a global or a declared one."""
        name, form = self.name("a"), self.rng.choice(forms)
        self.parameters.append((name if form == "pointer" else name + "_p", kind, count, None))
        if form == "pointer":
            return Variable(name, kind, count, self.rng.choice(["%s[0 : %d]", "%s[: %d]"]) % (name, count))
        if form == "local":
            self.both("%s %s[%d];" % (kind, name, count))
            self.copy(name, name + "_p")
            return Variable(name, kind, count, name)
        shown = "g%d_%s" % (self.number, name)
        is_declared = form == "declared"
        of = ["%s%s %s[%d];" % ("" if is_declared else "static ", kind, shown, count)]
        self.globals += ["#pragma omp declare target"] + of + ["#pragma omp end declare target"] if is_declared else of
        self.split(None, "%s %s[%d];" % (kind, shown, count))
        self.copy(shown, name + "_p")
        if is_declared:
            self.pragma("target update to(%s)" % shown)
            self.end.insert(0, "#pragma omp target update from(%s)" % shown)
        return Variable(shown, kind, count, None if is_declared else shown)

    def copy(self, name, parameter):
        self.both("memcpy(%s, %s, sizeof %s);" % (name, parameter, name))
        self.end.append("memcpy(%s, %s, sizeof %s);" % (parameter, name, name))

    def scalar(self, kind, initial=None):
        name = self.name("s")
        self.parameters.append((name + "_p", kind, 1, initial))
        self.both("%s %s = *%s_p;" % (kind, name, name))
        self.end.append("*%s_p = %s;" % (name, name))
        return Variable(name, kind, 1, name)

    def statements(self, leaves, arrays=()):
        return Statements(self.rng, leaves, self.context.functions, self.context.halves,
                          [(one.name, one.kind, one.count) for one in arrays])

    def finish(self):
        self.both(*self.end)

    def maps(self, kind, variables):
        """Map clauses of one kind, alone or together."""
        clauses = [one.clause for one in variables if one.clause]
        if clauses and self.rng.random() < 0.5:
            return " map(%s : %s)" % (kind, ", ".join(clauses))
        return "".join(" map(%s : %s)" % (kind, one) for one in clauses)


def loop_head(rng, name, count):
    """A loop over 0 to count - 1 in one of its forms."""
    return rng.choice(["for (int %s = 0; %s < %d; ++%s)", "for (int %s = 0; %s < %d; %s++)",
                       "for (int %s = 0; %s <= %d - 1; %s += 1)"]) % (name, name, count, name)


def contribution(rng, operator, place, kind, statements, index):
    """A statement that adds to a reduction's variable. Terms are small, so that every order has the same result."""
    value = statements.value(1)
    if operator == "+":
        term = made(rng, kind, value)
        term = "(%s)((%s) & 15)" % (kind, term) if kind[0] == "i" else term
        return rng.choice(["%s += %s;" % (place, term), "%s = %s + %s;" % (place, place, term)])
    if operator == "*":
        if kind in FLOATS:
            return "%s *= %s %% 16u == 3 ? 2 : %s %% 16u == 5 ? (%s)0.5 : 1;" % (place, index, index, kind)
        return "%s *= (%s)(%s %% 16u == 3 ? 3 : 1);" % (place, kind, index)
    if operator in ("max", "min"):
        sign = ">" if operator == "max" else "<"
        return "{ const %s given = %s; %s = %s %s given ? %s : given; }" % (kind, made(rng, kind, value), place, place,
                                                                          sign, place)
    if operator in ("&&", "||"):
        return "%s = %s %s (%s) %% 97u %s 3;" % (place, place, operator, value, "!=" if operator == "&&" else "==")
    return "%s %s= (%s)(%s%s);" % (place, operator, kind, value, " | 0x5555u" if operator == "&" else "")


class Effects:
    """What iterations of a loop do beside their own elements: reductions, atomic operations. They add lines."""

    def __init__(self, region, total, is_spread):
        self.region, self.rng, self.total, self.is_spread = region, region.rng, total, is_spread
        self.reductions, self.tofrom, self.lines, self.atomics = [], [], [], []

    def reduction(self, statements, index):
        choice = self.rng.random()
        if choice < 0.3:
            return self.array_reduction(statements)
        if choice < 0.42:
            return self.declared_reduction(statements)
        kind = self.region.kind([one for one in INTEGERS + FLOATS if one != "f16"])
        operator = self.rng.choice(["+", "*", "max", "min"] + (["&", "|", "^", "&&", "||"] if kind in INTEGERS else []))
        variable = self.region.scalar(kind, "1" if operator in ("*", "&&") else None)
        self.tofrom.append(variable)
        self.reductions.append((operator, variable.name))
        self.lines.append(contribution(self.rng, operator, variable.name, kind, statements, index))

    def array_reduction(self, statements):
        region, rng = self.region, self.rng
        least = 1 if region.context.has_small_arrays else 4
        kind = region.kind([one for one in INTEGERS + FLOATS if SIZES[one] >= least])
        count = 8 // SIZES[kind] * rng.choice([2, 2, 4]) if SIZES[kind] < 8 else rng.choice([1, 3, 5])
        variable = region.array(kind, count, ("pointer", "local"))
        operator = rng.choice(["+", "max"] + (["^", "|"] if kind in INTEGERS else []))
        self.tofrom.append(variable)
        self.reductions.append((operator, variable.clause if "[" in variable.clause else variable.name))
        at = statements.name("at")
        self.lines += ["const u32 %s = (%s) %% %du;" % (at, statements.value(1), count),
                       contribution(rng, operator, "%s[%s]" % (variable.name, at), kind, statements, "0u")]

    def declared_reduction(self, statements):
        variable = self.region.scalar("struct sums")
        name = variable.name
        self.tofrom.append(variable)
        self.reductions.append(("add_sums", name))
        self.lines += ["%s.whole += (u64)(%s);" % (name, statements.value(1)),
                       "%s.part += (f64)(%s & 31u);" % (name, statements.leaf()),
                       "%s.most = %s.most > v1 ? %s.most : v1;" % (name, name, name)]

    def atomic(self, statements, index):
        rng, context = self.rng, self.region.context
        kind = self.region.kind([one for one in INTEGERS + FLOATS
                                 if SIZES[one] >= 4 or not context.lacks_small_atomics])
        count = rng.choice([1, 1, 2, 3, 5, 7])
        order = rng.choice(["", "", "", " relaxed", " acq_rel", " seq_cst" if context.has_seq_cst else ""])
        is_word = kind in INTEGERS and SIZES[kind] >= 4
        if is_word and count == 1 and rng.random() < 0.3:
            return self.ticket(statements, kind, order)
        if count == 1 or rng.random() < 0.2:
            variable = self.region.scalar(kind)
            place = variable.name
        else:
            variable = self.region.array(kind, count)
            at = statements.name("at")
            self.lines.append("const u32 %s = (%s) %% %du;" % (at, statements.value(1), count))
            place = "%s[%s]" % (variable.name, at)
        self.tofrom.append(variable)
        choice = rng.random()
        if is_word and place == variable.name and choice < 0.2:
            return self.write_and_read(statements, kind, place)
        if is_word and choice < 0.4:
            return self.compare(statements, kind, place, order)
        self.update(statements, index, kind, place, order)

    def ticket(self, statements, kind, order):
        """A captured number, which each iteration has for itself."""
        variable = self.region.scalar(kind, "0")
        seen = self.region.array("u8", self.total, ("pointer", "local"))
        self.tofrom += [variable, seen]
        ticket = statements.name("ticket")
        name = variable.name
        self.lines += ["%s %s;" % (kind, ticket), "#pragma omp atomic capture" + order.replace(" acq_rel", ""),
                       self.rng.choice(["%s = %s++;" % (ticket, name),
                                        "{ %s = %s; %s += 1; }" % (ticket, name, name)]),
                       "%s[%s %% %du] += 1;" % (seen.name, ticket, self.total)]

    def write_and_read(self, statements, kind, place):
        name = statements.name("seen")
        self.lines += ["%s %s;" % (kind, name), "#pragma omp atomic write", "%s = 77;" % place,
                       "#pragma omp atomic read", "%s = %s;" % (name, place), "v1 += (u32)%s;" % name]

    def compare(self, statements, kind, place, order):
        given = statements.name("given")
        self.lines += ["const %s %s = %s;" % (kind, given, made(self.rng, kind, statements.value(1))),
                       "#pragma omp atomic compare" + order,
                       "if (%s %s %s) { %s = %s; }" % (place, self.rng.choice("<>"), given, place, given)]

    def update(self, statements, index, kind, place, order):
        rng = self.rng
        if kind in FLOATS:
            operator, term = rng.choice("+-" if kind != "f16" else "+"), made(rng, kind, statements.value(1))
            term = "(f16)1" if kind == "f16" else term
        else:
            operator = rng.choice("+-^|&*" if kind not in ("i32", "i64") else "+-^|&")
            term = "(%s)(%s)" % (kind, statements.value(1))
            term = "(%s)(%s & 7)" % (kind, term) if operator in "+-" and kind[0] == "i" else term
            term = "(%s)(%s %% 16u == 3 ? 3 : 1)" % (kind, index) if operator == "*" else term
        forms = ["%s %s= %s;" % (place, operator, term), "%s = %s %s %s;" % (place, place, operator, term)]
        if operator in "+-":
            forms += ["%s%s%s;" % (operator, operator, place), "%s%s%s;" % (place, operator, operator)]
        self.lines += ["#pragma omp atomic" + rng.choice(["", " update"]) + order.replace(" acq_rel", ""),
                       rng.choice(forms[:2] if rng.random() < 0.7 else forms)]
        self.atomics.append(len(self.lines) - 2)

    def put(self):
        """Adds all lines to the region. An update that is not atomic is a fault where other waves do it, too."""
        for at, line in enumerate(self.lines):
            self.region.both(line)
            if at in self.atomics and self.is_spread:
                self.region.fault("atomic", "", (1,))
