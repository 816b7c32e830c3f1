// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/helper_threads.h"

#include <cstdint>
#include <pthread.h>

#include "base/service_threads.h"

extern "C" {
[[gnu::weak]] int32_t __kmpc_global_thread_num(void *location);
[[gnu::weak]] int32_t __kmpc_omp_taskwait(void *location, int32_t thread);
[[gnu::weak]] void __kmpc_set_thread_limit(void *location, int32_t thread, int32_t limit);
[[gnu::weak]] int omp_get_num_threads(void);
[[gnu::weak]] int omp_get_thread_num(void);
[[gnu::weak]] int omp_get_max_threads(void);
[[gnu::weak]] void omp_set_num_threads(int number);
[[gnu::weak]] int omp_get_dynamic(void);
[[gnu::weak]] void omp_set_dynamic(int is_dynamic);
[[gnu::weak]] int omp_get_max_active_levels(void);
[[gnu::weak]] void omp_set_max_active_levels(int levels);
[[gnu::weak]] int omp_get_thread_limit(void);
[[gnu::weak]] void omp_get_schedule(int *kind, int *chunk);
[[gnu::weak]] void omp_set_schedule(int kind, int chunk);
[[gnu::weak]] int omp_get_default_device(void);
[[gnu::weak]] void omp_set_default_device(int number);
}

namespace omptarget::libomp {

namespace {

/// An internal control variable of the current task, which has a number.
struct Variable {
  int (*get)();
  void (*set)(int);
};

void set_thread_limit(int limit) {
  if (__kmpc_set_thread_limit)
    __kmpc_set_thread_limit(nullptr, __kmpc_global_thread_num(nullptr), limit);
}

/// The internal control variables of a task.
class TaskVariables {
public:
  /// Reads those of the current task.
  TaskVariables() {
    for (int i = 0; i < kCount; ++i)
      values_[i] = kVariables[i].get ? kVariables[i].get() : 0;
    if (omp_get_schedule)
      omp_get_schedule(&schedule_, &chunk_);
  }
  /// Gives them to the current task. Leaves those alone that are equal.
  void apply() const {
    const TaskVariables own;
    for (int i = 0; i < kCount; ++i)
      if (values_[i] != own.values_[i] && kVariables[i].set)
        kVariables[i].set(values_[i]);
    if ((schedule_ != own.schedule_ || chunk_ != own.chunk_) && omp_set_schedule)
      omp_set_schedule(schedule_, chunk_);
  }

private:
  static constexpr int kCount = 5;
  static const Variable kVariables[kCount];
  int values_[kCount];
  int schedule_ = 0;
  int chunk_ = 0;
};

const Variable TaskVariables::kVariables[kCount] = {{omp_get_max_threads, omp_set_num_threads},
                                                    {omp_get_dynamic, omp_set_dynamic},
                                                    {omp_get_max_active_levels, omp_set_max_active_levels},
                                                    {omp_get_thread_limit, set_thread_limit},
                                                    {omp_get_default_device, omp_set_default_device}};

ServiceThreads &threads();

void before_fork() { threads().mutex_for_fork().lock(); }
void after_fork() { threads().mutex_for_fork().unlock(); }
void after_fork_in_child() {
  after_fork();
  threads().forget();
}

ServiceThreads &threads() {
  static auto *const all = [] {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    return new ServiceThreads("omp-target-task");
  }();
  return *all;
}

} // namespace

/// libomp (14 to 23) numbers the threads of the helpers' team from 1 on, in the order of the team. The first one
/// only waits. Other threads have numbers further from that in their team, as libomp keeps the first ones for helpers.
bool is_helper_thread() {
  if (!__kmpc_global_thread_num || !omp_get_thread_num || !omp_get_num_threads)
    return false;
  const int32_t number = omp_get_thread_num();
  return number > 0 && number < omp_get_num_threads() && __kmpc_global_thread_num(nullptr) == number + 1;
}

bool helper_internal::run_apart(void (*function)(void *), void *data) {
  const TaskVariables variables;
  const int error = threads().run([&] {
    variables.apply();
    function(data);
    if (__kmpc_omp_taskwait)
      __kmpc_omp_taskwait(nullptr, __kmpc_global_thread_num(nullptr));
  });
  return error == 0;
}

} // namespace omptarget::libomp
