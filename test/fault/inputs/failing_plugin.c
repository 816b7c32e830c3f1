// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin that hands every call on to the host plugin, REAL_PLUGIN. It fails the call whose number is in FAIL_CALL, or
// all calls of the function whose name is in FAIL_NAME. At the end it tells how many calls there were, what failed, and
// how many allocations were never given back.

#include "omptarget/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *plugin;
static int calls, allocations;
static const char *failed;

static void *real(const char *name) {
  if (!plugin)
    plugin = dlopen(REAL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void *function = plugin ? dlsym(plugin, name) : NULL;
  if (!function) {
    fprintf(stderr, "no %s: %s\n", name, dlerror());
    exit(99);
  }
  return function;
}

static int fails(const char *name) {
  const char *which = getenv("FAIL_CALL");
  const char *which_name = getenv("FAIL_NAME");
  if (++calls != (which ? atoi(which) : 0) && (!which_name || strcmp(which_name, name) != 0))
    return 0;
  failed = name;
  return 1;
}

__attribute__((destructor)) static void tell(void) {
  fprintf(stderr, "plugin calls %d, failed %s, not freed %d\n", calls, failed ? failed : "none", allocations);
}

#define CALL(name, type, ...) (((type)real("__tgt_rtl_" #name))(__VA_ARGS__))

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) { return CALL(abi, int32_t(*)(__tgt_rtl_abi_info *), info); }
int32_t __tgt_rtl_supports_empty_images(void) { return CALL(supports_empty_images, int32_t(*)(void)); }

size_t __tgt_rtl_last_error(char *buffer, size_t size) {
  if (!failed)
    return CALL(last_error, size_t(*)(char *, size_t), buffer, size);
  const int length = snprintf(buffer, size, "%s fails on purpose", failed);
  return (size_t)length;
}

int32_t __tgt_rtl_number_of_devices(void) {
  return fails("number_of_devices") ? 0 : CALL(number_of_devices, int32_t(*)(void));
}
int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) {
  return fails("is_valid_binary") ? 0 : CALL(is_valid_binary, int32_t(*)(__tgt_device_image *), image);
}
int32_t __tgt_rtl_init_device(int32_t id) {
  return fails("init_device") ? 1 : CALL(init_device, int32_t(*)(int32_t), id);
}
__tgt_target_table *__tgt_rtl_load_binary(int32_t id, __tgt_device_image *image) {
  return fails("load_binary") ? NULL
                              : CALL(load_binary, __tgt_target_table * (*)(int32_t, __tgt_device_image *), id, image);
}
int32_t __tgt_rtl_unload_binary(int32_t id, __tgt_target_table *table) {
  return fails("unload_binary") ? 1 : CALL(unload_binary, int32_t(*)(int32_t, __tgt_target_table *), id, table);
}
void *__tgt_rtl_data_alloc(int32_t id, int64_t size, void *host, int32_t kind) {
  void *memory =
      fails("data_alloc") ? NULL : CALL(data_alloc, void *(*)(int32_t, int64_t, void *, int32_t), id, size, host, kind);
  allocations += memory != NULL;
  return memory;
}
int32_t __tgt_rtl_data_delete(int32_t id, void *memory, int32_t kind) {
  allocations--; // a caller that could not free it once cannot be asked again
  return fails("data_delete") ? 1 : CALL(data_delete, int32_t(*)(int32_t, void *, int32_t), id, memory, kind);
}
int32_t __tgt_rtl_data_submit(int32_t id, void *device, void *host, int64_t size) {
  return fails("data_submit")
             ? 1
             : CALL(data_submit, int32_t (*)(int32_t, void *, void *, int64_t), id, device, host, size);
}
int32_t __tgt_rtl_data_retrieve(int32_t id, void *host, void *device, int64_t size) {
  return fails("data_retrieve")
             ? 1
             : CALL(data_retrieve, int32_t (*)(int32_t, void *, void *, int64_t), id, host, device, size);
}
int32_t __tgt_rtl_launch_kernel(int32_t id, void *entry, void **arguments, ptrdiff_t *offsets, __tgt_kernel_args *block,
                                __tgt_async_info *queue) {
  return fails("launch_kernel")
             ? 1
             : CALL(launch_kernel,
                    int32_t (*)(int32_t, void *, void **, ptrdiff_t *, __tgt_kernel_args *, __tgt_async_info *), id,
                    entry, arguments, offsets, block, queue);
}
int32_t __tgt_rtl_set_function_ptr_map(int32_t id, uint64_t count, __omp_offloading_fptr_map_ty *table) {
  return fails("set_function_ptr_map")
             ? 1
             : CALL(set_function_ptr_map, int32_t (*)(int32_t, uint64_t, __omp_offloading_fptr_map_ty *), id, count,
                    table);
}
