// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a profile's file: JSON or a page, compressed or not. The file's name decides.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace omptarget::observe {

/// Returns the contents of a profile's file of that name. A name in .html or .html.gz has a page, any other JSON. A
/// name in .gz is compressed. json: as profile_as_json makes it. Fails if there is no memory to compress with.
Result<std::string> contents_of_profile(std::string_view path, std::string json);

/// The page for a browser that shows a profile in Chrome's trace-event format, as profile_as_json makes it.
std::string page_of_profile(const std::string &json);

} // namespace omptarget::observe
