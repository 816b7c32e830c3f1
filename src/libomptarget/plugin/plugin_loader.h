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

/// Checks the file and opens it for ever. Failures, here and below, are the reason alone, without the path. Runs the
/// plugin's code; slow. One thread at a time.
Result<void *> open_plugin(const std::string &path);

/// Takes the functions of a plugin that is open, and lets it initialise and count its devices. As above. note: for
/// tools, called with the name of each function of the plugin before that is called.
Result<std::unique_ptr<Plugin>> start_plugin(const std::string &name, const std::string &path, void *handle,
                                             void (*note)(const char *function) = nullptr);

/// Both.
Result<std::unique_ptr<Plugin>> load_plugin(const std::string &name, const std::string &path);

} // namespace omptarget
