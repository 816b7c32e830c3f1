// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are exported so that every program finds its symbols, and whose work this library does not do (yet):
// each answers so, by name, and returns what its caller takes for failure.

#include <atomic>

#include "abi/boundary.h"
#include "omptarget/compiler.h"

using namespace omptarget;

#define OMPTARGET_UNSUPPORTED(function, result)                                                                        \
  OMPTARGET_API result function() {                                                                                    \
    static constinit std::atomic_flag is_reported;                                                                     \
    report_unsupported(#function, is_reported);                                                                        \
    return static_cast<result>(-1);                                                                                    \
  }

static void refuse_launch(const char *function, const void *code, std::atomic_flag &is_reported) {
  if (!is_reported.test_and_set(std::memory_order_relaxed))
    finish_unreported(Status::error("CUDA kernels cannot be launched by this library: leave -foffload-via-llvm out"),
                      Call{function, nullptr, -1, code});
}

// Their callers pass arguments, which have changed between LLVM's releases for record and replay; none is read.
extern "C" {
OMPTARGET_UNSUPPORTED(__tgt_target_kernel_replay, int)
OMPTARGET_UNSUPPORTED(__tgt_activate_record_replay, int)

/// CUDA code that clang 22 or later compiles with -foffload-via-llvm. Nothing of it runs, which is the end where
/// offloading is mandatory.
#define OMPTARGET_NO_LAUNCH(function)                                                                                  \
  OMPTARGET_API unsigned function() {                                                                                  \
    static constinit std::atomic_flag is_reported;                                                                     \
    refuse_launch(#function, __builtin_return_address(0), is_reported);                                                \
    return ~0u;                                                                                                        \
  }
OMPTARGET_NO_LAUNCH(__llvmPushCallConfiguration)
OMPTARGET_NO_LAUNCH(__llvmPopCallConfiguration)
OMPTARGET_NO_LAUNCH(llvmLaunchKernel)

/// Serves calls of device code that is linked with LLVM's libc for GPUs. Every program of flang 23 offers a callback
/// as it starts, whether it has such code or not, so nothing is said here: the plugins for GPUs look at each image.
OMPTARGET_API void __tgt_register_rpc_callback(unsigned (* /*callback*/)(void *port, unsigned lanes)) {}

/// Plugins of LLVM 17 and 18 offer themselves to tools here. This library tells tools about devices itself, so
/// nothing is called back, as if no tool were active.
OMPTARGET_API void ompt_libomptarget_connect() {}
}
