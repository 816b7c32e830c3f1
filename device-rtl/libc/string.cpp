// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <string.h> and <strings.h>, but for what gpu/memory.cpp has (memcpy, memmove, memset, memcmp).

#include "libc.h"

namespace omptarget::device_rtl::libc {

INLINE uint8_t byte_of(const char *text) { return static_cast<uint8_t>(*text); }

/// Where strtok goes on, for each thread.
static char *next_tokens[kStates] = {};

INLINE bool is_in(char letter, const char *set) {
  for (; *set; ++set)
    if (*set == letter)
      return true;
  return false;
}

/// Returns how many letters text begins with that are in set, or are not.
INLINE uint64_t span(const char *text, const char *set, bool wanted) {
  uint64_t length = 0;
  while (text[length] && is_in(text[length], set) == wanted)
    ++length;
  return length;
}

INLINE bool begins_with(const char *text, const char *prefix, bool ignores_case) {
  for (; *prefix; ++prefix, ++text)
    if (ignores_case ? to_lower(byte_of(text)) != to_lower(byte_of(prefix)) : *text != *prefix)
      return false;
  return true;
}

INLINE char *find(const char *text, const char *wanted, bool ignores_case) {
  for (;; ++text) {
    if (begins_with(text, wanted, ignores_case))
      return const_cast<char *>(text);
    if (!*text)
      return nullptr;
  }
}

/// Compares at most `most` letters.
INLINE int32_t compare(const char *left, const char *right, uint64_t most, bool ignores_case) {
  for (; most > 0; --most, ++left, ++right) {
    const int32_t a = ignores_case ? to_lower(byte_of(left)) : byte_of(left);
    const int32_t b = ignores_case ? to_lower(byte_of(right)) : byte_of(right);
    if (a != b || a == 0)
      return a - b;
  }
  return 0;
}

INLINE char *take_token(char *text, const char *separators, char **next) {
  if (!text)
    text = *next;
  if (!text)
    return nullptr;
  text += span(text, separators, true);
  if (!*text) {
    *next = nullptr;
    return nullptr;
  }
  char *const end = text + span(text, separators, false);
  *next = *end ? end + 1 : nullptr;
  *end = 0;
  return text;
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC uint64_t strnlen(const char *text, uint64_t most) {
  uint64_t length = 0;
  while (length < most && text[length])
    ++length;
  return length;
}

// Copies.
LIBC char *stpcpy(char *to, const char *from) {
  while ((*to = *from++))
    ++to;
  return to;
}
LIBC char *stpncpy(char *to, const char *from, uint64_t size) {
  uint64_t length = 0;
  for (; length < size && from[length]; ++length)
    to[length] = from[length];
  for (uint64_t i = length; i < size; ++i)
    to[i] = 0;
  return to + length;
}
LIBC char *strcpy(char *to, const char *from) {
  stpcpy(to, from);
  return to;
}
LIBC char *strncpy(char *to, const char *from, uint64_t size) {
  stpncpy(to, from, size);
  return to;
}
LIBC char *strcat(char *to, const char *from) {
  stpcpy(to + strlen(to), from);
  return to;
}
LIBC char *strncat(char *to, const char *from, uint64_t most) {
  char *end = to + strlen(to);
  for (; most > 0 && *from; --most)
    *end++ = *from++;
  *end = 0;
  return to;
}
LIBC uint64_t strlcpy(char *to, const char *from, uint64_t size) {
  const uint64_t length = strlen(from);
  if (size > 0) {
    const uint64_t copied = omptarget::device_rtl::gpu::smaller(length, size - 1);
    for (uint64_t i = 0; i < copied; ++i)
      to[i] = from[i];
    to[copied] = 0;
  }
  return length;
}
LIBC uint64_t strlcat(char *to, const char *from, uint64_t size) {
  const uint64_t length = strnlen(to, size);
  return length + strlcpy(to + length, from, size - length);
}
LIBC void *mempcpy(void *to, const void *from, uint64_t size) {
  return static_cast<char *>(__builtin_memcpy(to, from, size)) + size;
}
LIBC void *memccpy(void *to, const void *from, int32_t last, uint64_t size) {
  auto *target = static_cast<uint8_t *>(to);
  const auto *source = static_cast<const uint8_t *>(from);
  for (uint64_t i = 0; i < size; ++i) {
    target[i] = source[i];
    if (source[i] == static_cast<uint8_t>(last))
      return target + i + 1;
  }
  return nullptr;
}
LIBC void bcopy(const void *from, void *to, uint64_t size) { __builtin_memmove(to, from, size); }
LIBC void bzero(void *to, uint64_t size) { __builtin_memset(to, 0, size); }

// Comparisons.
LIBC int32_t strcmp(const char *left, const char *right) { return compare(left, right, ~uint64_t{0}, false); }
LIBC int32_t strncmp(const char *left, const char *right, uint64_t most) { return compare(left, right, most, false); }
LIBC int32_t strcasecmp(const char *left, const char *right) { return compare(left, right, ~uint64_t{0}, true); }
LIBC int32_t strncasecmp(const char *left, const char *right, uint64_t most) {
  return compare(left, right, most, true);
}
LIBC int32_t strcoll(const char *left, const char *right) { return compare(left, right, ~uint64_t{0}, false); }
LIBC uint64_t strxfrm(char *to, const char *from, uint64_t size) {
  const uint64_t length = strlen(from);
  for (uint64_t i = 0; i < size && i <= length; ++i)
    to[i] = from[i];
  return length;
}
LIBC int32_t bcmp(const void *left, const void *right, uint64_t size) { return __builtin_memcmp(left, right, size); }

// Searches.
LIBC void *memchr(const void *memory, int32_t wanted, uint64_t size) {
  const auto *bytes = static_cast<const uint8_t *>(memory);
  for (uint64_t i = 0; i < size; ++i)
    if (bytes[i] == static_cast<uint8_t>(wanted))
      return const_cast<uint8_t *>(bytes + i);
  return nullptr;
}
LIBC void *memrchr(const void *memory, int32_t wanted, uint64_t size) {
  const auto *bytes = static_cast<const uint8_t *>(memory);
  for (uint64_t i = size; i > 0; --i)
    if (bytes[i - 1] == static_cast<uint8_t>(wanted))
      return const_cast<uint8_t *>(bytes + i - 1);
  return nullptr;
}
LIBC void *rawmemchr(const void *memory, int32_t wanted) { return memchr(memory, wanted, ~uint64_t{0}); }
LIBC void *memmem(const void *memory, uint64_t size, const void *wanted, uint64_t wanted_size) {
  const auto *bytes = static_cast<const uint8_t *>(memory);
  for (uint64_t i = 0; wanted_size <= size && i <= size - wanted_size; ++i)
    if (__builtin_memcmp(bytes + i, wanted, wanted_size) == 0)
      return const_cast<uint8_t *>(bytes + i);
  return nullptr;
}
LIBC char *strchrnul(const char *text, int32_t wanted) {
  while (*text && *text != static_cast<char>(wanted))
    ++text;
  return const_cast<char *>(text);
}
LIBC char *strchr(const char *text, int32_t wanted) {
  char *const found = strchrnul(text, wanted);
  return *found == static_cast<char>(wanted) ? found : nullptr;
}
LIBC char *strrchr(const char *text, int32_t wanted) {
  return static_cast<char *>(memrchr(text, wanted, strlen(text) + 1));
}
LIBC char *index(const char *text, int32_t wanted) { return strchr(text, wanted); }
LIBC char *rindex(const char *text, int32_t wanted) { return strrchr(text, wanted); }
LIBC uint64_t strspn(const char *text, const char *set) { return span(text, set, true); }
LIBC uint64_t strcspn(const char *text, const char *set) { return span(text, set, false); }
LIBC char *strpbrk(const char *text, const char *set) {
  text += span(text, set, false);
  return *text ? const_cast<char *>(text) : nullptr;
}
LIBC char *strstr(const char *text, const char *wanted) { return find(text, wanted, false); }
LIBC char *strcasestr(const char *text, const char *wanted) { return find(text, wanted, true); }

// Tokens.
LIBC char *strtok_r(char *text, const char *separators, char **next) { return take_token(text, separators, next); }
LIBC char *__strtok_r(char *text, const char *separators, char **next) { return take_token(text, separators, next); }
LIBC char *strtok(char *text, const char *separators) {
  return take_token(text, separators, &next_tokens[state_index()]);
}
LIBC char *strsep(char **text, const char *separators) {
  char *const begin = *text;
  if (begin) {
    char *const end = begin + span(begin, separators, false);
    *text = *end ? end + 1 : nullptr;
    *end = 0;
  }
  return begin;
}

// Bits.
LIBC int32_t ffs(int32_t value) { return __builtin_ffs(value); }
LIBC int32_t ffsl(long value) { return __builtin_ffsl(value); }
LIBC int32_t ffsll(long long value) { return __builtin_ffsll(value); }
