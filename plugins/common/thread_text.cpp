// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/thread_text.h"

#include <utility>

#include "base/thread_object.h"

namespace omptarget::plugin {

namespace {
struct Owner;
using Text = ThreadObject<std::string, Owner>;
} // namespace

void set_thread_text(std::string next) { Text::get() = std::move(next); }

const std::string &thread_text() {
  static const std::string *const empty = new std::string;
  const std::string *const text = Text::find();
  return text ? *text : *empty;
}

} // namespace omptarget::plugin
