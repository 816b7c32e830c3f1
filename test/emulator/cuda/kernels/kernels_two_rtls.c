/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   An image in which nvlink has put objects with LLVM's device RTL beside omptarget's. */

const char __omptarget_device_rtl = 19;
long __omp_rtl_device_memory_pool_tracker;

void kernel(void) {}
