// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds variants of kernels to a module: copies that have values of parameters and the shape of the launch as constants.
// The kernels stay as they are, and the variants use the same globals.
#pragma once

#include <span>

#include "jit/launch_case.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace omptarget::jit_compiler {

/// Adds a variant for each case that fits its kernel: the parameters are there, and are no pointers. The others are
/// left out. level: of the optimiser for the variants, 0 to 3.
void add_variants(llvm::Module &module, llvm::TargetMachine &machine, std::span<const jit::LaunchCase> cases,
                  unsigned level);

} // namespace omptarget::jit_compiler
