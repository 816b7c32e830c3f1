// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See at_exit.h. The linker's option --wrap leads all calls of __cxa_atexit here (Itanium C++ ABI, section 3.3.5.3).

#include "at_exit.h"

extern "C" {
int __real___cxa_atexit(void (*function)(void *), void *object, void *library);
int __wrap___cxa_atexit(void (*function)(void *), void *object, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

// Drops LLVM's objects. It makes most of them when it compiles for the first time, and another thread may end the
// process meanwhile.
int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; }
}

namespace emulator {

namespace {

void call(void *function) { reinterpret_cast<void (*)()>(function)(); }

} // namespace

void at_exit(void (*function)()) {
  __real___cxa_atexit(call, reinterpret_cast<void *>(function), static_cast<void *>(&__dso_handle));
}

} // namespace emulator
