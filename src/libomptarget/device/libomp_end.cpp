// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of libomp. Its destructor takes apart what its functions work on, whoever is inside of them. So it does not
// run as long as there are threads that libomp does not know, or that have used a device. Nor does it after target
// tasks: threads that make these do not come to this library, as libomp's helper threads run them.

#include <atomic>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/late_destructors.h"
#include "base/log.h"
#include "device/helper_threads.h"
#include "device/libomp.h"
#include "ompt/ompt.h"

extern "C" {
[[gnu::weak]] int32_t __kmpc_global_thread_num(void *location);
[[gnu::weak]] int32_t __kmpc_global_num_threads(void *location);
[[gnu::weak]] int32_t __kmpc_omp_taskwait(void *location, int32_t thread);
[[gnu::weak]] int omp_get_level(void);
[[gnu::weak]] int omp_get_ancestor_thread_num(int level);
[[gnu::weak]] int omp_get_team_num(void);
}

namespace omptarget::libomp {

[[gnu::tls_model("initial-exec")]] thread_local constinit User user = User::kNew;

namespace {

/// The threads that have used devices and that libomp has not made; below zero once libomp's destructor runs.
constinit std::atomic<int64_t> users{0};
constexpr int64_t kEnded = INT64_MIN / 2;

/// One of libomp's helper threads has used a device.
constinit std::atomic<bool> helpers_are_users{false};

/// Set before libomp's destructor runs.
constinit std::atomic<pthread_t> ending_thread{};

thread_local constinit bool is_counted = false;

/// The default device that the calling thread had when it first used a device. It stands for libomp's answer while the
/// thread ends.
thread_local constinit int32_t first_default_device = 0;

void forget_user() {
  is_counted = false;
  users.fetch_sub(1, std::memory_order_release);
}

/// The rounds in which the C library calls destructors of keys when a thread ends.
enum Round : uintptr_t { kFirst = 1, kSecond };

/// libomp unregisters a thread in the destructor of a key of its own, in the first round. It may not end before that.
void end_user(void *round);

pthread_key_t end_of_user() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    return pthread_key_create(&made, end_user) == 0 ? made : PTHREAD_KEYS_MAX;
  }();
  return key;
}
bool forget_in(Round round) { return pthread_setspecific(end_of_user(), reinterpret_cast<void *>(round)) == 0; }

void end_user(void *round) {
  user = User::kEnding; // destructors that come later may have regions
  if (reinterpret_cast<uintptr_t>(round) == kFirst && forget_in(kSecond))
    return;
  forget_user();
}

/// Returns whether libomp has made the calling thread, for a team of another one.
bool is_made_by_libomp() {
  if (!omp_get_level || !omp_get_ancestor_thread_num || !omp_get_team_num)
    return false;
  for (int level = omp_get_level(); level > 0; --level)
    if (omp_get_ancestor_thread_num(level) != 0)
      return true;
  return omp_get_team_num() != 0;
}

/// Returns whether the process has more threads than that.
bool has_more_threads_than(int32_t count) {
  struct stat tasks{};
  constexpr nlink_t kOfNone = 2;
  return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > kOfNone + static_cast<nlink_t>(count);
}

/// Returns whether there are threads that libomp does not know. Their first call of it may come at any time, and from
/// the program's own code.
bool has_strangers() { return !__kmpc_global_num_threads || has_more_threads_than(__kmpc_global_num_threads(nullptr)); }

/// libomp (14 to 23) has made this file when it started, and removes it when it ends.
void remove_file_of_libomp() {
  constexpr const char *kFile = "/dev/shm/__KMP_REGISTERED_LIB_%d_%d";
  unlink(format(kFile, static_cast<int>(getpid()), static_cast<int>(getuid())).c_str());
}

/// Waits for the target tasks that the calling thread has left unfinished. Does not start libomp.
void finish_own_tasks() {
  if (__kmpc_omp_taskwait && __kmpc_global_num_threads && __kmpc_global_num_threads(nullptr) != 0)
    __kmpc_omp_taskwait(nullptr, __kmpc_global_thread_num(nullptr));
}

/// libomp's destructor is next. It also ends a tool, whose reports come then: so it runs if there is one.
bool may_end() {
  ending_thread.store(pthread_self(), std::memory_order_relaxed);
  finish_own_tasks();
  const int64_t own = is_counted ? 1 : 0;
  int64_t all = own;
  if (observe::has_tool()) {
    users.store(kEnded, std::memory_order_seq_cst);
    return true;
  }
  if (!has_strangers() && !helpers_are_users.load(std::memory_order_seq_cst) &&
      users.compare_exchange_strong(all, kEnded, std::memory_order_seq_cst))
    return true;
  OMPTARGET_TRACE(Topic::kDevice, "libomp does not end: %lld thread(s) that have used a device are still there%s",
                  static_cast<long long>(all - own), all == own ? ", and others may use it or have target tasks" : "");
  remove_file_of_libomp();
  return false;
}

/// Returns whether the calling thread ends the process, or libomp's end may wait for it.
bool may_outlive_libomp() {
  return pthread_equal(ending_thread.load(std::memory_order_relaxed), pthread_self()) || is_inside_libomp();
}

/// Either libomp's end sees this thread, or the thread sees the end.
void count_user() {
  is_counted = true;
  const bool has_ended = users.fetch_add(1, std::memory_order_seq_cst) < 0;
  while (has_ended && !may_outlive_libomp())
    pause();
  ensure_started();
  if (is_helper_thread())
    helpers_are_users.store(true, std::memory_order_seq_cst);
  if (is_made_by_libomp())
    forget_user();
  else
    forget_in(kFirst); // if that fails, never
}

} // namespace

void note_end() {
  if (!__kmpc_global_thread_num || !has_more_threads_than(1))
    return;
  ask_before_destructors(reinterpret_cast<const void *>(__kmpc_global_thread_num), may_end);
  finish_own_tasks();
}

void note_new_user() {
  user = User::kNoted; // libomp's start may come back here
  if (!__kmpc_global_thread_num)
    return;
  if (is_counted) // in the child of a fork
    ensure_started();
  else
    count_user();
  if (!has_default_device())
    return;
  user = User::kOfLibomp;
  first_default_device = omp_get_default_device();
}

int32_t default_device_of_new_user() {
  note_user();
  return user == User::kEnding ? first_default_device : default_device();
}

void forget_other_users() {
  users.store(is_counted ? 1 : 0, std::memory_order_relaxed);
  if (user != User::kEnding)
    user = User::kNew; // libomp may have to be started again
}

} // namespace omptarget::libomp
