// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/kernel_runs.h"

#include <algorithm>
#include <cerrno>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace omptarget::host {

namespace {

pid_t thread_number() { return static_cast<pid_t>(syscall(SYS_gettid)); }

bool has_ended(pid_t thread) {
  return thread == 0 || (syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH);
}

/// Returns whether the kernel can make all threads of the process pass a barrier.
bool has_barrier() {
  static const bool has = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return has;
}

} // namespace

/// That of a thread that has ended, or one more. Few are looked at, so that starting many threads stays cheap; over
/// time all are.
KernelRuns::Record &KernelRuns::new_record() {
  constexpr int kLooks = 8;
  static std::atomic<Record *> cursor{nullptr};
  const pid_t own = thread_number();
  Record *record = cursor.load(std::memory_order_acquire);
  for (int i = 0; i < kLooks; ++i) {
    if (!record && !(record = records.load(std::memory_order_acquire)))
      break;
    pid_t thread = record->thread.load(std::memory_order_relaxed);
    // A thread that ended inside of a kernel may have left a pointer that another one uses. Asked after the end:
    // before it the thread may start another kernel.
    if (has_ended(thread) && record->since.load(std::memory_order_acquire) == 0 &&
        record->thread.compare_exchange_strong(thread, own, std::memory_order_acquire)) {
      record->depth = 0;
      return *(own_record = record);
    }
    record = record->next;
  }
  cursor.store(record, std::memory_order_release);
  record = new Record;
  record->thread.store(own, std::memory_order_relaxed);
  record->next = records.load(std::memory_order_relaxed);
  while (!records.compare_exchange_weak(record->next, record, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *(own_record = record);
}

uint64_t KernelRuns::next_moment() { return moment.fetch_add(1, std::memory_order_acq_rel); }

/// After the barrier a thread either has written when its kernel started, so that it is seen here, or it starts later
/// and sees what was written before.
uint64_t KernelRuns::oldest_moment() {
  if (!has_barrier() || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    return 0;
  uint64_t oldest = UINT64_MAX;
  for (const Record *record = records.load(std::memory_order_acquire); record; record = record->next)
    if (const uint64_t since = record->since.load(std::memory_order_acquire); since != 0)
      oldest = std::min(oldest, since);
  return oldest;
}

void KernelRuns::forget_other_threads() {
  for (Record *record = records.load(std::memory_order_acquire); record; record = record->next) {
    if (record == own_record) {
      record->thread.store(thread_number(), std::memory_order_relaxed);
      continue;
    }
    record->thread.store(0, std::memory_order_relaxed);
    record->since.store(0, std::memory_order_relaxed);
  }
}

} // namespace omptarget::host
