/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plugin that does what FAULTY_PLUGIN in the environment says: "init_plugin crashes", "constructor exits",
 * "init_device hangs".
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omptarget/plugin.h"

static void come_to(const char *place) {
  const char *const fault = getenv("FAULTY_PLUGIN");
  const size_t length = strlen(place);
  if (!fault || strncmp(fault, place, length) != 0 || fault[length] != ' ')
    return;
  const char *const what = fault + length + 1;
  if (strcmp(what, "crashes") == 0)
    raise(SIGSEGV);
  if (strcmp(what, "exits") == 0)
    _exit(0);
  while (strcmp(what, "hangs") == 0)
    pause();
}

__attribute__((constructor)) static void construct(void) { come_to("constructor"); }
int32_t __tgt_rtl_init_plugin(void) {
  come_to("init_plugin");
  return 0;
}
int32_t __tgt_rtl_number_of_devices(void) {
  come_to("number_of_devices");
  return 1;
}
int32_t __tgt_rtl_init_device(int32_t ID) {
  come_to("init_device");
  return 0;
}
int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) { return 0; }
__tgt_target_table *__tgt_rtl_load_binary(int32_t ID, __tgt_device_image *image) { return NULL; }
void *__tgt_rtl_data_alloc(int32_t ID, int64_t size, void *host, int32_t kind) { return NULL; }
int32_t __tgt_rtl_data_submit(int32_t ID, void *target, void *host, int64_t size) { return -1; }
int32_t __tgt_rtl_data_retrieve(int32_t ID, void *host, void *target, int64_t size) { return -1; }
int32_t __tgt_rtl_data_delete(int32_t ID, void *pointer, int32_t kind) { return -1; }
int32_t __tgt_rtl_launch_kernel(int32_t ID, void *kernel, void **arguments, ptrdiff_t *offsets, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  return -1;
}
