// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first target and the first version of PTX that have an instruction ("Target ISA Notes" and "PTX ISA Notes" of PTX
// ISA, chapter 9). ptxas refuses it below. And the first version that has a target ("Release Notes").

#include <algorithm>

#include "forms.h"
#include "operations.h"

namespace emulator::executor::ptx {

namespace {

struct Need {
  std::string_view name, word; ///< of the opcode; no word: any
  int target, version;
};
constexpr Need kNeeds[] = {
    {"abs", "bf16", 80, 70},
    {"abs", "bf16x2", 80, 70},
    {"abs", "f16", 53, 65},
    {"abs", "f16x2", 53, 65},
    {"activemask", "", 0, 62},
    {"add", "bf16", 90, 78},
    {"add", "bf16x2", 90, 78},
    {"add", "f16", 53, 42},
    {"add", "f16x2", 53, 42},
    {"alloca", "", 52, 73},
    {"atom", "acq_rel", 70, 60},
    {"atom", "acquire", 70, 60},
    {"atom", "b16", 70, 63},
    {"atom", "bf16", 90, 78},
    {"atom", "bf16x2", 90, 78},
    {"atom", "cluster", 90, 78},
    {"atom", "cta", 60, 50},
    {"atom", "f16", 70, 63},
    {"atom", "f16x2", 60, 62},
    {"atom", "f64", 60, 50},
    {"atom", "relaxed", 70, 60},
    {"atom", "release", 70, 60},
    {"atom", "shared::cta", 0, 78},
    {"atom", "sys", 60, 50},
    {"bar", "cta", 0, 78},
    {"bar", "warp", 0, 60},
    {"barrier", "", 0, 60},
    {"barrier", "cta", 0, 78},
    {"brx", "", 0, 60},
    {"cp", "async", 80, 70},
    {"cvt", "bf16", 80, 70},
    {"cvt", "bf16x2", 80, 70},
    {"cvt", "f16x2", 80, 70},
    {"cvt", "relu", 80, 70},
    {"cvta", "param", 0, 77},
    {"cvta", "shared::cta", 0, 78},
    {"ex2", "bf16", 90, 78},
    {"ex2", "bf16x2", 90, 78},
    {"ex2", "f16", 75, 70},
    {"ex2", "f16x2", 75, 70},
    {"fence", "", 70, 60},
    {"fence", "cluster", 90, 78},
    {"fma", "bf16", 80, 70},
    {"fma", "bf16x2", 80, 70},
    {"fma", "f16", 53, 42},
    {"fma", "f16x2", 53, 42},
    {"fma", "relu", 80, 70},
    {"isspacep", "param", 0, 77},
    {"isspacep", "shared::cta", 0, 78},
    {"ld", "L1::evict_first", 70, 74},
    {"ld", "L1::evict_last", 70, 74},
    {"ld", "L1::evict_normal", 70, 74},
    {"ld", "L1::evict_unchanged", 70, 74},
    {"ld", "L1::no_allocate", 70, 74},
    {"ld", "L2::128B", 75, 74},
    {"ld", "L2::256B", 80, 74},
    {"ld", "L2::64B", 75, 74},
    {"ld", "acquire", 70, 60},
    {"ld", "cluster", 90, 78},
    {"ld", "mmio", 70, 82},
    {"ld", "relaxed", 70, 60},
    {"ld", "shared::cta", 0, 78},
    {"match", "", 70, 60},
    {"max", "NaN", 80, 70},
    {"max", "bf16", 80, 70},
    {"max", "bf16x2", 80, 70},
    {"max", "f16", 80, 70},
    {"max", "f16x2", 80, 70},
    {"min", "NaN", 80, 70},
    {"min", "bf16", 80, 70},
    {"min", "bf16x2", 80, 70},
    {"min", "f16", 80, 70},
    {"min", "f16x2", 80, 70},
    {"mul", "bf16", 90, 78},
    {"mul", "bf16x2", 90, 78},
    {"mul", "f16", 53, 42},
    {"mul", "f16x2", 53, 42},
    {"nanosleep", "", 70, 63},
    {"neg", "bf16", 80, 70},
    {"neg", "bf16x2", 80, 70},
    {"neg", "f16", 53, 60},
    {"neg", "f16x2", 53, 60},
    {"prefetch", "L2::evict_last", 80, 74},
    {"prefetch", "L2::evict_normal", 80, 74},
    {"red", "acq_rel", 70, 60},
    {"red", "bf16", 90, 78},
    {"red", "bf16x2", 90, 78},
    {"red", "cluster", 90, 78},
    {"red", "cta", 60, 50},
    {"red", "f16", 70, 63},
    {"red", "f16x2", 60, 62},
    {"red", "f64", 60, 50},
    {"red", "relaxed", 70, 60},
    {"red", "release", 70, 60},
    {"red", "shared::cta", 0, 78},
    {"red", "sys", 60, 50},
    {"redux", "", 80, 70},
    {"setp", "bf16", 90, 78},
    {"setp", "bf16x2", 90, 78},
    {"setp", "f16", 53, 42},
    {"setp", "f16x2", 53, 42},
    {"shfl", "sync", 0, 60},
    {"st", "L1::evict_first", 70, 74},
    {"st", "L1::evict_last", 70, 74},
    {"st", "L1::evict_normal", 70, 74},
    {"st", "L1::evict_unchanged", 70, 74},
    {"st", "L1::no_allocate", 70, 74},
    {"st", "cluster", 90, 78},
    {"st", "mmio", 70, 82},
    {"st", "relaxed", 70, 60},
    {"st", "release", 70, 60},
    {"st", "shared::cta", 0, 78},
    {"stackrestore", "", 52, 73},
    {"stacksave", "", 52, 73},
    {"sub", "bf16", 90, 78},
    {"sub", "bf16x2", 90, 78},
    {"sub", "f16", 53, 42},
    {"sub", "f16x2", 53, 42},
    {"tanh", "", 75, 70},
    {"tanh", "bf16", 90, 78},
    {"tanh", "bf16x2", 90, 78},
    {"vote", "sync", 0, 60},
};

struct Target {
  std::string_view name;
  int version;
};
constexpr Target kTargets[] = {
    {"sm_20", 20},   {"sm_21", 20},  {"sm_30", 30},   {"sm_32", 40},   {"sm_35", 31},  {"sm_37", 41},
    {"sm_50", 40},   {"sm_52", 41},  {"sm_53", 42},   {"sm_60", 50},   {"sm_61", 50},  {"sm_62", 50},
    {"sm_70", 60},   {"sm_72", 61},  {"sm_75", 63},   {"sm_80", 70},   {"sm_86", 71},  {"sm_87", 74},
    {"sm_88", 88},   {"sm_89", 78},  {"sm_90", 78},   {"sm_90a", 80},  {"sm_100", 86}, {"sm_100a", 86},
    {"sm_100f", 88}, {"sm_101", 86}, {"sm_101a", 86}, {"sm_101f", 88}, {"sm_103", 88}, {"sm_103a", 88},
    {"sm_103f", 88}, {"sm_110", 90}, {"sm_110a", 90}, {"sm_110f", 90}, {"sm_120", 87}, {"sm_120a", 87},
    {"sm_120f", 88}, {"sm_121", 88}, {"sm_121a", 88}, {"sm_121f", 88},
};

} // namespace

Needs needs_of(std::string_view opcode) {
  Needs needs;
  Opcode words(opcode);
  for (const Need &one : kNeeds)
    if (one.name == words.name() && (one.word.empty() || words.take(one.word))) {
      needs.target = std::max(needs.target, one.target);
      needs.version = std::max(needs.version, one.version);
    }
  return needs;
}

int version_of_target(std::string_view target) {
  const auto found =
      std::find_if(std::begin(kTargets), std::end(kTargets), [&](const Target &one) { return one.name == target; });
  return found == std::end(kTargets) ? 0 : found->version;
}

} // namespace emulator::executor::ptx
