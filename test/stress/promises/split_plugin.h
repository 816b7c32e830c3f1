// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that a test and the split plugins share. A split plugin drives two devices whose memory is the host's. Each of
// its copies reads all, tells the test, and writes then, so that a test can stop it or delay it between the two.
#pragma once

#include <cstdint>

namespace omptarget::test {

/// The first letter of an image says which of the plugins takes it.
enum class SplitKind : char {
  kAtOnce = 'S',             ///< each operation is complete on return
  kQueueing = 'Q',           ///< work is queued
  kQueueingWithEvents = 'E', ///< the same, and there are events
};

enum class SplitMoment {
  kCopyBegins,
  kCopyHasRead,  ///< and has not written
  kCopyWritesOn, ///< has written the first part of its bytes
  kCopyEnds,     ///< has written all
  kAllocates,
  kFrees,
  kLaunches,
  kWaits, ///< for a queue
  kAsks,  ///< queries a queue
};

struct SplitEvent {
  SplitMoment moment;
  const void *host; ///< the target of a copy; else null
  const void *device;
  int64_t size;
  bool is_to_device;
};

/// Functions of the test. Called by any thread; the plugin holds the lock of one queue at most.
struct SplitHooks {
  void (*at)(const SplitEvent &event) = nullptr;
  /// A number below the limit, as random as the test wants. 0 is a device that does nothing before a thread waits. It
  /// copies to the host by way of blocks of its own, from where the thread that waits takes them.
  uint32_t (*choose)(uint32_t limit) = nullptr;
  /// Called for what no host library may do.
  void (*fail)(const char *what) = nullptr;
};

/// A kernel: its handle is the address of one of these, which is what the program has for the kernel, too.
struct SplitKernel {
  void (*function)(void **arguments);
};

// Exported by each of the plugins.
using SetSplitHooks = void (*)(const SplitHooks *hooks);           ///< split_set_hooks
using CountSplitBlocks = int64_t (*)();                            ///< split_count_blocks: of device memory now
using IsSplitMemory = bool (*)(const void *address, int64_t size); ///< split_is_memory: all of it device memory in use

} // namespace omptarget::test
