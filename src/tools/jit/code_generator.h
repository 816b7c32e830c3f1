// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From bitcode to an object file, or to PTX. The module is taken as the linker of the program has optimised it: only
// variants of kernels are optimised further.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "jit/launch_case.h"

namespace omptarget::jit_compiler {

enum class Form { kPtx, kAmdgpuObject, kCpuObject };

struct Code {
  Form form;
  std::string bytes;
};

/// The processor is the one that the code is for, or empty for a CPU; level is that of the code generator, 0 to 3.
/// cases: variants of kernels that the code has beside the kernels. Ends the process with a message if the bitcode
/// cannot be compiled.
Code generate_code(std::string_view bitcode, const std::string &processor, unsigned level,
                   std::span<const jit::LaunchCase> cases);

/// Returns the version of LLVM that this program uses.
std::string llvm_version();

} // namespace omptarget::jit_compiler
