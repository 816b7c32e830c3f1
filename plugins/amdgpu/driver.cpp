// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/driver.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "base/log.h"
#include "gpu/driver_library.h"

namespace omptarget::amdgpu {

constinit Driver the_driver;

namespace {

std::vector<gpu::DriverFunction> functions() {
  using gpu::Need;
  return {
#define OMPTARGET_HSA_FUNCTION(result, name, need, parameters)                                                         \
  {#name, "", Need::need, reinterpret_cast<void **>(&the_driver.name)},
#include "amdgpu/driver_functions.def"
#undef OMPTARGET_HSA_FUNCTION
  };
}

// Why ROCr does not start, as far as the system tells: the device file of the kernel's driver.
std::string kernel_driver_problem() {
  if (access("/dev/kfd", R_OK | W_OK) == 0)
    return "/dev/kfd is there";
  const int error = errno;
  if (error == ENOENT)
    return "there is no /dev/kfd: no AMD GPU, or the kernel's driver amdgpu is not loaded";
  return format("/dev/kfd cannot be opened: %s%s", std::strerror(error),
                error == EACCES ? " (usual is membership in the groups render or video)" : "");
}

Status start() {
  if (Status status = OMPTARGET_HSA(hsa_init); !status)
    return std::move(status).during(kernel_driver_problem());
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_system_get_info, HSA_SYSTEM_INFO_VERSION_MAJOR, &the_driver.major));
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_system_get_info, HSA_SYSTEM_INFO_VERSION_MINOR, &the_driver.minor));
  OMPTARGET_TRY(
      OMPTARGET_HSA(hsa_system_get_info, HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &the_driver.timestamp_frequency));
  // Releases of ROCr before 5.0 do not know this one.
  bool reaches = false;
  if (OMPTARGET_HSA_RESULT(hsa_system_get_info, HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT, &reaches) ==
      HSA_STATUS_SUCCESS)
    the_driver.reaches_pageable_memory = reaches;
  return Status::ok();
}

const char *name_of(hsa_status_t status) {
  switch (status) {
#define OMPTARGET_HSA_NAME(name, value)                                                                                \
  case value: return "HSA_STATUS_" #name;
    OMPTARGET_HSA_STATUSES(OMPTARGET_HSA_NAME)
#undef OMPTARGET_HSA_NAME
  default: return "unknown status";
  }
}

} // namespace

Status open_driver() {
  OMPTARGET_TRY_ASSIGN(
      const std::string file,
      gpu::open_driver_library("no AMD runtime", {"libhsa-runtime64.so.1", "libhsa-runtime64.so"}, functions()));
  OMPTARGET_TRY(start());
  OMPTARGET_TRACE(Topic::kPlugin, "opened %s, HSA %u.%u", file.c_str(), the_driver.major, the_driver.minor);
  return Status::ok();
}

std::string describe(hsa_status_t status) {
  const char *text = nullptr;
  if (driver().hsa_status_string)
    driver().hsa_status_string(status, &text);
  return format("%s (%#x): %s", name_of(status), static_cast<unsigned>(status), text ? text : "no text");
}

Status call_failure(const char *name, hsa_status_t status) {
  return Status::error(format("%s: %s", name, describe(status).c_str()));
}

} // namespace omptarget::amdgpu
