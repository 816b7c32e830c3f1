// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/default_device.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/format.h"
#include "base/log.h"
#include "base/numa.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "device/libomp.h"
#include "device/runtime.h"
#include "observe/info.h"
#include "plugin/device_numbering.h"

namespace omptarget {

namespace {

constexpr const char *kStandardVariable = "OMP_DEFAULT_DEVICE";

/// The text of OMP_DEFAULT_DEVICE if it names a device by its traits (OpenMP 6.0, section 4.3.8), or null. Numbers
/// are the host runtime's affair.
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
    print_message(format("%s: '%s' names no device: %s", kStandardVariable, shown_value(text).c_str(),
                         selected.take_status().to_string().c_str()));
  else if (selected.value().empty())
    print_message(
        format("%s: none of the %zu device(s) is '%s'", kStandardVariable, traits.size(), shown_value(text).c_str()));
  else if (const auto number = static_cast<int32_t>(selected.value()[0]); !libomp::set_default_device(number))
    print_message(format("%s: the host's OpenMP runtime has no way to set the default device", kStandardVariable));
  else
    OMPTARGET_TRACE(Topic::kDevice, "the default device is %d: the first that is %s", number, text);
}

enum class Rule { kNone, kPlace, kNearest };

/// Returns the rule that the setting asks for, and says so if that cannot be followed.
Rule wanted_rule() {
  const char *const text = setting_text(SettingId::kDefaultDevice);
  if (!text)
    return Rule::kNone;
  const bool is_nearest = std::strcmp(text, "nearest") == 0;
  if (!is_nearest && std::strcmp(text, "local-rank") != 0) {
    warn_about_setting(
        SettingId::kDefaultDevice,
        format("'%s' is not known: the values are local-rank and nearest; OMP_DEFAULT_DEVICE takes a number",
               shown_value(text).c_str()));
    return Rule::kNone;
  }
  if (const char *given = std::getenv(kStandardVariable); given && *given) {
    OMPTARGET_TRACE(Topic::kDevice, "the default device is that of %s=%s", kStandardVariable,
                    shown_value(given).c_str());
    return Rule::kNone;
  }
  if (is_nearest)
    return Rule::kNearest;
  const ProcessRank &rank = process_rank();
  if (rank.launcher && !rank.on_node)
    warn_about_setting(SettingId::kDefaultDevice,
                       format("%s tells this process its rank (%s), but not its place on the node: the default device "
                              "stays as it is",
                              rank.launcher, rank.rank_variable));
  return rank.on_node.has_value() ? Rule::kPlace : Rule::kNone;
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

/// How far each of the devices is from the CPUs.
std::vector<int> distances_from(const std::vector<int> &cpus, int32_t devices) {
  std::vector<int> distances(static_cast<size_t>(devices), kUnknownDistance);
  const Result<std::vector<NumaDomain>> own = read_numa_domains(kNumaFolder, cpus);
  if (!own.is_ok()) {
    OMPTARGET_TRACE(Topic::kDevice, "no device is near: %s", own.status().to_string().c_str());
    return distances;
  }
  for (int32_t i = 0; i < devices; ++i) {
    const Device &device = *Runtime::get().known_device(i);
    const int32_t domain = device.plugin_device().device_numa_domain();
    for (const NumaDomain &from : own.value())
      if (domain >= 0)
        distances[static_cast<size_t>(i)] =
            std::min(distances[static_cast<size_t>(i)], numa_distance(kNumaFolder, from.number, domain));
    OMPTARGET_TRACE(Topic::kDevice, "device %d is in NUMA domain %d, at distance %s", i, domain,
                    distances[static_cast<size_t>(i)] == kUnknownDistance
                        ? "unknown"
                        : std::to_string(distances[static_cast<size_t>(i)]).c_str());
  }
  return distances;
}

} // namespace

DefaultDevice nearest_device(const ProcessRank &rank, const std::vector<int> &distances) {
  const int least = *std::min_element(distances.begin(), distances.end());
  std::vector<int32_t> nearest;
  for (size_t i = 0; i < distances.size(); ++i)
    if (distances[i] == least)
      nearest.push_back(static_cast<int32_t>(i));
  const int64_t place = rank.on_node.value_or(0);
  const std::string distance = least == kUnknownDistance ? "distances are not known" : format("distance %d", least);
  return {nearest[static_cast<size_t>(place) % nearest.size()],
          format("%s, %zu of %zu device(s) are as near, place %lld on the node", distance.c_str(), nearest.size(),
                 distances.size(), static_cast<long long>(place))};
}

DefaultDevice device_of_place(const ProcessRank &rank, int32_t count) {
  const int64_t place = rank.on_node.value_or(0);
  std::string reason = format("place %lld on the node by %s (%s), %d device(s)", static_cast<long long>(place),
                              rank.launcher, rank.on_node_variable, count);
  if (rank.count_on_node && *rank.count_on_node > count)
    reason += format(", shared by %lld processes", static_cast<long long>(*rank.count_on_node));
  return {static_cast<int32_t>(share_of(rank, count)), std::move(reason)};
}

void choose_default_device() {
  static constinit std::atomic<bool> is_done{false};
  if (is_done.load(std::memory_order_acquire))
    return;
  const char *const traits = wanted_traits();
  const Rule rule = traits ? Rule::kNone : wanted_rule();
  if (!traits && rule == Rule::kNone) {
    is_done.store(true, std::memory_order_release);
    return;
  }
  const std::vector<int> cpus = cpus_of_thread(getpid()); // before the host's runtime binds the thread
  if (Runtime::get().number_of_devices() == 0 || is_done.exchange(true, std::memory_order_acq_rel))
    return; // a module that comes later may bring devices
  if (traits)
    return choose_by_traits(traits);
  const int32_t count = devices_of_first_kind();
  const DefaultDevice choice = rule == Rule::kNearest ? nearest_device(process_rank(), distances_from(cpus, count))
                                                      : device_of_place(process_rank(), count);
  if (libomp::set_default_device(choice.device))
    OMPTARGET_TRACE(Topic::kDevice, "the default device is %d: %s", choice.device, choice.reason.c_str());
  else
    warn_about_setting(SettingId::kDefaultDevice, "the host's OpenMP runtime has no way to set the default device");
}

} // namespace omptarget
