// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of results that others read: never half of one, never through a link, never waiting.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace omptarget {

/// Fails if there is something of that name that is no regular file: a link, a FIFO, a device.
Status check_result_file(const std::string &path);

/// Writes the text to a new file beside the path and renames it: a reader sees the old file or the new one. A file that
/// was there keeps its permissions. Interrupting signals are no failure; nothing is left behind after one.
Status replace_result_file(const std::string &path, std::string_view text);
/// The same with the parts of the text, one after the other.
Status replace_result_file(const std::string &path, std::span<const std::string_view> parts);

} // namespace omptarget
