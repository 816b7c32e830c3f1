// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That the header is complete on its own and C++11 (and strict C11, in the other file).

#include "omptarget/plugin.h"

int omptarget_header_check_cpp();
int omptarget_header_check_cpp() { return OMPTARGET_PLUGIN_ABI_VERSION; }
