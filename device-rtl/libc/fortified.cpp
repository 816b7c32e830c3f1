// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What glibc's headers call with -D_FORTIFY_SOURCE: the last argument is how many bytes the target has.

#include "libc.h"

namespace omptarget::device_rtl::libc {

INLINE void check(uint64_t written, uint64_t space) {
  if (written > space) [[unlikely]]
    __chk_fail();
}
/// Bytes that a copy of at most `most` letters and their end take.
INLINE uint64_t bytes_of(const char *text, uint64_t most) {
  uint64_t length = 0;
  while (length < most && text[length])
    ++length;
  return length + 1;
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC void *__memcpy_chk(void *to, const void *from, uint64_t size, uint64_t space) {
  check(size, space);
  return __builtin_memcpy(to, from, size);
}
LIBC void *__mempcpy_chk(void *to, const void *from, uint64_t size, uint64_t space) {
  check(size, space);
  return static_cast<char *>(__builtin_memcpy(to, from, size)) + size;
}
LIBC void *__memmove_chk(void *to, const void *from, uint64_t size, uint64_t space) {
  check(size, space);
  return __builtin_memmove(to, from, size);
}
LIBC void *__memset_chk(void *to, int32_t value, uint64_t size, uint64_t space) {
  check(size, space);
  return __builtin_memset(to, value, size);
}
LIBC char *__strcpy_chk(char *to, const char *from, uint64_t space) {
  check(strlen(from) + 1, space);
  return strcpy(to, from);
}
LIBC char *__stpcpy_chk(char *to, const char *from, uint64_t space) {
  check(strlen(from) + 1, space);
  return stpcpy(to, from);
}
LIBC char *__strncpy_chk(char *to, const char *from, uint64_t size, uint64_t space) {
  check(size, space);
  return strncpy(to, from, size);
}
LIBC char *__stpncpy_chk(char *to, const char *from, uint64_t size, uint64_t space) {
  check(size, space);
  return stpncpy(to, from, size);
}
LIBC char *__strcat_chk(char *to, const char *from, uint64_t space) {
  check(strlen(to) + strlen(from) + 1, space);
  return strcat(to, from);
}
LIBC char *__strncat_chk(char *to, const char *from, uint64_t most, uint64_t space) {
  check(strlen(to) + bytes_of(from, most), space);
  return strncat(to, from, most);
}
LIBC uint64_t __strlcpy_chk(char *to, const char *from, uint64_t size, uint64_t space) {
  check(size, space);
  return strlcpy(to, from, size);
}
LIBC uint64_t __strlcat_chk(char *to, const char *from, uint64_t size, uint64_t space) {
  check(size, space);
  return strlcat(to, from, size);
}
