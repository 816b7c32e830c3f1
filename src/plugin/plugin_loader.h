// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens one plugin: from a file to a Plugin that has devices, or the reason why not.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "plugin/plugin.h"

namespace omptarget {

/// How the reason begins if all is well with a plugin but there is nothing for it to do.
inline constexpr const char *kNoDevices = "reports no devices";

/// Checks the file, opens it for ever, takes its functions, and lets it initialise and count its devices. The failure
/// is the reason alone, without the path. Runs the plugin's code; slow. One thread at a time.
Result<std::unique_ptr<Plugin>> load_plugin(const std::string &name, const std::string &path);

} // namespace omptarget
