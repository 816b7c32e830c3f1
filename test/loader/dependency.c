/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A library that a plugin needs, and that has functions which only count if they are the plugin's own.
 */
#include <stdint.h>
int dependency_function(void) { return 1; }
int32_t __tgt_rtl_data_submit(int32_t ID, void *target, void *host, int64_t size) { return 0; }
void __tgt_rtl_print_device_info(int32_t ID) {}
