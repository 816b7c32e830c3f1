// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an object file to a shared object or a code object, by ld.lld.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace omptarget::jit_compiler {

/// Returns the linker: beside the LLVM that this program was built with, or in PATH. Empty if there is none.
std::string find_linker();

/// Links one object to a shared one, with these options. Ends the process with a message if that fails.
std::string link_shared(std::string_view object, const std::vector<std::string> &options);

/// Returns options for an image for the CPU: the libraries that it may need, as far as they are here. Other symbols are
/// left to the dynamic linker.
std::vector<std::string> options_for_cpu(const std::vector<std::string> &libraries);

} // namespace omptarget::jit_compiler
