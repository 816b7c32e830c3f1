// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/device_number.h"

#include <atomic>

#include "host/device.h"

namespace omptarget::host {

namespace {

constinit std::atomic<int32_t> first_device{0};
/// Numbers in the program plus 1; 0: counted from the first one's.
constinit std::atomic<int32_t> numbers[kMostDevices] = {};

} // namespace

void set_first_device_number(int32_t number) { first_device.store(number, std::memory_order_relaxed); }

void set_device_number(int32_t device, int32_t number) { numbers[device].store(number + 1, std::memory_order_relaxed); }

int32_t device_number(int32_t device) {
  const int32_t told = numbers[device].load(std::memory_order_relaxed);
  return told != 0 ? told - 1 : first_device.load(std::memory_order_relaxed) + device;
}

} // namespace omptarget::host
