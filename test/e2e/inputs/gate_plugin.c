// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin that hands every call on to the host plugin, REAL_PLUGIN, but for one place. The first thread that comes
// there tells the program and waits for it: GATE_AT=load in load_binary; GATE_AT=count in number_of_devices, which is 0
// then, so that the next plugin is tried.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // RTLD_DEFAULT, in glibc before 2.34
#endif
#define FUNCTIONS(F)                                                                                                   \
  F(is_valid_binary) F(init_device) F(data_alloc) F(data_delete) F(data_submit) F(data_retrieve) F(launch_kernel) \
  F(abi) F(last_error) F(supports_empty_images)

#include "forwarding_plugin.h"

static int (*real_devices)(void);
static __tgt_target_table *(*real_load)(int32_t, __tgt_device_image *);
static int (*real_unload)(int32_t, __tgt_target_table *);
static void (*gate)(void);
static int passed, loaded;

static void find_others(void *plugin) {
  real_devices = (int (*)(void))dlsym(plugin, "__tgt_rtl_number_of_devices");
  real_load = (__tgt_target_table * (*)(int32_t, __tgt_device_image *))dlsym(plugin, "__tgt_rtl_load_binary");
  real_unload = (int (*)(int32_t, __tgt_target_table *))dlsym(plugin, "__tgt_rtl_unload_binary");
  gate = (void (*)(void))dlsym(RTLD_DEFAULT, "wait_at_gate");
}

static void pass(const char *where) {
  if (strcmp(getenv("GATE_AT"), where) == 0 && !__atomic_exchange_n(&passed, 1, __ATOMIC_SEQ_CST))
    gate();
}

int32_t __tgt_rtl_number_of_devices(void) {
  pass("count");
  return strcmp(getenv("GATE_AT"), "count") == 0 ? 0 : real_devices();
}

__tgt_target_table *__tgt_rtl_load_binary(int32_t id, __tgt_device_image *image) {
  pass("load");
  __tgt_target_table *const table = real_load(id, image);
  __atomic_fetch_add(&loaded, table != NULL, __ATOMIC_SEQ_CST);
  return table;
}

int32_t __tgt_rtl_unload_binary(int32_t id, __tgt_target_table *table) {
  __atomic_fetch_sub(&loaded, 1, __ATOMIC_SEQ_CST);
  return real_unload(id, table);
}

/// How many images are loaded.
int gate_loaded_images(void) { return __atomic_load_n(&loaded, __ATOMIC_SEQ_CST); }
