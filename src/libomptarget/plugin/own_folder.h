// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where this library lies, and where relative paths led, when it was loaded. A program may change its folder before its
// first construct; code must not come from where it has gone since.
#pragma once

#include <string>

namespace omptarget {

/// The folder of the file that holds this code, links resolved, as it was when the file was loaded; empty if it could
/// not be told then. Any thread.
const std::string &own_folder();

/// The path as it was meant when this library was loaded: absolute, or empty if that cannot be told. Any thread.
std::string path_at_load(const std::string &path);

} // namespace omptarget
