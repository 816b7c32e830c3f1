// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries a plugin in a child process, which a damaged or faulty one ends instead of the tool.
#pragma once

#include <string>

namespace omptarget::info_tool {

struct TrialExtent {
  bool uses_devices; ///< initialises them, too, and asks for their properties
  int seconds;       ///< for all of it
};

/// Loads and starts the plugin. Returns why this process must not do so: the child crashed, ended or hung, and where;
/// otherwise nothing.
std::string try_plugin(const std::string &path, const TrialExtent &extent);

} // namespace omptarget::info_tool
