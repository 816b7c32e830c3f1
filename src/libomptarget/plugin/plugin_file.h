// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts in the file of a plugin. Opening a shared object runs its code, so the file is read first.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/status.h"

namespace omptarget {

/// Checks that the file is a shared object for this machine that itself defines the functions every plugin must have.
/// The failure is the reason alone, without the path. Any thread.
Status check_plugin_file(const std::string &path);

/// The functions of the plugin ABI that the file itself defines, without __tgt_rtl_.
Result<std::set<std::string>> read_plugin_functions(const std::string &path);

/// Returns whether the file needs a symbol that it does not define; false if it cannot be read.
bool plugin_file_needs(const std::string &path, std::string_view symbol);

/// As check_plugin_file, for the contents of a file.
Status check_plugin_contents(std::string_view contents);

} // namespace omptarget
