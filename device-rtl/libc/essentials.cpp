// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the unit of the host services calls of the library, too. Both units have it, and the linker takes the first:
// linkers of LLVM 16 and 19 do not come back to a unit before.

#include "libc.h"

namespace omptarget::device_rtl::libc {
static int32_t errors[kStates] = {};
} // namespace omptarget::device_rtl::libc

LIBC int32_t *__errno_location() {
  return &omptarget::device_rtl::libc::errors[omptarget::device_rtl::libc::state_index()];
}
LIBC uint64_t strlen(const char *text) {
  uint64_t length = 0;
  while (text[length])
    ++length;
  return length;
}
