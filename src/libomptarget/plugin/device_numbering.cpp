// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/device_numbering.h"

#include <numeric>

#include "base/format.h"
#include "base/machine.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

DeviceTraits traits_of(const DeviceOfPlugin &device) {
  static constexpr struct {
    const char *plugin, *kind, *arch, *vendor;
  } kKnown[] = {{"cuda", "gpu", "nvptx64", "nvidia"},
                {"amdgpu", "gpu", "amdgcn", "amd"},
                {kMachine.name, "cpu", kMachine.name, ""}};
  const auto &[plugin, number] = device;
  DeviceTraits traits{"", plugin->name(), plugin->device_arch(number), "", plugin->device_uid(number)};
  for (const auto &known : kKnown)
    if (plugin->name() == known.plugin) {
      traits.kind = known.kind;
      traits.arch = known.arch;
      traits.vendor = known.vendor;
    }
  return traits;
}

/// Indexes of all_.
std::vector<size_t> DeviceNumbering::order() const {
  if (const char *const text = setting_text(SettingId::kAvailableDevices)) {
    std::vector<DeviceTraits> traits;
    traits.reserve(all_.size());
    for (const DeviceOfPlugin &device : all_)
      traits.push_back(traits_of(device));
    Result<std::vector<size_t>> selected = select_devices(text, traits);
    if (selected.is_ok())
      return std::move(selected.value());
    warn_about_setting(SettingId::kAvailableDevices,
                       format("'%s' is no list of devices: %s; all devices are available", shown_value(text).c_str(),
                              selected.take_status().to_string().c_str()));
  }
  std::vector<size_t> every(all_.size());
  std::iota(every.begin(), every.end(), size_t{0});
  return every;
}

std::vector<DeviceOfPlugin> DeviceNumbering::add(const std::vector<const Plugin *> &plugins) {
  for (const Plugin *plugin : plugins)
    for (int32_t device = 0; device < plugin->number_of_devices(); ++device)
      all_.emplace_back(plugin, device);
  std::vector<DeviceOfPlugin> added;
  for (const size_t index : order())
    if (numbered_.insert(all_[index]).second)
      added.push_back(all_[index]);
  return added;
}

std::string DeviceNumbering::explain() const {
  const char *const text = setting_text(SettingId::kAvailableDevices);
  return text && numbered_.size() < all_.size() ? format("available: %zu of %zu device(s), by OMP_AVAILABLE_DEVICES=%s",
                                                         numbered_.size(), all_.size(), text)
                                                : std::string();
}

} // namespace omptarget
