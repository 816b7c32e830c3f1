// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of a plugin and what they have in common: their numbers, the program's requirements, that the process was
// forked.
#pragma once

#include <atomic>
#include <cstdint>

#include "gpu/vendor.h"
#include "omptarget/plugin.h"

namespace omptarget::gpu {

namespace devices_internal {
extern std::atomic<const Devices *> all; ///< null before the first use
extern std::atomic<bool> was_forked;
extern std::atomic<int64_t> requirements;
} // namespace devices_internal

/// Opens the driver at first use. Any thread. Never destroyed: other threads may be inside when the process ends.
Devices &devices();
int32_t number_of_devices();
/// For Vendor::find_devices: of the driver's GPUs, this one (from 0) cannot be read. A failure if it is the only one;
/// otherwise a warning is printed, and the others are the plugin's devices.
Status leave_out(int32_t number, int32_t count, Status why);
/// Null if there is none of this number.
inline Device *find_device(int32_t id) {
  const Devices *all = devices_internal::all.load(std::memory_order_acquire);
  if (!all) [[unlikely]]
    all = &devices();
  return static_cast<uint32_t>(id) < all->size() ? (*all)[static_cast<uint32_t>(id)].get() : nullptr;
}

/// Drivers do not work in a child of a process that used them; their threads are not there.
inline bool is_forked() { return devices_internal::was_forked.load(std::memory_order_relaxed); }

/// The number of a device in the program: that of the first one plus its own.
void set_device_offset(int32_t first);
int32_t device_offset();
/// Calls functions of the program's for device code; null: the host library has none.
void set_host_call(__tgt_host_call call);
__tgt_host_call host_call();
/// Mask of the program's requires directives.
void set_requirements(int64_t mask);
inline bool uses_unified_shared_memory() {
  return (devices_internal::requirements.load(std::memory_order_relaxed) & OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY) !=
         0;
}

} // namespace omptarget::gpu
