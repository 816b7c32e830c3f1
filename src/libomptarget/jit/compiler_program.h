// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-jit, the program that compiles bitcode: where it is, and one run of it. It is a process of its own, so that
// LLVM does not enter the program, and hostile bitcode cannot harm it.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/bounded_call.h"
#include "base/status.h"

namespace omptarget::jit {

/// The path of the program that LIBOMPTARGET_JIT_COMPILER names, or of the installation's own; empty if there is none.
/// Found once. Any thread.
const std::string &compiler_program();

/// Runs the program at that path with these arguments and this input, and returns its result (jit/result_format.h). It
/// is killed at the deadline. Failures have its own words. Works in processes with threads, with closed standard files,
/// and whatever the program does with SIGCHLD. Any thread.
Result<std::string> run_compiler(const std::string &path, const std::vector<std::string> &arguments,
                                 std::span<const std::byte> input, Deadline deadline);

} // namespace omptarget::jit
