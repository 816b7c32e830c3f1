// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMD's runtime library ROCr: opened at run time, called through one macro that checks the result and names the call.
#pragma once

#include "amdgpu/hsa_api.h"
#include "base/status.h"
#include "gpu/driver_library.h"

namespace omptarget::amdgpu {

/// The functions of libhsa-runtime64.so.1. Filled once, never closed.
struct Driver {
#define OMPTARGET_HSA_FUNCTION(result, name, need, parameters) result(*name) parameters = nullptr;
#include "amdgpu/driver_functions.def"
#undef OMPTARGET_HSA_FUNCTION
  uint16_t major = 0, minor = 0;        ///< version of the HSA runtime's interface
  uint64_t timestamp_frequency = 0;     ///< ticks per second of the system's timestamps, in which waits are limited
  bool reaches_pageable_memory = false; ///< XNACK is on: devices may access any memory of the process
};

/// Opens libhsa-runtime64.so.1, then libhsa-runtime64.so, fills the table and calls hsa_init. Called once. Fails with a
/// text that names what is missing; no library, no /dev/kfd or no GPU at all is such a failure, too.
Status open_driver();

extern Driver the_driver;
/// The open driver.
inline const Driver &driver() { return the_driver; }

/// "HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008): what the driver says".
std::string describe(hsa_status_t status);

Status call_failure(const char *name, hsa_status_t status);

} // namespace omptarget::amdgpu

/// Calls a function of the driver: OMPTARGET_HSA(hsa_queue_destroy, queue). A Status. The only way to call one, except
/// where the result is no hsa_status_t or one other than success is an answer; that way is OMPTARGET_HSA_RESULT.
#define OMPTARGET_HSA(function, ...)                                                                                   \
  ::omptarget::gpu::check_call(#function, OMPTARGET_HSA_RESULT(function __VA_OPT__(, ) __VA_ARGS__),                   \
                               ::omptarget::amdgpu::call_failure)
#define OMPTARGET_HSA_RESULT(function, ...) (::omptarget::amdgpu::driver().function(__VA_ARGS__))
