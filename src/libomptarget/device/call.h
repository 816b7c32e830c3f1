// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call of an entry point, and the device that the call is for.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "device/device.h"
#include "device/libomp.h"
#include "device/runtime.h"
#include "mapping/map_type.h"
#include "omptarget/types.h"

namespace omptarget {

/// A call of an entry point. Lives as long as the call.
struct Call {
  const char *construct;   ///< in the words of the specification: "target enter data"
  const ident_t *location; ///< may be null
  int64_t device_number;   ///< as given; -1: the default device
  const void *code;        ///< return address in the user's code
  bool is_nowait = false;  ///< called in a target task: the entry point may return before the work is done
};

/// The device that a construct with this device number runs on, ready for use; null: the host (offloading is disabled,
/// there are no devices, the number is that of the initial device, or the device has ended). Fails for numbers out of
/// range, and without devices under OMP_TARGET_OFFLOAD=MANDATORY. Any thread; may load plugins and images. OpenMP 5.2,
/// sections 13.2 and 21.2.9.
Result<DeviceUse> device_for(int64_t device_number);

/// The same device if nothing is left to do before it is used; null: ask device_for.
inline DeviceUse ready_device_for(int64_t device_number) {
  if (device_number == raw(DeviceId::kDefault))
    device_number = libomp::default_device_of_user();
  else
    libomp::note_user();
  Device *const device = Runtime::get().prepared_device(device_number);
  return device ? DeviceUse(*device) : DeviceUse();
}

/// Returns the device of that number if it has ended, else null. The construct then cannot use its data
/// (ended_device.h). Any thread.
Device *ended_device_for(int64_t device_number);

/// Source position of an ident_t, which owns the text; empty if the program was compiled without.
struct SourcePosition {
  const char *file = nullptr;
  int file_length = 0;
  int line = 0;
  int column = 0;
  explicit operator bool() const { return file != nullptr; }
};
SourcePosition source_position(const ident_t *location);
/// Returns the construct with its source position, as messages name it: "target update at a.c:3:1".
std::string place_of(const Call &call);

} // namespace omptarget
