// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that each fuzz target defines. A target is linked either with libFuzzer (preset fuzz) or with
// driver.cpp, which mutates the seeds itself, the same way in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace omptarget::fuzz {

/// Inputs that make sense; arguments: what the build gives to the target's driver.
std::vector<std::string> seeds(int count, char **arguments);

/// Ends the process where a result breaks a promise; sanitizers see the rest.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz: broken promise: %s\n", what);
  std::abort();
}

/// Appends a record or number as it lies in memory.
template <typename T> void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Words with this mark in their upper half mean places in the input; inputs cannot know addresses.
inline constexpr uint64_t kPlace = uint64_t{0xEEEEEEEE} << 32;

/// Replaces them by addresses: place p is base + p modulo size.
inline void resolve_places(char *bytes, size_t length, const char *base, size_t size) {
  for (size_t at = 0; at + sizeof(uint64_t) <= length; at += sizeof(uint64_t)) {
    uint64_t word;
    __builtin_memcpy(&word, bytes + at, sizeof word);
    if (word >> 32 != kPlace >> 32)
      continue;
    word = reinterpret_cast<uintptr_t>(base) + (word & 0xffffffff) % size;
    __builtin_memcpy(bytes + at, &word, sizeof word);
  }
}

} // namespace omptarget::fuzz
