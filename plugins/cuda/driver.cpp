// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/driver.h"

#include <dlfcn.h>

#include "base/log.h"
#include "cuda/device.h"

namespace omptarget::cuda {

namespace {

constinit Driver the_driver;

enum class Need { kNeeded, kOptional };

struct FunctionRow {
  const char *symbol;
  const char *since;
  Need need;
  void **slot;
};

Status find_functions(void *library, const char *file) {
  const FunctionRow rows[] = {
#define OMPTARGET_CU_FUNCTION(name, symbol, since, need, parameters)                                                   \
  {symbol, since, Need::need, reinterpret_cast<void **>(&the_driver.name)},
#include "cuda/driver_functions.def"
#undef OMPTARGET_CU_FUNCTION
  };
  std::string missing;
  for (const FunctionRow &row : rows) {
    *row.slot = dlsym(library, row.symbol);
    if (*row.slot)
      continue;
    OMPTARGET_TRACE(Topic::kPlugin, "%s has no %s, which is there since CUDA %s", file, row.symbol, row.since);
    if (row.need == Need::kNeeded)
      missing += format("%s%s (since CUDA %s)", missing.empty() ? "" : ", ", row.symbol, row.since);
  }
  return missing.empty() ? Status::ok() : Status::error(format("%s lacks %s", file, missing.c_str()));
}

} // namespace

const Driver &driver() { return the_driver; }

Status open_driver() {
  std::string reasons;
  for (const char *file : {"libcuda.so.1", "libcuda.so"}) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      const char *reason = dlerror();
      reasons += format("%s%s", reasons.empty() ? "" : "; ", reason ? reason : file);
      continue;
    }
    OMPTARGET_TRY(find_functions(library, file));
    OMPTARGET_TRY(OMPTARGET_CU(cuInit, 0));
    OMPTARGET_TRY(OMPTARGET_CU(cuDriverGetVersion, &the_driver.version));
    OMPTARGET_TRACE(Topic::kPlugin, "opened %s, CUDA %d.%d", file, the_driver.version / 1000,
                    the_driver.version % 1000 / 10);
    return Status::ok();
  }
  return Status::error("no NVIDIA driver: " + reasons);
}

std::string describe(CUresult result) {
  const char *name = nullptr;
  const char *text = nullptr;
  if (driver().cuGetErrorName)
    driver().cuGetErrorName(result, &name);
  if (driver().cuGetErrorString)
    driver().cuGetErrorString(result, &text);
  return format("%s (%d): %s", name ? name : "unknown error", result, text ? text : "unknown error");
}

Status call_failure(const char *name, CUresult result) {
  const std::string text = format("%s: %s", name, describe(result).c_str());
  if (Device *device = Device::current())
    return device->failure(result, text);
  return Status::error(text);
}

} // namespace omptarget::cuda
