// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the plugins of this process, checks and loads them.
#pragma once

#include <cstddef>
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

/// Whose drivers images could be for. A driver that nobody needs is not started: that takes longer than all the rest.
struct PluginNeed {
  bool cuda = false;
  bool amdgpu = false;

  static PluginNeed all() { return {true, true}; }
  bool covers(const std::string &kind) const { return (cuda || kind != "cuda") && (amdgpu || kind != "amdgpu"); }
  void add(const PluginNeed &other) {
    cuda |= other.cuda;
    amdgpu |= other.amdgpu;
  }
};

struct PluginSet {
  struct Waiting {
    std::string name;
    std::string path;
    std::string kind;
    size_t place;      ///< among the plugins in the order in which they are asked
    size_t folder = 0; ///< among those that are searched
  };
  std::vector<std::unique_ptr<Plugin>> plugins; ///< with at least one device each, in the order in which they are asked
  std::vector<size_t> places;                   ///< of each of them
  std::vector<PluginRejection> rejections;      ///< with those that have no devices
  std::vector<Waiting> waiting;                 ///< those that no image needs yet

  /// Returns whether one that waits is needed.
  bool lacks(const PluginNeed &need) const;
  /// Adds what was loaded of those that waited.
  void add(PluginSet newer);
};

/// Searches LIBOMPTARGET_PLUGIN_PATH (not in a privileged process) and the folder of this library (own_folder.h) for
/// libomptarget.rtl.<name>.so, orders and restricts them by LIBOMPTARGET_PLUGINS, and loads them: those that the
/// setting names, and without it those that are needed. Runs plugin code; slow. Called with no lock held that a
/// plugin could want. trial: for tools, which call it for every file before any is opened; it returns why one cannot
/// be opened, or nothing.
PluginSet load_plugins(const PluginNeed &need, std::string (*trial)(const std::string &path) = nullptr);

/// Loads those that are needed now, and returns them and the others. As above.
PluginSet load_waiting(const std::vector<PluginSet::Waiting> &waiting, const PluginNeed &need);

} // namespace omptarget
