// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin that hands every call on to the host plugin, REAL_PLUGIN, and records the tables of indirect functions. With
// -DWITHOUT_MAP it has no function for these.

#define FUNCTIONS(F)                                                                                                   \
  F(number_of_devices) F(is_valid_binary) F(init_device) F(load_binary) F(data_alloc) F(data_delete) F(data_submit)    \
  F(data_retrieve) F(launch_kernel) F(abi) F(last_error) F(unload_binary) F(supports_empty_images)

#include "forwarding_plugin.h"

static int (*real_map)(int32_t, uint64_t, __omp_offloading_fptr_map_ty *);

struct recorded {
  uint64_t count;
  uint64_t calls;
  __omp_offloading_fptr_map_ty *table;
} recorded[4];

static void find_others(void *plugin) {
  real_map =
      (int (*)(int32_t, uint64_t, __omp_offloading_fptr_map_ty *))dlsym(plugin, "__tgt_rtl_set_function_ptr_map");
}

#ifndef WITHOUT_MAP
int32_t __tgt_rtl_set_function_ptr_map(int32_t id, uint64_t count, __omp_offloading_fptr_map_ty *table) {
  struct recorded *record = &recorded[id];
  free(record->table);
  record->table = malloc(count * sizeof *table + 1);
  memcpy(record->table, table, count * sizeof *table);
  record->count = count;
  record->calls++;
  return real_map(id, count, table);
}
#endif
