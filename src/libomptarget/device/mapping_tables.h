// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of a table of present data: all of it (LIBOMPTARGET_INFO 0x04), and what takes the most memory.
#pragma once

#include <string>

namespace omptarget {

class Device;

/// Prints the device's table, if that is wanted. place: "file:line:column" of the construct before it. Any thread.
void print_mapping_table(Device &device, const char *place);

/// "device 0 has 1.20 MB of mapped data in 2 mappings, the largest: ...", and what the plugin tells of its memory.
/// Nothing may be held.
std::string mapped_memory_text(Device &device);

} // namespace omptarget
