#!/usr/bin/env python3
# Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random OpenMP programs for GPUs in C that are right by construction, or have one fault.

generate.py [--seed 1] [--target sm_80] [--compiler 19] [--regions 4] [--plant NUMBER|list]

The program prints "ok" if each region has computed on the device what the host computes without pragmas.

These shapes are left out, as compilers make wrong code of them (docs/use/compiler-faults.md):
- lastprivate of combined constructs with teams;
- reductions of a single f16, of arrays whose bytes are no multiple of 16 (of 8-byte elements: any), and of structures
  that are aligned to 4; for NVIDIA's GPUs of arrays of 1 or 2-byte elements;
- arrays of variable length, constant arrays inside of a region, map clauses with constants;
- long double and 128-bit integers;
- regions in functions that are called through pointers;
- global arrays in tasks;
- by clang 16 and 19 for AMD's GPUs atomic operations on 1 or 2 bytes, and all levels below -O2 (16: -O1);
- by clang 16 and 19 for NVIDIA's GPUs atomic operations with seq_cst;
- by clang 23 for AMD's GPUs tasks;
- by clang 16 loop constructs, and f16 for NVIDIA's GPUs."""

import argparse
import random

from data import AsyncRegion, DataRegion, FreedRegion, MemoryRegion, PointerRegion, ThreadsRegion
from expressions import Statements, made
from loops import LoopRegion
from phases import PhasesRegion, TasksRegion

PROLOGUE = r"""// A random program: %s
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long i64;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
#ifdef HALVES
typedef _Float16 f16;
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
#endif
struct record { i8 letter; f64 number; i32 count; i16 code; u8 tail[3]; };
struct bits { u32 low : 5, middle : 11; i32 rest : 16; };
struct sums { u64 whole; f64 part; u32 most, other; };
static void add_to(struct sums *to, const struct sums *one) {
  to->whole += one->whole;
  to->part += one->part;
  to->most = to->most > one->most ? to->most : one->most;
  to->other += one->other;
}
#pragma omp declare reduction(add_sums : struct sums : add_to(&omp_out, &omp_in)) \
  initializer(omp_priv = (struct sums){0, 0, 0, 0})
"""
EPILOGUE = r"""
static int failures;
static u32 mixed(u32 value) {
  value = (value ^ value >> 16) * 0x45d9f3bu;
  return (value ^ value >> 15) * 0x119de1f3u;
}
static void compare(int region, const char *what, u32 index, f64 device, f64 host, int is_same) {
  if (!is_same && ++failures < 20)
    printf("region %d: element %u of %s is %.17g, not %.17g\n", region, index, what, device, host);
}
"""
FUNCTIONS = r"""
#pragma omp begin declare target
static const u8 table_a[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 255};
static const u32 table_b[16] = {1, 1u << 31, 77, 0, 5, 6, 7, 8, 9, 1000, 65536, 12, 13, 14, 15, 16};
static inline u32 turned(u32 value, u32 by) { return value << (by & 31u) | value >> (-by & 31u); }
"""


class Context:
    def __init__(self, target, clang):
        is_amd = target.startswith("gfx")
        self.clang, self.functions, self.halves = clang, [], is_amd or clang > 16
        self.lacks_small_atomics = is_amd and clang in (16, 19)
        self.has_small_arrays = is_amd
        self.has_seq_cst = is_amd or clang > 19
        self.has_tasks = not (is_amd and clang == 23)
        self.finds_misaligned = not is_amd


def functions(rng, context):
    """Functions of both sides: loops, recursion, calls through pointers, arrays."""
    lines = []
    for number in range(3):
        code = Statements(rng, ["x", "y"], context.functions[:], context.halves)
        body = code.begin(2) + code.statements(rng.choice([2, 3]))
        inline = rng.choice(["", "__attribute__((noinline)) "])
        lines += ["%sstatic u32 function%d(u32 x, u32 y) {" % (inline, number)] + ["  " + line for line in body] + [
            "  return v1 ^ v2;", "}"]
        context.functions.append(lambda of, n=number: "function%d(%s, %s)" % (n, of.value(1), of.value(1)))
    lines += ["static u32 deep(u32 n, u32 x) {", "  if (n == 0)", "    return x ^ 5u;",
              "  const u32 one = deep(n - 1, x * 3u + n);", "  return one + (n > 2 ? deep(n - 3, one) : n);", "}",
              "static u32 chosen(u32 which, u32 x, u32 y) {", "  u32 (*const of[3])(u32, u32) = {function0, function1, "
              "function2};", "  return of[which % 3u](x, y);", "}",
              "static u32 sum_of(const u16 *values, u32 count) {", "  u32 sum = 0;",
              "  for (u32 i = 0; i < count; ++i)", "    sum = sum * 31u + values[i];", "  return sum;", "}",
              "static u32 filled(u32 x) {", "  u16 values[9];", "  for (u32 i = 0; i < 9; ++i)",
              "    values[i] = (u16)(x >> i);", "  return sum_of(values + (x & 1u), 8);", "}"]
    context.functions += [lambda of: "deep(%s & 5u, %s)" % (of.leaf(), of.value(1)),
                          lambda of: "chosen(%s, %s, %s)" % (of.value(1), of.leaf(), of.leaf()),
                          lambda of: "filled(%s)" % of.value(1)]
    return lines


