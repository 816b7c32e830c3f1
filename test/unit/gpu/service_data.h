// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of calls as device code sends them.
#pragma once

#include <cstdint>
#include <string>

#include "omptarget/service_protocol.h"

namespace omptarget::gpu {

template <typename T> std::string value_bytes(char kind, T value) {
  return std::string(1, kind) + std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}
inline std::string int32_value(int32_t value) { return value_bytes(OMPTARGET_SERVICE_VALUE_INT32, value); }
inline std::string int64_value(int64_t value) { return value_bytes(OMPTARGET_SERVICE_VALUE_INT64, value); }
inline std::string double_value(double value) { return value_bytes(OMPTARGET_SERVICE_VALUE_DOUBLE, value); }
inline std::string string_value(const std::string &text) {
  return std::string(1, OMPTARGET_SERVICE_VALUE_STRING) + text + '\0';
}
inline std::string format_bytes(const std::string &format) { return format + '\0'; }

} // namespace omptarget::gpu
