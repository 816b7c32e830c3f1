// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing the tables of present data (LIBOMPTARGET_INFO 0x04).
#pragma once

#include "omptarget/types.h"

namespace omptarget {

class Device;

/// Prints the tables of all devices, if that is wanted, after the construct at location (may be null). Any thread.
void print_mapping_tables(const ident_t *location);

/// The same for one device, when it ends.
void print_mapping_table_at_end(Device &device);

} // namespace omptarget
