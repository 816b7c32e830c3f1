// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table that load_binary returns: one entry for each host entry of an image, in the same order, with the device's
// address of what it names.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "omptarget/plugin.h"

namespace omptarget {

/// The kind of a host entry.
enum class EntryKind {
  kKernel,   ///< a launch handle; also constructors and destructors
  kVariable, ///< the address of the symbol, of the entry's size
  kPointer,  ///< the address of a symbol of 8 bytes: link variables, indirect functions and vtables of clang
  kFunction, ///< the address of the function itself: an indirect function of the RFC
  kNothing   ///< nothing on the device, such as the mask of requires directives
};

/// Tells by flags and size what the entry is. Any thread.
EntryKind kind_of(const __tgt_offload_entry &entry);

/// The device's answer for one entry; null if the image does not have it.
using EntryResolver = std::function<Result<void *>(EntryKind kind, const std::string &name, size_t size)>;

/// A table and the memory of its entries. The host library keeps the address of `table`, so this must not move.
struct EntryTable {
  __tgt_target_table table{};
  std::vector<__tgt_offload_entry> entries;
  std::deque<std::string> names;
};

/// Fills an empty table for the entries of the image. Entries may be unaligned. Fails if a name is missing or the
/// resolver fails.
Status build_entry_table(const __tgt_device_image &image, const EntryResolver &resolve, EntryTable &table);

/// Returns whether a variable holds the host's address of another, under unified shared memory.
bool is_reference_pointer(const __tgt_offload_entry &entry);

} // namespace omptarget
