/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Four target regions as a compiler would make them, with an image that fake plugins take; prints where they ran.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omptarget/compiler.h"

/* In the place of libomp, which is not needed otherwise. */
__attribute__((visibility("default"))) int __kmpc_get_target_offload(void) {
  const char *policy = getenv("OMP_TARGET_OFFLOAD");
  return strcmp(policy, "DISABLED") == 0 ? 0 : strcmp(policy, "MANDATORY") == 0 ? 2 : 1;
}

static char region_id;
static char variable[4];

int main(void) {
  static char bytes[8] = "FAKE";
  static char kernel_name[] = "kernel";
  static char variable_name[] = "variable";
  __tgt_offload_entry entries[2] = {{&region_id, kernel_name, 0, 0, 0}, {variable, variable_name, 4, 0, 0}};
  __tgt_device_image image = {bytes, bytes + sizeof bytes, entries, entries + 2};
  __tgt_bin_desc module = {1, &image, entries, entries + 2};
  __tgt_register_lib(&module);
  int on_device = 0;
  for (int i = 0; i < 4; ++i) {
    int64_t data = i;
    void *pointer = &data;
    int64_t size = sizeof data;
    int64_t kind = 0x23; /* tofrom, an argument of the kernel */
    __tgt_kernel_args args = {0};
    args.Version = 1; /* clang 15: 2 would need an image that says by which clang */
    args.NumArgs = 1;
    args.ArgBasePtrs = &pointer;
    args.ArgPtrs = &pointer;
    args.ArgSizes = &size;
    args.ArgTypes = &kind;
    on_device += __tgt_target_kernel(NULL, -1, -1, 0, &region_id, &args) == 0;
  }
  printf("%d of 4 on a device\n", on_device);
  return 0;
}
