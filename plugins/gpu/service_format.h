// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a printf in device code (docs/use/host-services.md). The data are not trusted: each conversion is
// compared with its value.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace omptarget::gpu {

/// data: a format with its NUL, then a value for each conversion. Any thread.
Result<std::string> format_print(std::string_view data);

} // namespace omptarget::gpu
