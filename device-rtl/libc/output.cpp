// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the C library that print. For AMD's GPUs they are beside the host services, so that an image that calls
// them has these.

#include "../gpu/services.h"
#include "libc.h"

using namespace omptarget::device_rtl::gpu;
namespace libc = omptarget::device_rtl::libc;

LIBC [[noreturn]] __attribute__((noinline)) void __chk_fail() {
  fail("buffer overflow detected: a fortified function would write beyond its target");
}
LIBC int32_t puts(const char *text) {
  struct {
    const char *text;
  } arguments{text};
  return print("%s\n", &arguments);
}
LIBC int32_t putchar(int32_t letter) {
  struct {
    int32_t letter;
  } arguments{letter};
  return print("%c", &arguments) < 0 ? -1 : static_cast<uint8_t>(letter);
}
#if OMPTARGET_RTL_GENERATION >= 19
/// printf of programs that are compiled with -D_FORTIFY_SOURCE. Clang 16 compiles no variadic function for GPUs.
LIBC __attribute__((noinline)) int32_t __printf_chk(int32_t, const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
#if defined(__NVPTX__)
  const int32_t result = print(format, arguments);
#else
  const int32_t result = __omptarget_service_print(format, arguments, libc::kVariadicAlignment);
#endif
  __builtin_va_end(arguments);
  return result;
}
#endif
