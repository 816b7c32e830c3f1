# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements of C without undefined behaviour, which compute the same on every device. All work is on variables
of type u32. Floats hold small integers and halves of them, so that each operation is exact in any order."""

INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
FLOATS = ("f32", "f64", "f16")
SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}


def made(rng, kind, bits):
    """The C expression of type kind that is made of a u32."""
    if kind == "f16":
        return "(f16)((%s) & 7)" % bits
    if kind in FLOATS:
        return rng.choice(["(%s)((%s) & 63)", "(%s)((i32)((%s) & 63) - 32)", "((%s)((%s) & 31) / 2)"]) % (kind, bits)
    if kind in ("i64", "u64") and rng.random() < 0.5:
        return "(%s)((u64)(%s) * 0x9e3779b97f4a7c15u)" % (kind, bits)
    return "(%s)(%s)" % (kind, bits)


def read(rng, kind, text):
    """The u32 that is made of a value of type kind."""
    if kind in FLOATS:
        return "(u32)(i32)(%s * 2)" % text
    if kind in ("i64", "u64") and rng.random() < 0.5:
        return "(u32)((u64)%s >> 29)" % text
    return "(u32)%s" % text


class Statements:
    """Writes statements on some variables. Leaves are expressions of type u32 that may be read."""

    def __init__(self, rng, leaves, functions, halves, arrays=()):
        self.rng, self.leaves, self.functions, self.halves = rng, list(leaves), functions, halves
        self.arrays = list(arrays)  # (name, kind, count) that may be read anywhere
        self.variables, self.names, self.depth = [], 0, 0

    def name(self, first):
        self.names += 1
        return "%s%d" % (first, self.names)

    def leaf(self):
        choice = self.rng.random()
        if choice < 0.25:
            return str(self.rng.choice([0, 1, 2, 3, 5, 7, 16, 31, 255, 1000, 65535, 0x7fffffff, 0x80000001])) + "u"
        if choice < 0.5 and self.arrays and self.depth < 2:
            name, kind, count = self.rng.choice(self.arrays)
            self.depth += 1
            index = self.value(1)
            self.depth -= 1
            return read(self.rng, kind, "%s[(%s) %% %du]" % (name, index, count))
        return self.rng.choice(self.leaves + self.variables)

    def value(self, depth=2):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(depth - 2)
        forms = ["(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s & %s)", "(%s | %s)", "(%s ^ %s)", "(%s / (%s | 1u))",
                 "(%s %% (%s | 1u))", "(%s << (%s & 31u))", "(%s >> (%s & 31u))", "(%s > %s ? 3u : 8u)",
                 "turned(%s, %s)", "(u32)((u64)%s * %s >> 32)", "((u32)((i32)(%s) >> ((%s) & 15)))",
                 "(u32)((i32)(%s >> 1) / (i32)((%s & 63u) + 1u))", "((i32)(%s) < (i32)(%s) ? 1u : 2u)",
                 "((u32)(i32)(i8)(%s) + (%s))", "((u32)(i32)(i16)(%s) * (%s))"]
        if rng.random() < 0.25:
            ones = ["(u32)__builtin_popcount(%s)", "(u32)__builtin_clz(%s | 1u)", "(u32)__builtin_ctz(%s | 16u)",
                    "__builtin_bswap32(%s)", "(~(%s))", "(!(%s) + 1u)", "(u32)(float)((%s) & 0xffffffu)",
                    "(u32)(double)(%s)", "(u32)sqrt((double)((%s) & 0xffffu))"]
            return rng.choice(ones) % a
        if rng.random() < 0.1:
            return "(%s ? %s : %s)" % (self.condition(), a, b)
        return rng.choice(forms) % (a, b)

    def condition(self):
        rng = self.rng
        a = self.value(1)
        return rng.choice(["(%s & 1u) != 0", "%s %% 3u == 1", "(%s & 12u) < 8", "(i32)(%s) < 5", "%s > 1000u"]) % (
            "(%s)" % a)

    def choose(self):
        return self.rng.choice(self.variables)

    def begin(self, count):
        lines = []
        for _ in range(count):
            name = self.name("v")
            lines.append("u32 %s = %s;" % (name, self.value(2)))
            self.variables.append(name)
        return lines

    def statements(self, count, depth=0):
        lines = []
        for _ in range(count):
            lines += self.statement(depth)
        return lines

    def inner(self, depth):
        return ["  " + line for line in self.statements(self.rng.choice([1, 1, 2]), depth + 1)]

    def statement(self, depth):
        rng = self.rng
        kinds = ["assign", "assign", "assign", "wide", "float", "copy", "record", "bits", "table", "array"]
        kinds += ["call", "call"] if self.functions else []
        kinds += ["half", "pair"] if self.halves else []
        kinds += ["if", "if", "loop", "switch", "until"] if depth < 2 else []
        return getattr(self, "write_" + rng.choice(kinds))(depth)

    def write_assign(self, _):
        return ["%s %s %s;" % (self.choose(), self.rng.choice(["=", "+=", "^=", "|=", "-="]), self.value(3))]

    def write_wide(self, _):
        name, v = self.name("w"), self.choose()
        step = self.rng.choice(["%s * 0x100000001b3u + %s", "%s / ((u64)%s + 3)", "%s %% (((u64)%s << 7) + 11)",
                                "%s << (%s & 63)", "%s >> (%s & 63)", "(u64)((i64)%s >> (%s & 31))"])
        return ["u64 %s = (u64)%s << 32 | %s;" % (name, self.value(1), self.value(1)),
                "%s = %s;" % (name, step % (name, self.value(1))), "%s ^= (u32)(%s >> 32) + (u32)%s;" % (v, name, name)]

    def write_float(self, _):
        kind, name, v = self.rng.choice(["f32", "f64"]), self.name("x"), self.choose()
        suffix = "f" if kind == "f32" else ""
        form = self.rng.choice(["%s * 0.5{0} + {1}", "fma{0}(%s, 2, {1})", "floor{0}(%s / 4) - {1}",
                                "fabs{0}(%s - {1})", "fmax{0}(%s, {1})", "fmin{0}({1}, %s)", "sqrt{0}(%s * %s) + {1}",
                                "(%s > {1} ? %s : {1})", "trunc{0}(%s / 8) * {1}", "copysign{0}(%s, {1} - 9)"])
        form = form.replace("{0}", suffix).replace("{1}", "(%s)(%s & 63u)" % (kind, self.leaf()))
        return ["%s %s = (%s)(%s & 255u);" % (kind, name, kind, self.value(1)),
                "%s = %s;" % (name, form.replace("%s", name)), "%s ^= (u32)(i32)(%s * 2);" % (v, name)]

    def write_half(self, _):
        name, v = self.name("h"), self.choose()
        form = self.rng.choice(["%s * {0} + {1}", "%s + {0}", "%s - {0} * {1}", "%s > {0} ? {1} : %s", "-%s / 2"])
        form = form.replace("{0}", "(f16)(%s & 15u)" % self.leaf()).replace("{1}", "(f16)(%s & 31u)" % self.leaf())
        return ["f16 %s = (f16)(%s & 31u);" % (name, self.value(1)), "%s = %s;" % (name, form.replace("%s", name)),
                self.rng.choice(["%s += (u32)(i32)(%s * 2);", "%s ^= (u32)(i32)((f32)%s * 2);",
                                 "%s ^= (u32)(i32)((f64)%s + 7);"]) % (v, name)]

    def write_pair(self, _):
        a, b, v = self.name("h"), self.name("h"), self.choose()
        return ["f16x2 %s = {(f16)(%s & 15u), (f16)(%s & 15u)};" % (a, self.leaf(), self.leaf()),
                "f16x2 %s = {(f16)(%s & 7u), 3};" % (b, self.leaf()),
                "%s = %s %s %s%s;" % (a, a, self.rng.choice("+-*"), b, self.rng.choice(["", ".yx"])),
                "%s ^= (u32)(i32)%s.x * 5u + (u32)(i32)%s.y;" % (v, a, a)]

    def write_copy(self, _):
        name, v, size = self.name("raw"), self.choose(), self.rng.choice([1, 2, 3, 4])
        lines = ["u8 %s[7];" % name,
                 "__builtin_memcpy(%s + %d, &%s, %d);" % (name, self.rng.choice([0, 1, 2]), v, size)]
        first = int(lines[1].split("+ ")[1].split(",")[0])
        return lines + ["%s += %s[%d] * 3u + %s[%d];" % (v, name, first, name, first + size - 1)]

    def write_record(self, _):
        a, b, v = self.name("r"), self.name("r"), self.choose()
        return ["struct record %s;" % a,
                "%s.letter = (i8)%s; %s.number = (f64)(%s & 255u); %s.count = (i32)%s; %s.code = (i16)%s;" % (
                    a, self.leaf(), a, self.leaf(), a, self.leaf(), a, self.leaf()),
                "%s.tail[0] = (u8)%s; %s.tail[1] = 3; %s.tail[2] = (u8)%s;" % (a, self.leaf(), a, a, self.leaf()),
                "struct record %s = %s;" % (b, a), "%s.count = (i32)%s;" % (b, self.value(1)),
                "%s ^= (u32)%s.count + (u32)%s.tail[%s %% 3u] + (u32)(i32)%s.number + (u32)%s.code;" % (
                    v, self.rng.choice([a, b]), self.rng.choice([a, b]), self.leaf(), b, a)]

    def write_bits(self, _):
        name, v = self.name("b"), self.choose()
        return ["struct bits %s = {%s & 31u, 5, 9};" % (name, self.leaf()),
                "%s.middle += (%s);" % (name, self.value(1)),
                "%s.rest ^= (i32)(%s);" % (name, self.leaf()),
                "%s += %s.low + %s.middle + (u32)%s.rest;" % (v, name, name, name)]

    def write_table(self, _):
        return ["%s ^= table_%s[(%s) & 15u];" % (self.choose(), self.rng.choice(["a", "b"]), self.value(1))]

    def write_array(self, _):
        rng, name, v = self.rng, self.name("t"), self.choose()
        kind, count = rng.choice(["u8", "i16", "u32", "u64", "f32", "f64"]), rng.choice([3, 5, 8, 13])
        k = self.name("k")
        lines = ["%s %s[%d];" % (kind, name, count), "for (u32 %s = 0; %s < %du; ++%s)" % (k, k, count, k),
                 "  %s[%s] = %s;" % (name, k, made(rng, kind, "%s * %s + %s" % (k, v, self.leaf())))]
        if rng.random() < 0.5:
            lines.append("%s[(%s) %% %du] = %s;" % (name, self.value(1), count, made(rng, kind, self.leaf())))
        return lines + ["%s ^= %s;" % (v, read(rng, kind, "%s[(%s) %% %du]" % (name, self.value(1), count)))]

    def write_call(self, _):
        return ["%s = %s;" % (self.choose(), self.rng.choice(self.functions)(self))]

    def write_if(self, depth):
        lines = ["if (%s) {" % self.condition()] + self.inner(depth) + ["}"]
        if self.rng.random() < 0.5:
            lines[-1] = "} else {"
            lines += self.inner(depth) + ["}"]
        return lines

    def write_loop(self, depth):
        k = self.name("k")
        bound = self.rng.choice(["3u", "7u", "(%s & 7u)" % self.leaf(), "(%s %% 5u)" % self.value(1)])
        self.leaves.append(k)
        lines = ["for (u32 %s = 0, %se = %s; %s < %se; ++%s) {" % (k, k, bound, k, k, k)] + self.inner(depth)
        if self.rng.random() < 0.3:
            lines += ["  if (%s)" % self.condition(), "    %s;" % self.rng.choice(["break", "continue"])]
            lines += self.inner(depth)
        self.leaves.remove(k)
        return lines + ["}"]

    def write_until(self, depth):
        k = self.name("k")
        return (["u32 %s = %s & 7u;" % (k, self.leaf()), "do {"] + self.inner(depth) +
                ["} while (%s-- > 0 && %s);" % (k, self.condition())])

    def write_switch(self, depth):
        lines = ["switch (%s & 7u) {" % self.value(1)]
        for case in self.rng.sample(range(8), self.rng.choice([2, 3, 5])):
            lines += ["case %du: {" % case] + self.inner(depth) + ["}" if self.rng.random() < 0.2 else "} break;"]
        return lines + ["default: {"] + self.inner(depth) + ["}", "}"]
