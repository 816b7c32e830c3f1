// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of one plugin as they were found, and what was concluded from them: which generation of the plugin ABI
// it was built for. Private to src/plugin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
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

/// What __tgt_rtl_get_global and __tgt_rtl_get_function of LLVM 18 take.
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
  /// Whether launch_kernel takes every block as it is; decided when the plugin is loaded.
  bool launches_as_is = false;
  Guarded<std::vector<std::unique_ptr<AdaptedTable>>> tables;

#define OMPTARGET_PLUGIN_SLOT(name) decltype(&__tgt_rtl_##name) name = nullptr;
  // Required in every generation.
  OMPTARGET_PLUGIN_SLOT(number_of_devices)
  OMPTARGET_PLUGIN_SLOT(is_valid_binary)
  OMPTARGET_PLUGIN_SLOT(init_device)
  OMPTARGET_PLUGIN_SLOT(load_binary)
  OMPTARGET_PLUGIN_SLOT(data_alloc)
  OMPTARGET_PLUGIN_SLOT(data_delete)
  OMPTARGET_PLUGIN_SLOT(data_submit)
  OMPTARGET_PLUGIN_SLOT(data_retrieve)
  // Required except for kRegion.
  OMPTARGET_PLUGIN_SLOT(launch_kernel)
  // Optional; null if the plugin lacks them.
  OMPTARGET_PLUGIN_SLOT(init_plugin)
  OMPTARGET_PLUGIN_SLOT(deinit_plugin)
  OMPTARGET_PLUGIN_SLOT(deinit_device)
  OMPTARGET_PLUGIN_SLOT(is_valid_binary_info)
  OMPTARGET_PLUGIN_SLOT(init_requires)
  OMPTARGET_PLUGIN_SLOT(supports_empty_images)
  OMPTARGET_PLUGIN_SLOT(data_submit_async)
  OMPTARGET_PLUGIN_SLOT(data_retrieve_async)
  OMPTARGET_PLUGIN_SLOT(synchronize)
  OMPTARGET_PLUGIN_SLOT(query_async)
  OMPTARGET_PLUGIN_SLOT(init_async_info)
  OMPTARGET_PLUGIN_SLOT(release_async_info)
  OMPTARGET_PLUGIN_SLOT(is_data_exchangable)
  OMPTARGET_PLUGIN_SLOT(data_exchange)
  OMPTARGET_PLUGIN_SLOT(data_exchange_async)
  OMPTARGET_PLUGIN_SLOT(create_event)
  OMPTARGET_PLUGIN_SLOT(record_event)
  OMPTARGET_PLUGIN_SLOT(wait_event)
  OMPTARGET_PLUGIN_SLOT(sync_event)
  OMPTARGET_PLUGIN_SLOT(destroy_event)
  OMPTARGET_PLUGIN_SLOT(data_lock)
  OMPTARGET_PLUGIN_SLOT(data_unlock)
  OMPTARGET_PLUGIN_SLOT(data_notify_mapped)
  OMPTARGET_PLUGIN_SLOT(data_notify_unmapped)
  OMPTARGET_PLUGIN_SLOT(use_auto_zero_copy)
  OMPTARGET_PLUGIN_SLOT(set_info_flag)
  OMPTARGET_PLUGIN_SLOT(set_device_offset)
  OMPTARGET_PLUGIN_SLOT(print_device_info)
  OMPTARGET_PLUGIN_SLOT(init_device_info)
  OMPTARGET_PLUGIN_SLOT(set_function_ptr_map)
  OMPTARGET_PLUGIN_SLOT(abi)
  OMPTARGET_PLUGIN_SLOT(last_error)
  OMPTARGET_PLUGIN_SLOT(unload_binary)
  OMPTARGET_PLUGIN_SLOT(is_device_compatible)
  OMPTARGET_PLUGIN_SLOT(device_arch)
  OMPTARGET_PLUGIN_SLOT(device_uid)
  OMPTARGET_PLUGIN_SLOT(data_fill)
  OMPTARGET_PLUGIN_SLOT(memory_statistics)
#undef OMPTARGET_PLUGIN_SLOT

  // LLVM 14 and 15; the _async ones are optional.
  int32_t (*run_target_region)(int32_t, void *, void **, ptrdiff_t *, int32_t) = nullptr;
  int32_t (*run_target_team_region)(int32_t, void *, void **, ptrdiff_t *, int32_t, int32_t, int32_t,
                                    uint64_t) = nullptr;
  int32_t (*run_target_region_async)(int32_t, void *, void **, ptrdiff_t *, int32_t, __tgt_async_info *) = nullptr;
  int32_t (*run_target_team_region_async)(int32_t, void *, void **, ptrdiff_t *, int32_t, int32_t, int32_t, uint64_t,
                                          __tgt_async_info *) = nullptr;
  // LLVM 18.
  int32_t (*load_device_binary)(int32_t, __tgt_device_image *, DeviceBinary *) = nullptr;
  int32_t (*get_global)(DeviceBinary, uint64_t, const char *, void **) = nullptr;
  int32_t (*get_function)(DeviceBinary, const char *, void **) = nullptr;
  // LLVM 17 and 18 only; never called, tells the generation.
  void *initialize_record_replay = nullptr;
};

/// Whether work can be queued: the plugin can wait for a queue, can put copies and kernels into one, and a queue is
/// what the plugin ABI says it is.
bool can_queue_work(const PluginFunctions &functions);
/// The plugin's own words about the last failure in this thread; empty if it has none.
std::string last_words(const PluginFunctions &functions);
/// Whether all functions of events are there.
bool has_all_events(const PluginFunctions &functions);

} // namespace omptarget
