// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin that hands every call on to the host plugin, REAL_PLUGIN, and takes the table of indirect functions. It has
// no addresses for entries of indirect functions, as if it knew dynamic symbols only.

#define FUNCTIONS(F)                                                                                                   \
  F(number_of_devices) F(is_valid_binary) F(init_device) F(data_alloc) F(data_delete) F(data_submit) F(data_retrieve)  \
  F(launch_kernel) F(abi) F(last_error) F(unload_binary) F(supports_empty_images) F(set_function_ptr_map)

#include "forwarding_plugin.h"

static __tgt_target_table *(*real_load)(int32_t, __tgt_device_image *);

static void find_others(void *plugin) {
  real_load = (__tgt_target_table * (*)(int32_t, __tgt_device_image *)) dlsym(plugin, "__tgt_rtl_load_binary");
}

__tgt_target_table *__tgt_rtl_load_binary(int32_t id, __tgt_device_image *image) {
  __tgt_target_table *table = real_load(id, image);
  if (table)
    for (__tgt_offload_entry *entry = table->EntriesBegin; entry != table->EntriesEnd; entry++)
      if (entry->flags & OMPTARGET_ENTRY_INDIRECT)
        entry->addr = 0;
  return table;
}
