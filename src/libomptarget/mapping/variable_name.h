// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of mapped variables, as compilers write them: ";name;file;line;column;;", with debug information only.
#pragma once

#include <string>
#include <string_view>

#include "mapping/map_type.h"

namespace omptarget {

/// Parts of a map name; empty where there is none. The views live as long as the text.
struct VariableName {
  std::string_view name;
  std::string_view file;
  int line = 0;
  int column = 0;
};
VariableName parse_variable_name(const char *text);
/// Returns whether the compiler told no name.
inline bool is_unnamed(const VariableName &variable) { return variable.name.empty() || variable.name == "unknown"; }

/// " at file.c:7:3" for messages; empty if the compiler told no line.
std::string place_text(const VariableName &variable);

/// "a[0:4] at file.c:7:3" for traces; "unknown" if the compiler told no name.
std::string variable_place(const char *name);

/// "in the mapping of a[0:4] (16 bytes) at file.c:7:3" for messages; empty if the compiler told no name.
std::string variable_text(const char *name, int64_t size);
std::string variable_text(const MapItem &item);

} // namespace omptarget
