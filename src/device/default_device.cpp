// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/default_device.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/format.h"
#include "base/log.h"
#include "base/settings.h"
#include "device/libomp.h"
#include "device/runtime.h"
#include "observe/info.h"
#include "plugin/device_numbering.h"

namespace omptarget {

namespace {

constexpr const char *kStandardVariable = "OMP_DEFAULT_DEVICE";

/// The text of OMP_DEFAULT_DEVICE if it names a device by its traits (OpenMP 6.0, section 4.3.8), or null. Numbers are the
/// host runtime's affair.
const char *wanted_traits() {
  const char *const text = std::getenv(kStandardVariable);
  return text && std::strchr(text, '(') ? text : nullptr;
}

/// Makes the first device that has the traits the default one.
void choose_by_traits(const char *text) {
  std::vector<DeviceTraits> traits;
  for (int32_t i = 0; const Device *const device = Runtime::get().known_device(i); ++i)
    traits.push_back(traits_of({&device->plugin(), device->local_id()}));
  Result<std::vector<size_t>> selected = select_devices(text, traits);
  if (!selected.is_ok())
    print_message(format("%s: '%s' names no device: %s", kStandardVariable, text, selected.take_status().to_string().c_str()));
  else if (selected.value().empty())
    print_message(format("%s: none of the %zu device(s) is '%s'", kStandardVariable, traits.size(), text));
  else if (const auto number = static_cast<int32_t>(selected.value()[0]); !libomp::set_default_device(number))
    print_message(format("%s: the OpenMP runtime of the host lets nobody set the default device", kStandardVariable));
  else
    OMPTARGET_TRACE(Topic::kDevice, "the default device is %d: the first that is %s", number, text);
}

/// Whether the setting asks for something that can be done; what cannot is said.
bool is_asked_for() {
  const char *const text = setting_text(SettingId::kDefaultDevice);
  if (!text)
    return false;
  if (std::strcmp(text, "local-rank") != 0) {
    warn_about_setting(SettingId::kDefaultDevice,
                       format("'%s' is not known: the only value is local-rank; OMP_DEFAULT_DEVICE takes a number", text));
    return false;
  }
  if (const char *given = std::getenv(kStandardVariable); given && *given) {
    OMPTARGET_TRACE(Topic::kDevice, "the default device is that of %s=%s", kStandardVariable, given);
    return false;
  }
  const ProcessRank &rank = process_rank();
  if (rank.launcher && !rank.on_node)
    warn_about_setting(SettingId::kDefaultDevice,
                       format("%s tells this process its rank (%s), but not its place on the node: the default device "
                              "stays as it is",
                              rank.launcher, rank.rank_variable));
  return rank.on_node.has_value();
}

/// The devices that come first, those of one plugin: what else is there, such as this CPU, is not dealt.
int32_t devices_of_first_kind() {
  const Runtime &runtime = Runtime::get();
  const Device *const first = runtime.known_device(0);
  int32_t count = 0;
  while (const Device *const device = runtime.known_device(count)) {
    if (&device->plugin() != &first->plugin())
      break;
    ++count;
  }
  return count;
}

} // namespace

DefaultDevice device_of_place(const ProcessRank &rank, int32_t count) {
  const int64_t place = rank.on_node.value_or(0);
  std::string reason = format("place %lld on the node by %s (%s), %d device(s)", static_cast<long long>(place),
                              rank.launcher, rank.on_node_variable, count);
  if (rank.count_on_node && *rank.count_on_node > count)
    reason += format(", shared by %lld processes", static_cast<long long>(*rank.count_on_node));
  return {static_cast<int32_t>(dealt_to(rank, count)), std::move(reason)};
}

void choose_default_device() {
  static constinit std::atomic<bool> is_done{false};
  if (is_done.load(std::memory_order_acquire))
    return;
  const char *const traits = wanted_traits();
  if (!traits && !is_asked_for()) {
    is_done.store(true, std::memory_order_release);
    return;
  }
  if (Runtime::get().number_of_devices() == 0 || is_done.exchange(true, std::memory_order_acq_rel))
    return; // a module that comes later may bring devices
  if (traits)
    return choose_by_traits(traits);
  const DefaultDevice choice = device_of_place(process_rank(), devices_of_first_kind());
  if (libomp::set_default_device(choice.device))
    OMPTARGET_TRACE(Topic::kDevice, "the default device is %d: %s", choice.device, choice.reason.c_str());
  else
    warn_about_setting(SettingId::kDefaultDevice, "the OpenMP runtime of the host lets nobody set the default device");
}

} // namespace omptarget
