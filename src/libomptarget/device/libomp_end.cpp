// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of libomp. Its destructor takes apart what its functions work on, whoever is inside of them. So it does not
// run as long as there are threads that the program has left behind.

#include <atomic>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/late_destructors.h"
#include "base/log.h"
#include "device/libomp.h"
#include "observe/device_events.h"

extern "C" {
[[gnu::weak]] int32_t __kmpc_global_thread_num(void *location);
[[gnu::weak]] int omp_get_level(void);
[[gnu::weak]] int omp_get_ancestor_thread_num(int level);
[[gnu::weak]] int omp_get_team_num(void);
}

namespace omptarget::libomp {

[[gnu::tls_model("initial-exec")]] thread_local constinit bool is_noted_user = false;

namespace {

/// The threads that have used devices and that libomp has not made; below zero once libomp's destructor runs.
constinit std::atomic<int64_t> users{0};
constexpr int64_t kEnded = INT64_MIN / 2;

/// Set before libomp's destructor runs.
constinit std::atomic<pthread_t> ending_thread{};

thread_local constinit bool is_counted = false;

/// Counts the calling thread until it ends.
struct Counted {
  Counted() { is_counted = true; }
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;
  ~Counted() {
    is_counted = false;
    users.fetch_sub(1, std::memory_order_release);
  }
};

/// Returns whether libomp has made the calling thread, for a team of another one.
bool is_made_by_libomp() {
  if (!omp_get_level || !omp_get_ancestor_thread_num || !omp_get_team_num)
    return false;
  for (int level = omp_get_level(); level > 0; --level)
    if (omp_get_ancestor_thread_num(level) != 0)
      return true;
  return omp_get_team_num() != 0;
}

bool has_other_threads() {
  struct stat tasks{};
  constexpr nlink_t kOfOne = 3;
  return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > kOfOne;
}

/// libomp (14 to 23) has made this file when it started, and removes it when it ends.
void remove_file_of_libomp() {
  constexpr const char *kFile = "/dev/shm/__KMP_REGISTERED_LIB_%d_%d";
  unlink(format(kFile, static_cast<int>(getpid()), static_cast<int>(getuid())).c_str());
}

/// libomp's destructor is next. It also ends a tool, whose reports come then: so it runs if there is one.
bool may_end() {
  ending_thread.store(pthread_self(), std::memory_order_relaxed);
  int64_t own = is_counted ? 1 : 0;
  if (observe::has_tool() || users.compare_exchange_strong(own, kEnded, std::memory_order_seq_cst)) {
    users.store(kEnded, std::memory_order_seq_cst);
    return true;
  }
  OMPTARGET_TRACE(Topic::kDevice, "libomp does not end: %lld thread(s) that have used a device are still there",
                  static_cast<long long>(own - (is_counted ? 1 : 0)));
  remove_file_of_libomp();
  return false;
}

} // namespace

void note_end() {
  if (__kmpc_global_thread_num && has_other_threads())
    ask_before_destructors(reinterpret_cast<const void *>(__kmpc_global_thread_num), may_end);
}

/// Either libomp's end sees this thread, or the thread sees the end.
[[gnu::cold, gnu::noinline]] void note_new_user() {
  is_noted_user = true;
  if (!__kmpc_global_thread_num)
    return;
  const bool has_ended = users.fetch_add(1, std::memory_order_seq_cst) < 0;
  while (has_ended && !pthread_equal(ending_thread.load(std::memory_order_relaxed), pthread_self()))
    pause();
  ensure_started();
  if (is_made_by_libomp())
    users.fetch_sub(1, std::memory_order_release);
  else
    static thread_local const Counted counted;
}

void forget_other_users() { users.store(is_counted ? 1 : 0, std::memory_order_relaxed); }

} // namespace omptarget::libomp
