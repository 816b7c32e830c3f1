// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_CHECK=mapping: notes on stderr about map clauses that OpenMP allows, and that programs seldom mean.
#pragma once

#include "mapping/plan.h"

namespace omptarget {

class Device;

/// Returns whether notes are wanted. Any thread.
bool notes_mapping();

/// Notes what the construct leaves as it is, since it is not mapped, or not the whole of it (OpenMP 5.2, sections 5.8.3
/// and 14.6). construct: its directive. Any thread.
void note_absent(Device &device, const char *construct, const MapItems &items);

/// Notes at a device's end which data have been entered more often than left.
void note_never_released(Device &device);

} // namespace omptarget
