/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * That the header is complete on its own and strict C11 (and C++, in the other file).
 */
#include "omptarget/plugin.h"

int omptarget_header_check_c(void);
int omptarget_header_check_c(void) { return OMPTARGET_PLUGIN_ABI_VERSION; }
