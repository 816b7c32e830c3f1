// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Telling an OMPT tool. Private to observe/, but for tests.
#pragma once

#include <span>

#include "observe/construct_events.h"
#include "observe/ompt_types.h"

namespace omptarget::observe {

enum class Endpoint : int { kBegin = 1, kEnd = 2 };

/// Each runs the tool's callbacks, if it has registered any; the first with device tracing on writes a record.
void ompt_construct(ConstructRecord &construct, Endpoint endpoint);
void ompt_data_operation(DataOperationRecord &operation, Endpoint endpoint);
void ompt_kernel(KernelRecord &kernel, Endpoint endpoint);
/// Records of device traces, if they are wanted.
void ompt_trace_data_operation(const DataOperationRecord &operation, const WorkTimes &times,
                               const EventContext &context);
void ompt_trace_kernel(const KernelRecord &kernel, const WorkTimes &times, const EventContext &context);
/// How records and plain callbacks name a construct.
uint64_t ompt_target_id(const ConstructRecord &construct);
bool ompt_wants_map_items();
void ompt_map_items(ConstructRecord &construct, std::span<const MappedItem> items);

/// Fetches the tool's callbacks. libomp passes lookup to a library that connects. Returns 0.
int ompt_connect(ompt::Lookup lookup);

/// The functions that a tool finds through the lookup of device_initialize; null for unknown names.
ompt::AnyFunction ompt_device_function(const char *name);

} // namespace omptarget::observe
