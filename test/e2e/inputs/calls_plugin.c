// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plugin that hands every call on to the host plugin, REAL_PLUGIN. At exit it writes those that constructs have made
// to the file CALLS, one a line, with its size.

#define FUNCTIONS(F)                                                                                                   \
  F(number_of_devices)                                                                                                 \
  F(is_valid_binary) F(init_device) F(load_binary) F(abi) F(last_error) F(unload_binary) F(supports_empty_images)      \
      F(set_function_ptr_map)

#include "forwarding_plugin.h"

enum { kMost = 1 << 20 };
static char text[kMost];
static size_t used;

static void note(const char *name, long long size) {
  used += (size_t)snprintf(text + used, kMost - used, "%s %lld\n", name, size);
  if (used >= kMost)
    abort();
}

__attribute__((destructor)) static void write_calls(void) {
  FILE *file = fopen(getenv("CALLS"), "w");
  if (!file || fwrite(text, 1, used, file) != used || fclose(file) != 0)
    abort();
}

static void *real(const char *name) {
  static void *plugin;
  if (!plugin)
    plugin = dlopen(REAL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  void *function = dlsym(plugin, name);
  if (!function)
    abort();
  return function;
}
static void find_others(void *plugin) { (void)plugin; }

void *__tgt_rtl_data_alloc(int32_t id, int64_t size, void *host, int32_t kind) {
  note("alloc", size);
  return ((void *(*)(int32_t, int64_t, void *, int32_t))real(__func__))(id, size, host, kind);
}
int32_t __tgt_rtl_data_delete(int32_t id, void *block, int32_t kind) {
  note("delete", 0);
  return ((int32_t (*)(int32_t, void *, int32_t))real(__func__))(id, block, kind);
}
int32_t __tgt_rtl_data_submit(int32_t id, void *to, void *from, int64_t size) {
  note("submit", size);
  return ((int32_t (*)(int32_t, void *, void *, int64_t))real(__func__))(id, to, from, size);
}
int32_t __tgt_rtl_data_retrieve(int32_t id, void *to, void *from, int64_t size) {
  note("retrieve", size);
  return ((int32_t (*)(int32_t, void *, void *, int64_t))real(__func__))(id, to, from, size);
}
int32_t __tgt_rtl_launch_kernel(int32_t id, void *kernel, void **arguments, ptrdiff_t *offsets,
                                struct __tgt_kernel_args *args, struct __tgt_async_info *info) {
  note("launch", args->NumArgs);
  return ((int32_t (*)(int32_t, void *, void **, ptrdiff_t *, struct __tgt_kernel_args *,
                       struct __tgt_async_info *))real(__func__))(id, kernel, arguments, offsets, args, info);
}
