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
  const char *without;
};

inline constexpr const char *kRequiredText = "required";

inline constexpr FunctionRow kFunctions[] = {
    {"number_of_devices", kRequiredText},
    {"is_valid_binary", kRequiredText},
    {"init_device", kRequiredText},
    {"load_binary", kRequiredText},
    {"data_alloc", kRequiredText},
    {"data_delete", kRequiredText},
    {"data_submit", kRequiredText},
    {"data_retrieve", kRequiredText},
    {"launch_kernel", "required; plugins of LLVM 14 and 15 have run_target_region instead"},
    {"init_plugin", "nothing is called"},
    {"deinit_plugin", "nothing is called"},
    {"deinit_device", "nothing is called"},
    {"is_valid_binary_info", "is_valid_binary decides, architectures are not told"},
    {"is_device_compatible", "every device is taken to run what is_valid_binary accepts"},
    {"init_requires", "the plugin does not know the program's requires directives"},
    {"supports_empty_images", "images without entries are not offered"},
    {"data_submit_async", "copies are complete on return"},
    {"data_retrieve_async", "copies are complete on return"},
    {"synchronize", "nothing is queued"},
    {"query_async", "synchronize is used"},
    {"init_async_info", "interop objects have no queue"},
    {"release_async_info", "interop queues are not released"},
    {"is_data_exchangable", "copies between devices go by way of the host"},
    {"data_exchange", "copies between devices go by way of the host"},
    {"data_exchange_async", "copies between devices are complete on return"},
    {"create_event", "the host waits instead"},
    {"record_event", "the host waits instead"},
    {"wait_event", "the host waits instead"},
    {"sync_event", "the host waits instead"},
    {"destroy_event", "the host waits instead"},
    {"data_lock", "memory is not pinned; llvm_omp_target_lock_mem returns null"},
    {"data_unlock", "memory is not pinned"},
    {"data_notify_mapped", "the plugin does not learn which memory is mapped"},
    {"data_notify_unmapped", "the plugin does not learn which memory is mapped"},
    {"use_auto_zero_copy", "data is copied"},
    {"set_info_flag", "only the host library prints information"},
    {"set_device_offset", "the plugin does not know its devices' numbers"},
    {"print_device_info", "nothing is printed"},
    {"init_device_info", "interop objects have no native handles"},
    {"set_function_ptr_map", "indirect functions are not translated on the device"},
    {"abi", "the generation is guessed from what is exported"},
    {"last_error", "failures carry a number only"},
    {"unload_binary", "images stay loaded"},
    {"device_arch", "messages do not say what the device is"},
    {"device_uid", "omp_get_uid_from_device has nothing of the plugin's"},
    {"data_fill", "a filled host buffer is copied"},
    {"memory_statistics", "profiles do not tell how device memory was used"},
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
