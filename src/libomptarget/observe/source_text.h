// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts that compilers attach: ";file;function;line;column;;" of a construct and ";name;file;line;column;;" of a
// variable.
#pragma once

#include <string>
#include <string_view>

struct ident_t;

namespace omptarget::observe {

/// A place in the source, the file without its folders; "unknown:0:0" if the program was compiled without -g. flang
/// names no files: then it is empty.
struct SourcePlace {
  std::string_view file = "unknown";
  std::string_view function = "unknown";
  int line = 0;
  int column = 0;
  bool is_known() const { return line != 0; }
  std::string to_string() const; ///< "file:line:column", or "line 3 of solve"
};

/// Reads the text of a construct's ident_t; null gives an unknown place. The views live as long as the text.
SourcePlace construct_place(const ident_t *location);
SourcePlace construct_place(const char *psource);

/// A mapped variable: its name (or the text itself, if it is a plain name; "unknown" for null) and its declaration.
struct VariableName {
  std::string_view name = "unknown";
  SourcePlace place{};
};
VariableName variable_name(const char *text);

/// Returns a kernel's name as the source has it: "main, line 12"; other names as they are, without source positions.
std::string readable_name(const char *name);

} // namespace omptarget::observe
