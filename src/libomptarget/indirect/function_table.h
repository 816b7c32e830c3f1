// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The indirect functions of one device, by module, and the one table made of them. Pure data: reads no image, calls no
// plugin, prints nothing but the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "image/entry.h"
#include "omptarget/types.h"

namespace omptarget {

using FunctionPair = __omp_offloading_fptr_map_ty;

/// Adds the pairs of one entry: one for a function, one per slot for a vtable of size bytes. The addresses are those
/// of the function or the vtable itself, on the host and on the device. Nothing is added if one of them is null or
/// the entry is of another kind.
void append_function_pairs(std::vector<FunctionPair> &pairs, EntryKind kind, uint64_t host, uint64_t target,
                           uint64_t size);

/// One host address with two device functions: the first is used, the second ignored.
struct FunctionConflict {
  uint64_t host_ptr;
  uint64_t used_target;
  uint64_t ignored_target;
};

/// One message about all of them; empty if there are none.
std::string conflicts_text(std::span<const FunctionConflict> conflicts);

/// The indirect functions of all modules that are loaded on one device: 16 bytes each. Not synchronised.
class FunctionTable {
public:
  /// Names a module for as long as it is loaded.
  using Module = const void *;

  /// Takes the pairs of a module, in any order; those with a null address are left out. A module that is there already
  /// gets the pairs in addition. Returns whether the table changes.
  bool add(Module module, std::vector<FunctionPair> pairs);
  /// Removes what add() took. Returns whether the table changes.
  bool remove(Module module);

  bool empty() const { return modules_.empty(); }

  /// Builds the table: ascending by host_ptr, each once. Where modules differ about a host_ptr the one added first
  /// counts; such differences that were not reported yet are put into conflicts.
  std::vector<FunctionPair> build(std::vector<FunctionConflict> &conflicts);

private:
  struct Part {
    Module module;
    std::vector<FunctionPair> pairs; ///< ascending by host_ptr; equal ones in the order of their arrival
  };
  void drop_duplicates(std::vector<FunctionPair> &pairs, std::vector<FunctionConflict> &conflicts);

  std::vector<Part> modules_;   ///< in the order of their arrival
  std::set<uint64_t> reported_; ///< host_ptr of conflicts
};

/// The device function of a host function in a table that build() made, or null.
void *find_function(std::span<const FunctionPair> table, const void *host);

/// Lists the table in the trace (LIBOMPTARGET_DEBUG=indirect).
void trace_function_table(int32_t device, std::span<const FunctionPair> pairs);

} // namespace omptarget
