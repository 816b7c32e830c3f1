// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of the library's and the plugins' own.
#pragma once

#include <csignal>
#include <pthread.h>

namespace omptarget {

using CreateThread = decltype(pthread_create);

/// As pthread_create, for a thread that no signal is delivered to: handlers are for the program's threads. Returns 0
/// or an error number.
inline int create_internal_thread(pthread_t &thread, void *(*run)(void *), void *data,
                                  CreateThread *create = pthread_create) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = create(&thread, nullptr, run, data);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

} // namespace omptarget
