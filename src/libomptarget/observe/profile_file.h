// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of results that others read: never half of one, never through a link, never waiting.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace omptarget::observe {

/// Fails if there is something of that name that is no regular file: a link, a FIFO, a device.
Status check_result_file(const std::string &path);

/// Writes the text to a new file beside the path and renames it: a reader sees the old file or the new one. A file that
/// was there keeps its permissions. Interrupting signals are no failure; nothing is left behind after one.
Status replace_result_file(const std::string &path, std::string_view text);
/// The same with the parts of the text, one after the other.
Status replace_result_file(const std::string &path, std::span<const std::string_view> parts);

/// Returns the contents of a profile's file of that name. A name in .html or .html.gz has a page, any other JSON. A
/// name in .gz is compressed. json: as profile_as_json makes it. Fails if there is no memory to compress with.
Result<std::string> contents_of_profile(std::string_view path, std::string json);

/// The page for a browser that shows a profile in Chrome's trace-event format, as profile_as_json makes it.
std::string page_of_profile(const std::string &json);

} // namespace omptarget::observe
