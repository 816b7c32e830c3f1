// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of data environments.

#include "environment.h"

namespace omptarget::device_rtl::gpu {

/// With the lock of the warp's list.
template <typename Body> INLINE void with_environments(Body body) {
  with_list<Environment>(&environment_lists[warp_id() % kEnvironmentLists], body);
}

__attribute__((noinline)) Environment *find_environment() {
  if (!has_environment())
    return nullptr;
  Environment *found = nullptr;
  with_environments([&](Environment *&list) { found = find_own(list).at; });
  return found;
}

__attribute__((noinline)) Environment &own_environment() {
  Environment *const last = find_environment();
  if (last && last->level == level())
    return *last;
  const ControlVariables inherited = variables();
  const uint64_t allocator = default_allocator();
  auto *made = static_cast<Environment *>(allocate_or_fail(sizeof(Environment)));
  made->thread = target::thread_id();
  made->level = level();
  made->variables = inherited;
  made->allocator = allocator;
  made->loop.is_under_way = 0;
  with_environments([&](Environment *&list) {
    made->next = list;
    list = made;
  });
  atomics::store(&any_environment, 1u);
  set_thread_bit(environment_bits);
  return *made;
}

/// Takes the thread's innermost environment out of the list if it is of the level or deeper.
static Environment *take_environment(uint32_t level) {
  Environment *taken = nullptr;
  bool is_last = true;
  with_environments([&](Environment *&list) {
    const Found<Environment> found = find_own(list);
    if (!found.at || found.at->level < level) {
      is_last = !found.at;
      return;
    }
    taken = found.at;
    take_out(list, found);
  });
  if (!taken && is_last)
    clear_thread_bit(environment_bits);
  return taken;
}

__attribute__((noinline)) void drop_environments(uint32_t level) {
  while (Environment *const taken = take_environment(level))
    release(taken);
}

INLINE ControlVariables variables() {
  if (!atomics::is_set(any_variables))
    return kDefaultVariables;
  if (has_environment())
    return find_environment()->variables;
  if (is_spmd())
    return kDefaultVariables;
  return {generic_team.variables.threads, generic_team.variables.max_active_levels, generic_team.variables.schedule,
          generic_team.variables.chunk};
}

INLINE uint64_t default_allocator() {
  constexpr uint64_t kDefaultMemory = 1; // omp_default_mem_alloc
  if (!atomics::is_set(any_default_allocator))
    return kDefaultMemory;
  if (has_environment())
    return find_environment()->allocator;
  const uint64_t own = is_spmd() ? 0 : team_allocator;
  return own != 0 ? own : kDefaultMemory;
}
INLINE void set_default_allocator(uint64_t allocator) {
  atomics::store(&any_default_allocator, 1u);
  if (!is_spmd() && level() == 0 && !has_environment())
    team_allocator = allocator;
  else
    own_environment().allocator = allocator;
}

} // namespace omptarget::device_rtl::gpu
