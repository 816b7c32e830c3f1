// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stream of the driver's and what belongs to it. A queue of the plugin ABI holds its address; one of interop's
// holds the native handle, which programs give to the driver.
#pragma once

#include "omptarget/plugin.h"

namespace omptarget::gpu {

/// Used by one thread at a time. A vendor's own has more.
struct Stream {
  void *native = nullptr; ///< the driver's. First: tests look for it here
  void *thread = nullptr; ///< Caller::thread of who uses it now
  bool is_interop = false;
  bool has_kernels = false;   ///< some were launched since it was empty
  bool has_leftovers = false; ///< when it is empty, something is left to do
};

/// The origin of a call: its queue or null, and Scope::thread() or null if that is not known.
struct Caller {
  Caller(__tgt_async_info *queue, void *of_thread = nullptr) // NOLINT(google-explicit-constructor): a queue is a caller
      : async(queue), thread(of_thread) {}
  __tgt_async_info *async;
  void *thread;
};

} // namespace omptarget::gpu
