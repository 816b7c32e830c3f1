// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/device.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget::host {

namespace internal {
constinit std::atomic<int32_t> device_count{0};
constinit std::atomic<DeviceDomain *const *> domains{nullptr};
constinit std::atomic<AllocationTraces *> allocation_traces{nullptr};
} // namespace internal

namespace {

constexpr int32_t kDefault = 4;

/// The devices are the machine's NUMA domains; nothing is done if they cannot be read. Returns their number.
int32_t make_domains() {
  Result<std::vector<NumaDomain>> read = read_numa_domains(kNumaFolder, allowed_cpus());
  if (!read.is_ok()) {
    warn_about_setting(SettingId::kHostDevices, read.take_status().to_string() + "; the CPU is one device");
    return 1;
  }
  static auto *const all = new std::vector<DeviceDomain *>; // never destroyed
  for (NumaDomain &domain : read.value()) {
    if (all->size() == static_cast<size_t>(kMostDevices))
      break;
    OMPTARGET_TRACE(Topic::kDevice, "device %zu of the CPU is NUMA domain %d: %zu CPU(s), first %d%s", all->size(),
                    domain.number, domain.cpus.size(), domain.cpus[0], domain.has_memory ? "" : ", no memory");
    all->push_back(new DeviceDomain(std::move(domain)));
  }
  internal::domains.store(all->data(), std::memory_order_release);
  return static_cast<int32_t>(all->size());
}

int32_t choose_devices() {
  const char *const text = setting_text(SettingId::kHostDevices);
  if (!text)
    return kDefault;
  if (std::strcmp(text, "numa") == 0)
    return make_domains();
  char *end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (*end == '\0' && number >= 1 && number <= kMostDevices)
    return static_cast<int32_t>(number);
  warn_about_setting(SettingId::kHostDevices,
                     format("'%s' is neither a number from 1 to %d nor numa; the default %d is used",
                            shown_value(text).c_str(), kMostDevices, kDefault));
  return kDefault;
}

} // namespace

int32_t internal::read_device_count() {
  static std::once_flag once;
  std::call_once(once, [] { device_count.store(choose_devices(), std::memory_order_release); });
  return device_count.load(std::memory_order_relaxed);
}

void prepare_allocation_traces() {
  static AllocationTraces *const made =
      setting_flag(SettingId::kTrackAllocations) ? new AllocationTraces(true) : nullptr; // never destroyed
  internal::allocation_traces.store(made, std::memory_order_release);
}

} // namespace omptarget::host
