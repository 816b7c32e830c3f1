// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adapters for older generations of plugins: launches, and tables of loaded images. Failures are texts
// about the plugin's answer; class Plugin adds which plugin and during what.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "omptarget/plugin.h"
#include "plugin/plugin_functions.h"

namespace omptarget {

struct PluginLaunch {
  int32_t device;
  void *kernel;
  void **arguments; ///< arguments[-1] may be written
  __tgt_kernel_args *args;
  __tgt_async_info *queue; ///< null: complete on return
};

/// Offsets for that many arguments, all zero; null if there are too many for the shared ones.
ptrdiff_t *zero_offsets(size_t count);

/// Launches in the way of the plugin's generation, with a block of a version that it knows; supplies the implicit
/// parameter where the plugin does not. Returns what the plugin returns.
int32_t launch_adapted(const PluginFunctions &functions, const PluginLaunch &request);

/// The text at an address that a plugin gave, or nothing if no memory, or too much without a NUL, is there. Does not
/// touch what cannot be read.
std::optional<std::string_view> readable_text(const char *text);

/// Loads an image and returns a table that is known to fit it. A table that was made here lives as long as the plugin.
Result<__tgt_target_table *> load_checked(PluginFunctions &functions, int32_t device, __tgt_device_image &image);

} // namespace omptarget
