// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/devices.h"

#include <pthread.h>

#include "gomp/core.h"
#include "gomp/system_libgomp.h"

namespace omptarget::gomp {

namespace {

/// In a region the default device is the region's own, with this mark. libgomp hands it on to the threads and tasks.
constexpr int kMark = 0x6f000000, kMarkMask = 0x7f000000;

constexpr int kDefault = -1;

} // namespace

int device_count() {
  register_cpu();
  return core::number_of_devices();
}

// libgomp 13 and later have a negative one if they see no device of their own.
int default_device() {
  const int number = system::get_default_device();
  if ((number & kMarkMask) == kMark && number >= 0)
    return number & ~kMarkMask;
  return number < 0 ? 0 : number;
}

int current_device() {
  const int number = system::get_default_device();
  return number >= 0 && (number & kMarkMask) == kMark ? number & ~kMarkMask : kHost;
}

void enter_device(int device) { system::set_default_device(kMark | device); }

int resolve(int device) {
  const int count = device_count();
  const int number = device == kDefault ? default_device() : device;
  if (count == 0 && (device == kDefault || device >= 0))
    return 0; // the core says what that means
  return number >= 0 && number < count ? number : kHost;
}

int resolve_for_routine(int device) {
  const int count = device_count();
  return device == kDefault || device == kHost ? count : device;
}

} // namespace omptarget::gomp
