// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device traces of OMPT: records of constructs, data operations and kernels in buffers of the tool's (OpenMP 5.1,
// section
// 4.2.4 and 4.4.2). Private to observe/.
#pragma once

#include "ompt/ompt_types.h"

namespace omptarget::observe {

/// Returns the device handle that the device_initialize callback passes to the tool.
void *trace_handle(int device);

/// Returns whether the device's trace takes records of this callback (plain form's number).
bool traces_record(int device, int callback);

/// Appends a record; may call the tool's buffer callbacks on this thread, with no lock held.
void add_trace_record(int device, const ompt::Record &record);

/// Delivers what is buffered and stops: the device ends.
void end_trace(int device);

/// The functions for tools by name, or null.
ompt::AnyFunction trace_function(const char *name);

} // namespace omptarget::observe
