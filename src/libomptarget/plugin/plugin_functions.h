// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of one plugin as they were found, and what was concluded from them: which generation of the plugin ABI
// it was built for. Private to plugin/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/guarded.h"
#include "omptarget/plugin.h"

namespace omptarget {

/// How a plugin is driven. Told from what it exports; a plugin with __tgt_rtl_abi is kCurrent whatever else it has.
enum class PluginGeneration {
  kRegion,  ///< LLVM 14 and 15: run_target_region and run_target_team_region, delete with two arguments
  kLaunch,  ///< LLVM 16: launch_kernel, no implicit kernel parameter
  kTable,   ///< LLVM 17: as 16, but its queues are C++ objects, so that it is driven without queues
  kBinary,  ///< LLVM 18: as 17, with get_global and get_function instead of a table; supplies the implicit parameter
  kCurrent, ///< describes itself by __tgt_rtl_abi
};

/// The argument of __tgt_rtl_get_global and __tgt_rtl_get_function of LLVM 18.
struct DeviceBinary {
  uintptr_t handle;
};

/// A table that was made here because the plugin's own is of another form. Its address is what the caller knows.
struct AdaptedTable {
  __tgt_target_table table{};
  std::vector<__tgt_offload_entry> entries; ///< of table
  __tgt_device_image image{};               ///< what the plugin was given instead of the image
  std::vector<__tgt_offload_entry> offered; ///< of image
};

struct PluginFunctions {
  PluginGeneration generation = PluginGeneration::kLaunch;
  uint64_t features = 0; ///< OMPTARGET_PLUGIN_*
  /// True if launch_kernel takes every block as it is. Decided when the plugin is loaded.
  bool launches_as_is = false;
  Guarded<std::vector<std::unique_ptr<AdaptedTable>>> tables;

  // Null if the plugin lacks the function.
#define PLUGIN_REQUIRED(name, check) decltype(&__tgt_rtl_##name) name = nullptr;
#define PLUGIN_OPTIONAL(name, check, without) decltype(&__tgt_rtl_##name) name = nullptr;
#define PLUGIN_OLDER(name, check, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "plugin/plugin_functions.def"

  /// LLVM 18's load_binary, which has another signature under the same name.
  int32_t (*load_device_binary)(int32_t, __tgt_device_image *, DeviceBinary *) = nullptr;
};

/// Returns whether work can be queued: the plugin can wait for a queue, can put copies and kernels into one, and a
/// queue is what the plugin ABI says it is.
bool can_queue_work(const PluginFunctions &functions);
/// The plugin's own words about the last failure in this thread; empty if it has none.
std::string last_error_text(const PluginFunctions &functions);
/// Returns whether all functions of events are there; and all of times.
bool has_all_events(const PluginFunctions &functions);
bool has_all_timing(const PluginFunctions &functions);

} // namespace omptarget
