// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One text of each thread, which lasts longer than the thread's objects: exit handlers and destructors of objects may
// still fail.
#pragma once

#include <string>

namespace omptarget::plugin {

/// Replaces the text of the calling thread.
void set_thread_text(std::string text);

/// The text of the calling thread, valid until it sets another; empty if it has none.
const std::string &thread_text();

} // namespace omptarget::plugin
