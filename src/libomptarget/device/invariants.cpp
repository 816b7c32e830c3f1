// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/invariants.h"

#if OMPTARGET_ASSERTIONS

#include <atomic>
#include <cstdlib>

#include "indirect/caller_registry.h"
#include "observe/info.h"

namespace omptarget {

namespace {

/// A table of this size is walked after every construct, one of n times the size after every nth.
constexpr size_t kAlwaysWalked = 1024;

[[noreturn]] void end_with_fault(DeviceId device, const std::string &fault) {
  print_message(format("broken invariant on device %d: %s", raw(device), fault.c_str()));
  std::abort();
}

} // namespace

void end_with_fault(const Device &device, const char *fault) { end_with_fault(device.id(), fault); }

void check_present_data(Device &device) {
  static std::atomic<size_t> constructs{0};
  if (constructs.fetch_add(1, std::memory_order_relaxed) % (device.map().size() / kAlwaysWalked + 1) != 0)
    return;
  if (const std::string fault = device.map().fault(); !fault.empty())
    end_with_fault(device.id(), fault);
}

void check_function_table(DeviceId device, std::span<const FunctionPair> pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    const uint64_t host = pairs[i].host_ptr;
    if (i > 0 && pairs[i - 1].host_ptr >= host)
      end_with_fault(device, format("indirect function %zu does not come after the one before it", i));
    const void *const found = find_device_function(raw(device), reinterpret_cast<const void *>(host));
    if (reinterpret_cast<uint64_t>(found) != pairs[i].tgt_ptr)
      end_with_fault(device, format("indirect function %zu is not found in its table", i));
  }
}

} // namespace omptarget

#endif
