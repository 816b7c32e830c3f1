// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/device_rtls.h"

#include <string>

namespace omptarget::cuda {

namespace {

/// Which omptarget's has since it is linked once (device-rtl/gpu/rtl.cpp).
constexpr std::string_view kOwnMark = "__omptarget_device_rtl";
/// Part of the names of what is omptarget's.
constexpr std::string_view kOwnName = "omptarget10device_rtl3gpu";

/// Names that LLVM's RTL alone has, of 16 to 19.
bool is_of_llvm(std::string_view name) {
  return name.starts_with("_ZN4ompx5state") || name.starts_with("__omp_rtl_device_memory_pool");
}

} // namespace

Status check_device_rtls(const ElfImage &cubin) {
  const bool has_own = cubin.find(kOwnMark) != nullptr;
  for (const ElfSymbol &symbol : cubin.symbols()) {
    if (has_own && is_of_llvm(symbol.name))
      return Status::error(
          format("it has LLVM's device RTL (%s) beside omptarget's: compile all files of the program, and of its "
                 "static libraries, with omptarget's configuration file",
                 std::string(symbol.name).c_str()));
    if (symbol.is_ambiguous && symbol.name.find(kOwnName) != std::string_view::npos)
      return Status::error(format(
          "it has omptarget's device RTL more than once (%s): compile all files of the program, and of its static "
          "libraries, again with this omptarget's configuration file",
          std::string(symbol.name).c_str()));
  }
  return Status::ok();
}

} // namespace omptarget::cuda
