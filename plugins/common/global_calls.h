// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global constructors and destructors of nvptx images of clang 17 and later: which symbols hold them, in which order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace omptarget {

enum class GlobalCall { kConstructors, kDestructors };

/// A global of 8 bytes that holds the device address of a function.
struct GlobalCallSymbol {
  std::string name;
  uint32_t priority;
};

/// True if the name is that of a constructor or destructor of this kind; then its priority.
bool parse_global_call(std::string_view name, GlobalCall kind, uint32_t &priority);

/// Sorts by priority. Symbols of equal priority keep their order; of equal symbols one is left.
void order_global_calls(std::vector<GlobalCallSymbol> &symbols);

} // namespace omptarget
