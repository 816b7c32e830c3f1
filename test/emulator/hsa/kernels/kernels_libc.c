/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An image whose device code uses LLVM's libc for GPUs.
 */
#include "kernels.c"

void *__llvm_libc_rpc_client;
