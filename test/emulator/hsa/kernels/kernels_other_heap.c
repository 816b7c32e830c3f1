/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image whose device runtime describes malloc's memory in a way that nobody knows.
 */
struct {
  void *memory, *end, *free;
} __omp_rtl_device_memory_pool;
