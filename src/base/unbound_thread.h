// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that do not stay on the CPU of their creator, which OpenMP may have bound.
#pragma once

#include <pthread.h>

namespace omptarget {

/// As pthread_create, for a thread that may run on all CPUs that some thread of the process may run on.
int create_unbound_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *data) noexcept;

} // namespace omptarget
