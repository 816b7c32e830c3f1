// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_CHECK=mapping: notes on stderr about map clauses that OpenMP allows, and that programs seldom mean.
#pragma once

#include <map>
#include <string>

#include "mapping/copies.h"

namespace omptarget {

class Device;

/// Texts of data by where they begin on the host.
using DataNames = std::map<HostPtr, std::string>;

/// The variable as the compiler names it, or else the place of the data, for messages.
std::string mapped_data_text(const char *name, HostPtr begin, int64_t size);

/// Notes items that the running construct leaves alone (OpenMP 5.2, sections 5.8.3 and 14.6). They are not mapped, or
/// only in part. Any thread.
void note_absent(Device &device, const MapItems &items);

/// Notes data that go beyond the block of the host's memory in which they begin, if libomptarget-heap.so knows it.
/// Called before they are copied. Any thread.
void note_beyond_block(DeviceId device, const char *name, HostPtr begin, int64_t size);

/// Adds the names of data that have not been released so far: a module that has them goes, and the data may be released
/// later.
void keep_names(Device &device, DataNames &names);

/// Notes at a device's end which data have been entered more often than left. names: those that were kept.
void note_never_released(Device &device, const DataNames &names);

} // namespace omptarget
