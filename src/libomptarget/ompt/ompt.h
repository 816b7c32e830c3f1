// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OMPT tools: their callbacks, and the records of device traces.
#pragma once

#include "observe/listener_table.h"
#include "ompt/ompt_types.h"

namespace omptarget::observe {

/// Runs the callbacks that the tool has registered. With device tracing on, it writes records.
extern const Listener ompt_listener;

/// To be called before a device is initialised or a region is left to the host; only the first call does something: it
/// connects to an OMPT tool through libomp, which must not be in the middle of its own initialisation.
/// initial_device(): the host's number, asked later. before_end(): called once libomp ends, while the tool can still be
/// told of devices.
void connect_tool(int32_t (*initial_device)(), void (*before_end)());
/// Returns whether an OMPT tool is connected.
bool has_tool();

/// Fetches the tool's callbacks. libomp passes lookup to a library that connects. Returns 0.
int ompt_connect(ompt::Lookup lookup);

/// The functions that a tool finds through the lookup of device_initialize; null for unknown names.
ompt::AnyFunction ompt_device_function(const char *name);

} // namespace omptarget::observe