KINDS = [LoopRegion] * 10 + [PhasesRegion] * 3 + [DataRegion] * 3 + [
    AsyncRegion, MemoryRegion, FreedRegion, PointerRegion, ThreadsRegion, TasksRegion]


def caller(region):
    """The function that prepares the data of both, calls both and compares."""
    rng, number = region.rng, region.number
    lines, names = ["static void region%d(void) {" % number], []
    for name, kind, count, initial in region.parameters:
        names.append(name)
        lines.append("  %s *%s = malloc(sizeof(%s) * %d), *%s_h = malloc(sizeof(%s) * %d);" % (
            kind, name, kind, count, name, kind, count))
        lines += ["  memset(%s, 0, sizeof(%s) * %d);" % (one, kind, count) for one in (name, name + "_h")]
        lines.append("  for (u32 k = 0; k < %du; ++k) {" % count)
        salt = rng.randrange(1 << 20)
        if kind == "struct record":
            lines.append("    %s[k].letter = (i8)k; %s[k].count = (i32)mixed(k);" % (name, name))
        elif kind == "struct sums":
            lines.append("    %s[k].whole = k; %s[k].part = 3;" % (name, name))
        else:
            value = initial or made(rng, kind, "mixed(k + %du)" % salt)
            lines.append("    %s[k] = %s%s;" % (name, value, " >> 4" if kind in ("i32", "i64") else ""))
        lines += ["    %s_h[k] = %s[k];" % (name, name), "  }"]
    lines.append("  device%d(%s);" % (number, ", ".join(names)))
    lines.append("  host%d(%s);" % (number, ", ".join(name + "_h" for name in names)))
    for name, kind, count, _ in region.parameters:
        members = {"struct record": ["letter", "number", "count", "code", "tail[0]", "tail[1]", "tail[2]"],
                   "struct sums": ["whole", "part", "most", "other"]}.get(kind, [""])
        lines.append("  for (u32 k = 0; k < %du; ++k) {" % count)
        for member in members:
            of = "[k]" + ("." + member if member else "")
            lines.append('    compare(%d, "%s", k, (f64)%s, (f64)%s_h%s, %s == %s_h%s);' % (
                number, name, name + of, name, of, name + of, name, of))
        lines.append("  }")
    lines += ["  free(%s), free(%s_h);" % (name, name) for name in names]
    return lines + ["}"]


class Program:
    def __init__(self, seed, target="sm_80", clang=19, regions=4):
        rng = random.Random("%d %d" % (seed, regions))
        self.context = Context(target, clang)
        title = "seed %d, %d regions, clang %d, %s" % (seed, regions, clang, target)
        self.head = (PROLOGUE.replace("#ifdef HALVES", "#if %d" % self.context.halves) % title + FUNCTIONS).split("\n")
        self.head += functions(rng, self.context) + ["#pragma omp end declare target"] + EPILOGUE.split("\n")
        self.regions = []
        for number in range(regions):
            region = rng.choice(KINDS)(number, random.Random(rng.random()), self.context)
            region.write()
            self.regions.append(region)
        self.faults = [(region, fault) for region in self.regions for fault in region.faults]

    def text(self, plant=None):
        """Source, and for a planted fault (name, function of the kernel, lines that a report may name)."""
        lines, told = list(self.head), None
        for region in self.regions:
            device, of = list(region.device), None
            if plant is not None and self.faults[plant][0] is region:
                of = self.faults[plant][1]
                device[of[1]] = of[2] + " // planted: " + of[0]
            head = "(%s) {" % ", ".join("%s *%s" % (kind, name) for name, kind, _, _ in region.parameters)
            lines += region.globals + ["static void device%d%s" % (region.number, head)]
            if of:
                first = len(lines) + 1
                places = [first + place for place in of[3]]
                places += [first + at for at, line in enumerate(device) if any(word in line for word in of[4])]
                told = (of[0], "device%d" % region.number, sorted(set(places)))
            lines += device + ["}", "static void host%d%s" % (region.number, head)] + region.host + ["}"]
            lines += caller(region)
        lines += ["int main(void) {"] + ["  region%d();" % region.number for region in self.regions]
        lines += ['  printf(failures ? "%d failures\\n" : "ok\\n", failures);', "  return failures != 0;", "}", ""]
        return "\n".join(lines), told


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--target", default="sm_80")
    options.add_argument("--compiler", type=int, default=19)
    options.add_argument("--regions", type=int, default=4)
    options.add_argument("--plant", help="the number of one of the faults; list shows them")
    options = options.parse_args()
    program = Program(options.seed, options.target, options.compiler, options.regions)
    if options.plant == "list":
        for number in range(len(program.faults)):
            print(number, *program.text(number)[1])
        return
    print(program.text(None if options.plant is None else int(options.plant))[0], end="")


if __name__ == "__main__":
    main()
