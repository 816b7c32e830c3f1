// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing a table of present data (LIBOMPTARGET_INFO 0x04).
#pragma once

namespace omptarget {

class Device;

/// Prints the device's table, if that is wanted. place: "file:line:column" of the construct before it. Any thread.
void print_mapping_table(Device &device, const char *place);

} // namespace omptarget
