// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first target that has an instruction, as ptxas refuses it below ("Target ISA Notes" of PTX ISA, chapter 9).

#include "operations.h"

namespace emulator::executor::ptx {

namespace {

struct Need {
  std::string_view name, word; ///< of the opcode; no word: any
  int target;
};
constexpr Need kNeeds[] = {
    {"alloca", "", 52},    {"atom", "acq_rel", 70}, {"atom", "acquire", 70}, {"atom", "b16", 70},
    {"atom", "cta", 60},   {"atom", "f64", 60},     {"atom", "relaxed", 70}, {"atom", "release", 70},
    {"atom", "sys", 60},   {"cp", "async", 80},     {"ex2", "f16", 75},      {"fence", "", 70},
    {"ld", "acquire", 70}, {"ld", "relaxed", 70},   {"match", "", 70},       {"max", "NaN", 80},
    {"min", "NaN", 80},    {"nanosleep", "", 70},   {"red", "acq_rel", 70},  {"red", "cta", 60},
    {"red", "f64", 60},    {"red", "relaxed", 70},  {"red", "release", 70},  {"red", "sys", 60},
    {"redux", "", 80},     {"st", "relaxed", 70},   {"st", "release", 70},   {"tanh", "", 75},
};

} // namespace

int first_target(std::string_view opcode) {
  int target = 0;
  Opcode words(opcode);
  for (const Need &one : kNeeds)
    if (one.name == words.name() && (one.word.empty() || words.take(one.word)))
      target = std::max(target, one.target);
  return target;
}

} // namespace emulator::executor::ptx
