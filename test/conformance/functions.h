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
  const char *without; ///< what becomes of programs; null: only plugins of LLVM have it
};

inline constexpr const char *kRequiredText = "required";

// clang-format off
inline constexpr FunctionRow kFunctions[] = {
    {"number_of_devices", "loading", kRequiredText},
    {"is_valid_binary", "matching", kRequiredText},
    {"init_device", "memory", kRequiredText},
    {"load_binary", "images", kRequiredText},
    {"data_alloc", "memory", kRequiredText},
    {"data_delete", "memory", kRequiredText},
    {"data_submit", "copies", kRequiredText},
    {"data_retrieve", "copies", kRequiredText},
    {"launch_kernel", "kernels", "required; plugins of LLVM 14 and 15 have run_target_region instead"},
    {"init_plugin", "loading", "nothing is called"},
    {"deinit_plugin", "ending", "nothing is called"},
    {"deinit_device", "ending", "nothing is called"},
    {"is_valid_binary_info", "matching", "is_valid_binary decides, architectures are not told"},
    {"is_device_compatible", "matching", "every device is taken to run what is_valid_binary accepts"},
    {"init_requires", "memory", "the plugin does not know the program's requires directives"},
    {"supports_empty_images", "information", "images without entries are not offered"},
    {"data_submit_async", "queues", "copies are complete on return"},
    {"data_retrieve_async", "queues", "copies are complete on return"},
    {"synchronize", "queues", "nothing is queued"},
    {"query_async", "queues", "synchronize is used"},
    {"init_async_info", "queues", "interop objects have no queue"},
    {"release_async_info", "queues", "interop queues are not released"},
    {"is_data_exchangable", "exchange", "copies between devices go by way of the host"},
    {"data_exchange", "exchange", "copies between devices go by way of the host"},
    {"data_exchange_async", "exchange", "copies between devices are complete on return"},
    {"create_event", "events", "the host waits instead"},
    {"record_event", "events", "the host waits instead"},
    {"wait_event", "events", "the host waits instead"},
    {"sync_event", "events", "the host waits instead"},
    {"destroy_event", "events", "the host waits instead"},
    {"data_lock", "pinning", "memory is not pinned; llvm_omp_target_lock_mem returns null"},
    {"data_unlock", "pinning", "memory is not pinned"},
    {"data_notify_mapped", "mapped", "the plugin does not learn which memory is mapped"},
    {"data_notify_unmapped", "mapped", "the plugin does not learn which memory is mapped"},
    {"use_auto_zero_copy", "information", "data is copied"},
    {"set_info_flag", "information", "only the host library prints information"},
    {"set_device_offset", "information", "the plugin does not know its devices' numbers"},
    {"print_device_info", "information", "nothing is printed"},
    {"init_device_info", "information", "interop objects have no native handles"},
    {"set_function_ptr_map", "functions", "indirect functions are not translated on the device"},
    {"abi", "loading", "the generation is guessed from what is exported"},
    {"last_error", "errors", "failures carry a number only"},
    {"unload_binary", "unloading", "images stay loaded"},
    {"device_arch", "information", "messages do not say what the device is"},
    {"device_uid", "information", "omp_get_uid_from_device has nothing of the plugin's"},
    {"memory_statistics", "information", "profiles do not tell how device memory was used"},
    {"data_fill", "fill", "a filled host buffer is copied"},
};
// clang-format on

/// What other generations have instead.
inline constexpr FunctionRow kOlderFunctions[] = {
    {"run_target_region", "kernels", nullptr},
    {"run_target_team_region", "kernels", nullptr},
    {"run_target_region_async", "kernels", nullptr},
    {"run_target_team_region_async", "kernels", nullptr},
    {"get_global", "images", nullptr},
    {"get_function", "images", nullptr},
};

/// What the plugin exports itself, without __tgt_rtl_. Empty if it cannot be read.
inline std::set<std::string> exported_functions(const std::string &path) {
  Result<std::set<std::string>> functions = read_plugin_functions(path);
  if (functions.is_ok())
    return functions.value();
  functions.take_status().consume();
  return {};
}

} // namespace omptarget::check
