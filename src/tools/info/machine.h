// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plugins of this machine and their devices, and their verdicts on an image.
#pragma once

#include <string>
#include <vector>

#include "plugin/plugin_search.h"
#include "tools/info/module_file.h"

namespace omptarget::info_tool {

struct DeviceFacts {
  std::string arch;
  std::string uid;
  std::string failure;                 ///< why it cannot be initialised, or empty
  std::vector<std::string> properties; ///< what the plugin prints about it, line by line
};

struct PluginFacts {
  const Plugin *plugin;
  std::vector<DeviceFacts> devices;
};

/// The verdict on an image: it would run here, or not.
struct Verdict {
  const PluginFacts *plugin = nullptr; ///< the one that takes it, or null
  std::vector<int32_t> devices;        ///< the plugin's numbers of those that can run it
  bool is_compiled = false;            ///< at first use: the image is bitcode
  std::vector<std::string> reasons;    ///< why it would not, one per plugin
};

class Machine {
public:
  enum class Devices : bool { kCounted, kUsed };
  /// Loads the plugins that libomptarget.so in the same installation would load. kUsed: initialises all devices and
  /// asks for their properties. Each plugin is tried in a child process first.
  static Machine with_plugins(Devices devices = Devices::kCounted);

  const std::vector<PluginFacts> &plugins() const { return plugins_; }
  const std::vector<PluginRejection> &rejections() const { return set_.rejections; }
  Verdict verdict_on(const FileImage &image, bool has_entries) const;

private:
  void describe_devices();

  PluginSet set_;
  std::vector<PluginFacts> plugins_;
};

} // namespace omptarget::info_tool
