// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data constructs in one line each, on a device of fake_device.h, and where data lie there.
#pragma once

#include "argument_list.h"
#include "fake_device.h"
#include "region/data_update.h"
#include "region/device_work.h"

namespace omptarget::test {

inline MapItem item(void *base, void *begin, int64_t size, uint64_t type, int32_t parent = -1) {
  return {host_ptr(base), host_ptr(begin), size, type, nullptr, 0, parent};
}
inline MapItem item(void *begin, int64_t size, uint64_t type) { return item(begin, begin, size, type); }

inline Status enter(Device &device, MapItems items) {
  DeviceWork work(device);
  OMPTARGET_TRY(work.enter_data(items));
  return work.complete();
}
inline Status exit(Device &device, MapItems items) {
  DeviceWork work(device);
  OMPTARGET_TRY(work.start_exit(items, false));
  return work.complete();
}
inline Status update(Device &device, const MapItems &items) {
  ArgumentList list(items);
  DataUpdate update(device);
  OMPTARGET_TRY(update.start(list.list(), nullptr, true));
  return update.finish();
}

/// The device's counterpart, or null if it is not present.
template <typename T> T *on_device(Device &device, T *host) {
  const Found found = device.map().find(host_ptr(host), sizeof(T));
  return found.is_contained ? static_cast<T *>(raw(found.ref.mapping->target_of(host_ptr(host)))) : nullptr;
}

} // namespace omptarget::test
