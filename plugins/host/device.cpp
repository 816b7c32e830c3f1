// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/device.h"

#include "base/settings.h"

namespace omptarget::host::internal {

constinit std::atomic<int32_t> device_count{0};

int32_t read_device_count() {
  constexpr int64_t kMost = 256;
  const auto wanted = static_cast<int32_t>(setting_in(SettingId::kHostDevices, 1, kMost));
  int32_t unread = 0;
  return device_count.compare_exchange_strong(unread, wanted, std::memory_order_relaxed) ? wanted : unread;
}

} // namespace omptarget::host::internal
