// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the OpenMP runtime of the host, which the plugin does not link with.
#pragma once

#include <dlfcn.h>

namespace omptarget::host {

/// The function of that name and type in the process, or null. Any thread.
template <typename Function> Function *openmp_function(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

} // namespace omptarget::host
