// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/driver_library.h"

#include <dlfcn.h>

#include "base/log.h"

namespace omptarget::gpu {

namespace {

Status find_functions(void *library, const char *file, const std::vector<DriverFunction> &functions) {
  std::string missing;
  for (const DriverFunction &function : functions) {
    *function.slot = dlsym(library, function.symbol);
    if (*function.slot)
      continue;
    OMPTARGET_TRACE(Topic::kPlugin, "%s has no %s%s", file, function.symbol, function.since.c_str());
    if (function.need == Need::kNeeded)
      missing += format("%s%s%s", missing.empty() ? "" : ", ", function.symbol, function.since.c_str());
  }
  return missing.empty() ? Status::ok() : Status::error(format("%s lacks %s", file, missing.c_str()));
}

} // namespace

Result<std::string> open_driver_library(const char *missing, std::initializer_list<const char *> files,
                                        const std::vector<DriverFunction> &functions) {
  std::string reasons;
  for (const char *file : files) {
    if (void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
      OMPTARGET_TRY(find_functions(library, file, functions));
      return std::string(file);
    }
    const char *reason = dlerror();
    reasons += format("%s%s", reasons.empty() ? "" : "; ", reason ? reason : file);
  }
  return Status::error(format("%s: %s", missing, reasons.c_str()));
}

} // namespace omptarget::gpu
