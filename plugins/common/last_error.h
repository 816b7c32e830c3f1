// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of the last failure of each thread, for __tgt_rtl_last_error. Any thread, for its own text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"

namespace omptarget::plugin {

/// Keeps the text for the calling thread, and traces it.
void set_last_error(std::string text);

/// Keeps a failure's text. Returns what functions of plugins return: 0 for success, -1 for failure.
int32_t finish(Status status);

/// Copies the text, cut to size bytes with the NUL. Returns its full length, or 0 if nothing has failed in this
/// thread. buffer may be null.
size_t copy_last_error(char *buffer, size_t size);

/// Copies any text in that way.
size_t copy_text(const std::string &text, char *buffer, size_t size);

} // namespace omptarget::plugin
