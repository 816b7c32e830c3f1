// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which devices a program has, and their numbers: those of the plugins that take its images, in the plugins' order,
// or those that OMP_AVAILABLE_DEVICES names (OpenMP 6.0, section 4.3.7), in its order.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/device_selection.h"
#include "plugin/plugin.h"

namespace omptarget {

/// A device of a plugin, by the plugin's own number.
using DeviceOfPlugin = std::pair<const Plugin *, int32_t>;

/// Returns the traits that OMP_AVAILABLE_DEVICES and OMP_DEFAULT_DEVICE select by. Asks the plugin; no device is
/// initialised.
DeviceTraits traits_of(const DeviceOfPlugin &device);

/// Not synchronised.
class DeviceNumbering {
public:
  /// The devices of these plugins are the program's, too. Those that get numbers now, the first one that of the first
  /// device without one; devices never lose their number.
  std::vector<DeviceOfPlugin> add(const std::vector<const Plugin *> &plugins);

  /// Returns a text on the devices that the setting has left out; empty if there is none.
  std::string explain() const;

private:
  std::vector<size_t> order() const;

  std::vector<DeviceOfPlugin> all_; ///< in the plugins' order
  std::set<DeviceOfPlugin> numbered_;
};

} // namespace omptarget
