// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/thread_text.h"

#include <utility>

namespace omptarget::plugin {

namespace {

/// Without a destructor, so that it can be used when the thread's objects are gone.
thread_local constinit std::string *text = nullptr;

/// Made with the first text, so that threads that never fail carry no destructor. What comes after its end is freed by nobody.
struct Owner {
  Owner() { text = new std::string; }
  ~Owner() { delete std::exchange(text, nullptr); }
};

} // namespace

void set_thread_text(std::string next) {
  static thread_local const Owner owner;
  if (!text)
    text = new std::string;
  *text = std::move(next);
}

const std::string &thread_text() {
  static const std::string *const empty = new std::string;
  return text ? *text : *empty;
}

} // namespace omptarget::plugin
