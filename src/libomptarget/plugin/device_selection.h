// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of devices by number and by trait, as OMP_AVAILABLE_DEVICES and OMP_DEFAULT_DEVICE have them (OpenMP 6.0,
// section
// 4.3): "kind(gpu)&&vendor(nvidia),uid(x86_64-host-2),(!kind(gpu))[0:2],*". Knows text only, no devices of this
// process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace omptarget {

/// The traits of a device. An empty text matches nothing.
struct DeviceTraits {
  std::string kind;   ///< "gpu", "cpu"
  std::string arch;   ///< "nvptx64", "amdgcn", "x86_64"
  std::string isa;    ///< "sm_90", "gfx90a"
  std::string vendor; ///< "nvidia", "amd"
  std::string uid;
};

/// Returns the indexes of the devices that the list names, in its order, each once. Items that match no device add
/// none. Fails, saying where, if the text is no such list.
Result<std::vector<size_t>> select_devices(std::string_view list, const std::vector<DeviceTraits> &devices);

} // namespace omptarget
