// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's driver library: opened at run time, called through one macro that checks the result and names the call.
#pragma once

#include "base/status.h"
#include "cuda/context.h"
#include "cuda/cuda_api.h"
#include "gpu/driver_library.h"

namespace omptarget::cuda {

/// The functions of libcuda.so.1. Filled once, never closed.
struct Driver {
#define OMPTARGET_CU_FUNCTION(name, symbol, since, need, context, parameters) CUresult(*name) parameters = nullptr;
#include "cuda/driver_functions.def"
#undef OMPTARGET_CU_FUNCTION
  int version = 0; ///< 1000 * major + 10 * minor of the newest CUDA that it serves
};

/// Opens libcuda.so.1, then libcuda.so, fills the table and calls cuInit. Called once. Fails with a text that names
/// what is missing; no library, no driver or no GPU at all is such a failure, too.
Status open_driver();

/// Which context each of them needs.
struct ContextNeeds {
#define OMPTARGET_CU_FUNCTION(name, symbol, since, need, context, parameters)                                          \
  static constexpr ContextNeed name = ContextNeed::context;
#include "cuda/driver_functions.def"
#undef OMPTARGET_CU_FUNCTION
};

extern Driver the_driver;
/// The open driver.
inline const Driver &driver() { return the_driver; }

/// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
std::string describe(CUresult result);

/// The failure of a call; a result that ends the context makes it the failure of the kernel that ended it (fault.h).
Status call_failure(const char *name, CUresult result);

} // namespace omptarget::cuda

/// Calls a function of the driver: OMPTARGET_CU(cuMemAlloc, &pointer, size). A Status. The only way to call one,
/// except where a result other than success is an answer; that way is OMPTARGET_CU_RESULT, a CUresult. Either makes
/// the context current that the function needs. OMPTARGET_CU_ON(stream, ...) does so for the thread that uses the
/// stream: cheaper.
#define OMPTARGET_CU(function, ...)                                                                                    \
  ::omptarget::gpu::check_call(#function, OMPTARGET_CU_RESULT(function __VA_OPT__(, ) __VA_ARGS__),                    \
                               ::omptarget::cuda::call_failure)
#define OMPTARGET_CU_RESULT(function, ...)                                                                             \
  (::omptarget::cuda::call_in_context(::omptarget::cuda::ContextNeeds::function,                                       \
                                      [&] { return ::omptarget::cuda::driver().function(__VA_ARGS__); }))
#define OMPTARGET_CU_ON(stream, function, ...)                                                                         \
  ::omptarget::gpu::check_call(#function, OMPTARGET_CU_RESULT_ON(stream, function __VA_OPT__(, ) __VA_ARGS__),         \
                               ::omptarget::cuda::call_failure)
#define OMPTARGET_CU_RESULT_ON(stream, function, ...)                                                                  \
  (::omptarget::cuda::call_in_context((stream).contexts(), ::omptarget::cuda::ContextNeeds::function,                  \
                                      [&] { return ::omptarget::cuda::driver().function(__VA_ARGS__); }))
