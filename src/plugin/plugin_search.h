// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the plugins of this process, checks and loads them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plugin/plugin.h"

namespace omptarget {

/// A file that looked like a plugin and is not used, and why.
struct PluginRejection {
  std::string path;
  std::string reason;
};

struct PluginSet {
  std::vector<std::unique_ptr<Plugin>> plugins; ///< with at least one device each, in the order in which they are asked
  std::vector<PluginRejection> rejections;      ///< with those that have no devices
};

/// Searches LIBOMPTARGET_PLUGIN_PATH (not in a privileged process) and the folder of this library (own_folder.h) for
/// libomptarget.rtl.<name>.so, orders and restricts them by LIBOMPTARGET_PLUGINS, and loads them. Runs plugin code; slow.
/// Called once, by one thread, with no lock held that a plugin could want.
PluginSet load_plugins();

} // namespace omptarget
