// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/thread_text.h"

#include <cxxabi.h>
#include <utility>

extern "C" {
/// Identifies this library to the loader, which keeps it while threads have destructors of it.
extern __attribute__((visibility("hidden"))) void *__dso_handle;
}

namespace omptarget::plugin {

namespace {

/// Without a destructor of its own, so that destructors of a thread's objects can use it.
thread_local constinit std::string *text = nullptr;

void free_text(void *) { delete std::exchange(text, nullptr); }

} // namespace

void set_thread_text(std::string next) {
  if (!text) {
    text = new std::string;
    // Once per text and not once per thread: a destructor that runs after free_text may set another one.
    abi::__cxa_thread_atexit(&free_text, nullptr, &__dso_handle);
  }
  *text = std::move(next);
}

const std::string &thread_text() {
  static const std::string *const empty = new std::string;
  return text ? *text : *empty;
}

} // namespace omptarget::plugin
