// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the plugin ABI, and what becomes of programs if a plugin does not have one.
#pragma once

#include <set>
#include <string>

#include "plugin/plugin_file.h"

namespace omptarget::check {

struct FunctionRow {
  const char *name;
  const char *check;   ///< the check that tries it
  const char *without; ///< effect on programs; null: only plugins of LLVM have it
};

inline constexpr const char *kRequiredText = "required";

inline constexpr FunctionRow kFunctions[] = {
#define PLUGIN_REQUIRED(name, check) {#name, check, kRequiredText},
#define PLUGIN_OPTIONAL(name, check, without) {#name, check, without},
#include "plugin/plugin_functions.def"
};

/// The functions of other generations in their place.
inline constexpr FunctionRow kOlderFunctions[] = {
#define PLUGIN_OLDER(name, check, ...) {#name, check, nullptr},
#include "plugin/plugin_functions.def"
};

/// The functions that the plugin exports itself, without __tgt_rtl_. Empty if it cannot be read.
inline std::set<std::string> exported_functions(const std::string &path) {
  Result<std::set<std::string>> functions = read_plugin_functions(path);
  if (functions.is_ok())
    return functions.value();
  functions.take_status().consume();
  return {};
}

} // namespace omptarget::check
