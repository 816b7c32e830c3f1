// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening a driver's library at run time and finding its functions.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "base/status.h"

namespace omptarget::gpu {

enum class Need { kNeeded, kOptional };

/// A function of the driver's and where its address belongs.
struct DriverFunction {
  const char *symbol;
  std::string since; ///< " (since CUDA 11.2)", or empty
  Need need;
  void **slot;
};

/// Opens the first of these files that can be opened, and fills the slots; it stays open. Returns the file's name.
/// Fails with a text that begins with `missing` and says why none could be opened, or names the functions that are
/// needed and not there.
Result<std::string> open_driver_library(const char *missing, std::initializer_list<const char *> files,
                                        const std::vector<DriverFunction> &functions);

/// Converts the result of a driver's call to a Status. 0 is success; failure() makes a Status of any other result.
template <typename CallResult>
Status check_call(const char *name, CallResult result, Status (*failure)(const char *, CallResult)) {
  return result == 0 ? Status() : failure(name, result);
}

} // namespace omptarget::gpu
