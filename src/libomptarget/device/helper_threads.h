// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomp's hidden helper threads, which run target tasks. Other threads give a helper its tasks by way of the team
// that it is in. While a helper is in a parallel region, that is another team: libomp ends the program, or the team's
// threads take the tasks. So kernels of such tasks run on threads of ours.
#pragma once

#include <type_traits>

namespace omptarget::libomp {

/// Returns whether the calling thread is a hidden helper thread. libomp must have been started.
bool is_helper_thread();

namespace helper_internal {
bool run_apart(void (*function)(void *), void *data);
} // namespace helper_internal

/// Calls the function on a thread that is an initial thread of libomp, and waits for it. Its task has the internal
/// control variables of the calling task. Tasks that it makes are done on return. False if no thread can be made:
/// then nothing has happened.
template <typename Function> [[nodiscard]] bool run_apart(Function &&function) {
  using Callee = std::remove_reference_t<Function>;
  return helper_internal::run_apart([](void *callee) { (*static_cast<Callee *>(callee))(); },
                                    static_cast<void *>(&function));
}

} // namespace omptarget::libomp
