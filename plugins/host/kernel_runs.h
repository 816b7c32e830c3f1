// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which threads are inside of a kernel, and since when: memory that kernels read is given back only when none of them
// can read it. A launch writes two words of its own thread; the thread that asks pays the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/types.h>

namespace omptarget::host {

/// Any thread.
class KernelRuns {
  /// The record of one thread. Lives for ever; the record of an ended thread is used again.
  struct Record {
    std::atomic<uint64_t> since{0}; ///< the moment in which the outermost kernel started; 0: none runs
    uint32_t depth = 0;
    std::atomic<pid_t> thread{0};
    Record *next = nullptr;
  };

public:
  /// Lives as long as a kernel runs in this thread; kernels may launch others.
  class Run {
  public:
    Run() : record_(own_record ? *own_record : new_record()) {
      if (record_.depth++ == 0)
        record_.since.store(moment.load(std::memory_order_acquire), std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst); // oldest_moment() makes it one of all threads
    }
    ~Run() {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      if (--record_.depth == 0)
        record_.since.store(0, std::memory_order_release);
    }
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

  private:
    Record &record_;
  };

  /// Ends the current moment and returns its number. Kernels that start later see all that was written before.
  static uint64_t next_moment();
  /// The moment in which the longest-running kernel started; UINT64_MAX if none runs, 0 if that cannot be known.
  static uint64_t oldest_moment();
  /// In the child of a fork: the other threads are not there.
  static void forget_other_threads();

private:
  static Record &new_record();
  // Found without a call: the plugin takes 8 bytes of the room that every thread has for that.
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local Record *own_record = nullptr;
  static constinit inline std::atomic<uint64_t> moment{1};
  static constinit inline std::atomic<Record *> records{nullptr};
};

} // namespace omptarget::host
