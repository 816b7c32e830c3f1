/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * moving_program FOLDER: goes to the folder before its first call of the runtime, then prints how many devices there
 * are.
 */
#include <stdio.h>
#include <unistd.h>

#include "omptarget/compiler.h"

int omp_get_num_devices(void);

/* In the place of libomp, which is not needed otherwise. */
__attribute__((visibility("default"))) int __kmpc_get_target_offload(void) { return 1; }

int main(int argc, char **argv) {
  static char bytes[8] = "FAKE";
  static char kernel_name[] = "kernel";
  static char region_id;
  __tgt_offload_entry entry = {&region_id, kernel_name, 0, 0, 0};
  __tgt_device_image image = {bytes, bytes + sizeof bytes, &entry, &entry + 1};
  __tgt_bin_desc module = {1, &image, &entry, &entry + 1};
  __tgt_register_lib(&module);
  if (argc != 2 || chdir(argv[1]) != 0)
    return 2;
  printf("%d devices", omp_get_num_devices());
  return 0;
}
