// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables with declare target in modules of GCC. No call registers them. A compiler that is configured for
// offloading writes the address and the size of each into the section .gnu.offload_vars, also if it builds no image.
#pragma once

#include <mutex>

#include "omptarget/host_code.h"

namespace omptarget {

/// Returns those of all modules that are loaded now, in the order of their addresses. The same table as long as it does
/// not change; each lives as long as the process. Reads the files of modules that are new. Any thread.
const __omptarget_variables &gcc_variables();

/// For fork handlers only: nobody makes a table while it is held.
std::mutex &gcc_variables_mutex_for_fork();

} // namespace omptarget
