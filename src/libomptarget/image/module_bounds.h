// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loaded module an address lies in, and how far that module reaches.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/address_range.h"

namespace omptarget {

/// A loaded executable or shared library: its file and its PT_LOAD segments that can be read.
struct ModuleBounds {
  std::string path;
  std::vector<AddressRange> segments;

  /// Returns whether [address, address + size) lies in one segment.
  bool contains(const void *address, uint64_t size) const;
  /// Returns whether a NUL terminated text begins there and ends in the same segment.
  bool contains_text(const char *text) const;
  /// From the first segment's begin to the last one's end.
  AddressRange whole() const;
};

/// The module that holds the address, or nothing if none does (heap, code made at run time). Any thread.
std::optional<ModuleBounds> module_of(const void *address);
/// The same by visiting all modules, as it is done with a glibc before 2.36.
std::optional<ModuleBounds> module_of_by_list(const void *address);

/// From the begin to the end of the module that holds the address; cheap enough for thousands of addresses. Any thread.
std::optional<AddressRange> module_range(const void *address);
/// The same without _dl_find_object, which glibc has since 2.35.
std::optional<AddressRange> module_range_by_list(const void *address);

/// Returns whether the address lies in a module that was loaded with the program: nothing closes those. False if this
/// library itself was opened later. Any thread.
bool is_loaded_for_good(uintptr_t address);

/// The names of the libraries that the module with this address needs (DT_NEEDED); empty if there is no such module.
/// Any thread.
std::vector<std::string> needed_by(const void *address);

/// For fork handlers only: the lock around each look at the list of modules.
std::mutex &module_list_mutex_for_fork();

} // namespace omptarget
