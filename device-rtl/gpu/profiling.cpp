// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks for code instrumented with -fprofile-generate or -fprofile-instr-generate, and the place of the counters. A
// unit of its own in the archives: only an image with counters has it. Values (targets of calls, sizes of copies) are
// not counted. No variable of another unit's is here: linkers would take this one for it.

#include "atomics.h"

extern "C" {
/// Its name is what asks linkers for this unit.
__attribute__((visibility("hidden"))) extern int32_t __llvm_profile_runtime;
__attribute__((visibility("hidden"))) int32_t __llvm_profile_runtime = 0;
}

// From the compiler and the linker: the version of the format, and the ends of sections; null where an image has no
// such section.
#define SECTION_END(name) extern const char name[] __attribute__((weak, visibility("hidden")))
extern "C" {
extern const uint64_t __llvm_profile_raw_version __attribute__((weak));
SECTION_END(__start___llvm_prf_names);
SECTION_END(__stop___llvm_prf_names);
SECTION_END(__start___llvm_prf_cnts);
SECTION_END(__stop___llvm_prf_cnts);
SECTION_END(__start___llvm_prf_data);
SECTION_END(__stop___llvm_prf_data);
SECTION_END(__start___llvm_prf_ucnts);
SECTION_END(__stop___llvm_prf_ucnts);
}

/// As LLVM 23 has it, whose host library reads it, too.
struct ProfileSections {
  const char *names[2], *counters[2], *data[2], *uniform_counters[2];
  const uint64_t *version;
};
RTL_PLUGIN_VARIABLE ProfileSections __llvm_profile_sections = {{__start___llvm_prf_names, __stop___llvm_prf_names},
                                                               {__start___llvm_prf_cnts, __stop___llvm_prf_cnts},
                                                               {__start___llvm_prf_data, __stop___llvm_prf_data},
                                                               {__start___llvm_prf_ucnts, __stop___llvm_prf_ucnts},
                                                               &__llvm_profile_raw_version};

using namespace omptarget::device_rtl::gpu;

RTL void __llvm_profile_instrument_target(uint64_t, void *, uint32_t) {}
RTL void __llvm_profile_instrument_memop(uint64_t, void *, uint32_t) {}

#if OMPTARGET_RTL_GENERATION >= 23
/// Counts for all lanes that come to it at once, of which each may have another step. The second counter is of what
/// all lanes of a warp do.
RTL void __llvm_profile_instrument_gpu(uint64_t *counter, uint64_t *uniform_counter, uint64_t step) {
  const uint64_t lanes = target::ballot(target::active_lanes(), step == 1);
  if (step == 0)
    return;
  uint64_t count = step;
  if (step == 1) {
    if (target::lane_id() != static_cast<uint32_t>(__builtin_ctzll(lanes)))
      return;
    count = static_cast<uint64_t>(__builtin_popcountll(lanes));
  }
  atomics::fetch_add(counter, count);
  if (uniform_counter && step == 1 && count == target::warp_size())
    atomics::fetch_add(uniform_counter, count);
}

/// Returns whether this block is counted: one of 2^bits is.
RTL int32_t __llvm_profile_sampling_gpu(uint32_t bits) {
  const uint32_t block = target::block_id(0) +
                         target::block_count(0) * (target::block_id(1) + target::block_count(1) * target::block_id(2));
  return (block & ((1u << bits) - 1)) == 0;
}
#endif
