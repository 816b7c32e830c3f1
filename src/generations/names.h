// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that compilers give to kernels and to what lies beside them. Data only: every folder and every plugin may
// include it.
#pragma once

#include <optional>
#include <string_view>

#include "omptarget/types.h"

namespace omptarget {

/// A kernel is called "__omp_offloading_<device>_<file>_<function>_l<line>", perhaps with "_<number>" behind.
inline constexpr std::string_view kKernelPrefix = "__omp_offloading_";

/// Beside a kernel for GPUs there is NAME_kernel_environment or NAME_exec_mode (clang.def: environment).
inline constexpr std::string_view kEnvironmentSuffix = "_kernel_environment";
inline constexpr std::string_view kModeSuffix = "_exec_mode";

/// The parts of a kernel's name that tell where its region is. They point into the name.
struct KernelSource {
  std::string_view function; ///< as the linker knows it
  std::string_view line;     ///< digits
  std::string_view rest;     ///< "_<number>" or empty
};

/// Returns whether the first two fields of a variable's name, ";name;file;line;column;;", are file and name, as flang
/// up to 22.1 has them. No name of a variable begins with '/'.
constexpr bool is_file_first(std::string_view first, std::string_view second) {
  return first.starts_with('/') && second.find('/') == std::string_view::npos;
}

/// Nothing if the name is of another form. The number of the file's device may be negative, so that it may begin with
/// '_'.
constexpr std::optional<KernelSource> source_of_kernel(std::string_view name) {
  if (!name.starts_with(kKernelPrefix))
    return std::nullopt;
  name.remove_prefix(kKernelPrefix.size());
  for (int number = 0; number < 2; ++number) {
    const size_t end = name.find('_', number == 0 && name.starts_with('_') ? 1 : 0);
    if (end == std::string_view::npos)
      return std::nullopt;
    name.remove_prefix(end + 1);
  }
  const size_t at = name.rfind("_l");
  if (at == std::string_view::npos || at == 0)
    return std::nullopt;
  const std::string_view end = name.substr(at + 2);
  const std::string_view line = end.substr(0, end.find('_'));
  if (line.empty() || line.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return KernelSource{name.substr(0, at), line, end.substr(line.size())};
}

/// An indirect function's or vtable's symbol, of the name of its entry: "<symbol>", OMPTARGET_INDIRECT's
/// "__omptarget_indirect_<symbol>", or clang's, which is a kernel's, with "addr" behind that of a vtable. It points
/// into the name.
constexpr std::string_view source_of_indirect(std::string_view name) {
  for (const std::string_view prefix :
       {std::string_view("__omptarget_indirect_"), std::string_view(OMPTARGET_OFFERED_FUNCTION)})
    if (name.starts_with(prefix))
      return name.substr(prefix.size());
  constexpr std::string_view kVtable = "addr";
  const std::optional<KernelSource> source =
      source_of_kernel(name.ends_with(kVtable) ? name.substr(0, name.size() - kVtable.size()) : name);
  return source ? source->function : name;
}

} // namespace omptarget
