// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the stand-ins call the code of a kernel, a function of this machine.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace emulator {

inline constexpr size_t kMostArguments = 64;
template <size_t> using Value = uint64_t;

/// Images for the CPU that pretend to be for a GPU, by clang 23: their kernels take the addresses of all values.
inline bool kernels_take_cells() {
  static const bool value = std::getenv("SIM_KERNELS_TAKE_CELLS") != nullptr;
  return value;
}

/// A function of the System V ABI does not mind more arguments than it takes.
inline void call_code(void *code, const uint64_t *values, size_t count) {
  std::array<uint64_t, kMostArguments> a{};
  std::copy(values, values + std::min(count, kMostArguments), a.begin());
  if (kernels_take_cells()) {
    std::array<void *, kMostArguments> cells;
    for (size_t i = 0; i < kMostArguments; ++i)
      cells[i] = &a[i];
    reinterpret_cast<void (*)(void **)>(code)(cells.data());
    return;
  }
  [&]<size_t... I>(std::index_sequence<I...>) {
    reinterpret_cast<void (*)(Value<I>...)>(code)(a[I]...);
  }(std::make_index_sequence<kMostArguments>());
}

} // namespace emulator
