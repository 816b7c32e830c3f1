// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit tasks (OpenMP 5.2, chapter 12): each is done at once by the thread that comes to it, so that none is ever
// waited for.

#include "debugging.h"
#include "memory.h"

namespace omptarget::device_rtl::gpu {

/// The begin of a task as the compiler lays it out.
struct Task {
  void *shared;                   ///< copies of pointers to shared variables, behind the task
  void (*entry)(int32_t, Task *); ///< clang's returns a number that nobody needs, flang's nothing
  int32_t part;                   ///< of an untied task: where its code goes on
};
/// What the RTL keeps before each task.
struct alignas(16) TaskState {
  bool is_inner; ///< whether a task began it
  bool is_running;
};

INLINE TaskState *state_of(Task *task) { return reinterpret_cast<TaskState *>(task) - 1; }
INLINE void begin_task(Task *task) {
  atomics::store(&any_task, 1u);
  state_of(task)->is_inner = thread_bit(task_bits) != 0;
  state_of(task)->is_running = true;
  set_thread_bit(task_bits);
}
INLINE void end_task(Task *task) {
  if (!state_of(task)->is_inner)
    clear_thread_bit(task_bits);
  release(state_of(task));
}

} // namespace omptarget::device_rtl::gpu

RTL int32_t __kmpc_omp_task(ident_t *, int32_t, omptarget::device_rtl::gpu::Task *task);

namespace omptarget::device_rtl::gpu {

/// A task may make tasks, which the compiler is shown as in parallel.cpp. An untied one comes here from its own code for
/// each of its parts.
__attribute__((noinline)) static void run_task(Task *task) {
  MAY_RECURSE(__kmpc_omp_task, static_cast<void>(__kmpc_omp_task(nullptr, 0, task)));
  const bool is_part = state_of(task)->is_running;
  if (!is_part)
    begin_task(task);
  task->entry(static_cast<int32_t>(thread_number()), task);
  if (!is_part)
    end_task(task);
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL Task *__kmpc_omp_task_alloc(ident_t *, int32_t, int32_t, uint64_t task_size, uint64_t shared_size,
                                void (*entry)(int32_t, Task *)) {
  const uint64_t begin = round_up(task_size, 16);
  auto *const state = static_cast<TaskState *>(allocate_or_fail(sizeof(TaskState) + begin + shared_size));
  state->is_running = false;
  auto *const task = reinterpret_cast<Task *>(state + 1);
  task->part = 0;
  task->shared = reinterpret_cast<char *>(task) + begin;
  task->entry = entry;
  return task;
}
RTL int32_t __kmpc_omp_task(ident_t *, int32_t, Task *task) {
  TRACE;
  run_task(task);
  return 0;
}
RTL int32_t __kmpc_omp_task_with_deps(ident_t *place, int32_t thread, Task *task, int32_t, void *, int32_t, void *) {
  return __kmpc_omp_task(place, thread, task);
}
RTL void __kmpc_omp_task_begin_if0(ident_t *, int32_t, Task *task) { begin_task(task); }
RTL void __kmpc_omp_task_complete_if0(ident_t *, int32_t, Task *task) { end_task(task); }
RTL void __kmpc_omp_wait_deps(ident_t *, int32_t, int32_t, void *, int32_t, void *) {}
RTL void __kmpc_omp_taskwait_deps_51(ident_t *, int32_t, int32_t, void *, int32_t, void *, int32_t) {}
RTL int32_t __kmpc_omp_taskwait(ident_t *, int32_t) { return 0; }
RTL int32_t __kmpc_omp_taskyield(ident_t *, int32_t, int32_t) { return 0; }
RTL void __kmpc_taskgroup(ident_t *, int32_t) {}
RTL void __kmpc_end_taskgroup(ident_t *, int32_t) {}
/// All iterations in one task, whose bounds the compiler has written into it.
RTL void __kmpc_taskloop(ident_t *place, int32_t thread, Task *task, int32_t, uint64_t *, uint64_t *, int64_t, int32_t,
                         int32_t, uint64_t, void *) {
  __kmpc_omp_task(place, thread, task);
}
#if OMPTARGET_RTL_GENERATION >= 22
/// With the modifier strict.
RTL void __kmpc_taskloop_5(ident_t *place, int32_t thread, Task *task, int32_t, uint64_t *, uint64_t *, int64_t,
                           int32_t, int32_t, uint64_t, int32_t, void *) {
  __kmpc_omp_task(place, thread, task);
}
#endif
RTL int32_t __kmpc_omp_reg_task_with_affinity(ident_t *, int32_t, Task *, int32_t, void *) { return 0; }

// Tasks that take part in a reduction: the thread that makes them does one after the other, so that each has the
// variable itself.
RTL void *__kmpc_taskred_init(int32_t, int32_t, void *items) { return items; }
RTL void *__kmpc_taskred_modifier_init(ident_t *, int32_t, int32_t, int32_t, void *items) { return items; }
RTL void __kmpc_task_reduction_modifier_fini(ident_t *, int32_t, int32_t) {}
RTL void *__kmpc_task_reduction_get_th_data(int32_t, void *, void *item) { return item; }

RTL int32_t omp_in_explicit_task() { return is_in_task(); }
RTL int32_t omp_in_final() { return 1; }
RTL int32_t omp_get_max_task_priority() { return 0; }
