// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_INFO in LLVM 19's words (docs/use/observing.md): one function per kind of line; each asks for its bit
// itself.
#pragma once

#include "observe/construct_events.h"

namespace omptarget::observe {

void print_arguments(const ConstructFacts &facts, const ConstructArguments &arguments);
void print_mapping_entered(DeviceId device, const MappingFacts &facts, CountChange change, bool is_hold,
                           bool is_implicit);
void print_mapping_released(DeviceId device, const MappingFacts &facts, CountChange change, bool is_hold);
void print_mapping_on_host(DeviceId device, HostPtr begin, int64_t size);
void print_mapping_created(DeviceId device, const MappingFacts &facts, DevicePtr allocation);
void print_mapping_removed(DeviceId device, const MappingFacts &facts);
void print_mapping_missing(DeviceId device, const char *name);
void print_copy(const DataOperationFacts &facts);

} // namespace omptarget::observe
