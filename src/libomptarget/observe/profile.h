// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_PROFILE: records what happens and writes it at the end. Recording takes two readings of the clock and
// one entry in a buffer of the thread's own per event, and no lock.
#pragma once

#include "observe/construct_events.h"
#include "observe/device_events.h"

namespace omptarget::observe {

/// Reads LIBOMPTARGET_PROFILE; whether anything is to be recorded. The thread that ends the devices has it written.
bool start_profile();

void profile_construct(const ConstructRecord &construct, uint64_t end_ns);
/// known: the fingerprint of the data; 0: not taken yet.
void profile_data_operation(const DataOperationRecord &operation, const WorkTimes &times, const EventContext &context,
                            uint64_t known);
void profile_kernel(const KernelRecord &kernel, const WorkTimes &times, const EventContext &context);
/// Tells unchanged data from changed ones, most of the time: a bounded number of words, spread evenly, is looked at.
/// Not 0, unless there is too little of it.
uint64_t fingerprint(const void *host, int64_t bytes);
void profile_wait(DeviceId device, uint64_t begin_ns, uint64_t end_ns);
void profile_host_fallback(const ident_t *location, const char *kernel, const char *reason);

/// At the end read is asked.
void profile_memory(DeviceId device, ReadDeviceMemory read);

/// Asks it now: the device ends.
void keep_profile_memory(DeviceId device);

/// Writes the profile, once. Other threads may go on recording.
void write_profile();

/// Copies the names of recorded events that lie in this range: its module goes.
void keep_profile_names(uintptr_t begin, uintptr_t end);

} // namespace omptarget::observe
