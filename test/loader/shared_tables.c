/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The null plugin with one defect: its devices share a table of indirect functions. FAKE_DEFECT_FIRST_TABLE: every
 * device uses that of device 0. FAKE_DEFECT_LAST_TABLE: every device uses the one that was set last.
 */
#define __tgt_rtl_set_function_ptr_map set_own_table
#include "null_plugin.c"
#undef __tgt_rtl_set_function_ptr_map

OMPTARGET_PLUGIN_API int32_t __tgt_rtl_set_function_ptr_map(int32_t ID, uint64_t count,
                                                            __omp_offloading_fptr_map_ty *table) {
#if defined(FAKE_DEFECT_FIRST_TABLE)
  if (ID != 0)
    return 0;
#endif
  int32_t result = 0;
  for (int32_t device = 0; device < device_count && result == 0; ++device)
    result = set_own_table(device, count, table);
  return result;
}
