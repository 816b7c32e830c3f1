// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA plugin and the stand-in of libcuda.so.1.
#pragma once

#include "emulator/cuda/stand_in_cuda.h"

#define STAND_IN_LIBRARY "libcuda.so.1"
#define STAND_IN_SYMBOL(name) sim_cuda_##name
#include "stand_in.h"

namespace emulator_test {

// A failure of the context: after 700 every later call fails, and nothing can be given back but the context.
inline constexpr UnderTest kUnderTest = {"kernels_80.cubin",
                                         "kernels_90.cubin",
                                         "kernels_libc.cubin",
                                         "kernels_many.cubin",
                                         2,
                                         8,
                                         "cuMemAlloc",
                                         "cuModuleGetFunction",
                                         "cuStreamCreate",
                                         "cuMemAlloc:1:2",
                                         "cuMemAlloc:+:2",
                                         ": CUDA_ERROR_OUT_OF_MEMORY (2)",
                                         100000,
                                         {"999", "700"},
                                         "SIM_CUDA_FAIL"};

/// Failures that only cost something, or that nobody could be told of.
inline bool may_go_unnoticed(const std::string &name) {
  for (const char *harmless : {"cuPointerGetAttribute", "cuDeviceGetAttribute", "cuCtxPopCurrent", "cuCtxGetCurrent",
                               "cuCtxEnablePeerAccess", "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                               // tried again after kept memory was given back
                               "cuMemAlloc", "cuMemHostAlloc", "cuMemAllocManaged",
                               // made current by another attempt
                               "cuCtxPushCurrent"})
    if (name == harmless)
      return true;
  return false;
}
/// Returns whether anything is left that this call should have taken down.
inline bool leaves_something(const std::string &) { return false; }

} // namespace emulator_test
