// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA plugin and the stand-in of libcuda.so.1: what the tests of all plugins need to know of them.
#pragma once

#include "sim_cuda.h"

#define SIM_LIBRARY "libcuda.so.1"
#define SIM_SYMBOL(name) sim_cuda_##name
#include "stand_in.h"

namespace sim_test {

using Sim = StandIn;

/// The images for devices 0 and 1.
inline constexpr const char *kImage = "kernels_80.cubin";
inline constexpr const char *kOtherImage = "kernels_90.cubin";
inline constexpr int32_t kDevices = 2;
inline constexpr size_t kTold = 8; ///< numbers that a tell_... kernel writes

/// A call that gives memory, and one that makes what a queue is made of.
inline constexpr const char *kAllocate = "cuMemAlloc";
inline constexpr const char *kMakeQueue = "cuStreamCreate";
/// "No memory" once, for ever, and how that is told.
inline constexpr const char *kNoMemoryOnce = "cuMemAlloc:1:2,cuMemAllocFromPoolAsync:1:2";
inline constexpr const char *kNoMemory = "cuMemAlloc:+:2,cuMemAllocFromPoolAsync:+:2";
inline constexpr const char *kNoMemoryText = ": CUDA_ERROR_OUT_OF_MEMORY (2)";

// ---- Faults

/// A function that is found by its name.
inline constexpr char kFunction[] = "thrice";
/// Dynamic shared memory that the driver is asked to allow.
inline constexpr uint32_t kMuchSharedMemory = 100000;
/// A failure as such, and one after which every later call of the context fails: nothing can be given back but that.
inline constexpr const char *kFailures[] = {"999", "700"};
inline constexpr const char *kFailVariable = "SIM_CUDA_FAIL";

/// Failures that only cost something, or that nobody could be told of.
inline bool may_go_unnoticed(const std::string &name) {
  for (const char *harmless : {"cuPointerGetAttribute", "cuDeviceGetAttribute", "cuCtxPopCurrent", "cuCtxGetCurrent",
                               "cuCtxEnablePeerAccess",
                               // tried again after kept memory was given back
                               "cuMemAlloc", "cuMemAllocFromPoolAsync"})
    if (name == harmless)
      return true;
  // A pool's memory is waited for as part of its allocation.
  return name == "cuStreamSynchronize" && std::getenv("LIBOMPTARGET_STREAM_ORDERED_ALLOCATION");
}
/// Whether what this call should have taken down is still there.
inline bool leaves_something(const std::string &) { return false; }

} // namespace sim_test
