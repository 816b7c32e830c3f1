// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/driver.h"

#include "base/log.h"
#include "cuda/device.h"
#include "gpu/driver_library.h"

namespace omptarget::cuda {

constinit Driver the_driver;

namespace {

std::vector<gpu::DriverFunction> functions() {
  using gpu::Need;
  return {
#define OMPTARGET_CU_FUNCTION(name, symbol, since, need, context, parameters)                                          \
  {symbol, " (since CUDA " since ")", Need::need, reinterpret_cast<void **>(&the_driver.name)},
#include "cuda/driver_functions.def"
#undef OMPTARGET_CU_FUNCTION
  };
}

} // namespace

Status open_driver() {
  OMPTARGET_TRY_ASSIGN(const std::string file,
                       gpu::open_driver_library("no NVIDIA driver", {"libcuda.so.1", "libcuda.so"}, functions()));
  OMPTARGET_TRY(OMPTARGET_CU(cuInit, 0));
  OMPTARGET_TRY(OMPTARGET_CU(cuDriverGetVersion, &the_driver.version));
  OMPTARGET_TRACE(Topic::kPlugin, "opened %s, CUDA %d.%d", file.c_str(), the_driver.version / 1000,
                  the_driver.version % 1000 / 10);
  return Status::ok();
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
  const char *choosing = ThreadContexts::of_thread().failed_call();
  const std::string text = choosing ? format("%s, before %s: %s", choosing, name, describe(result).c_str())
                                    : format("%s: %s", name, describe(result).c_str());
  if (Device *device = Device::current())
    return device->failure(result, text);
  return Status::error(text);
}

} // namespace omptarget::cuda
