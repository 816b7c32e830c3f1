// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The references of a construct to the mappings of its arguments, without items or a plan. If all data are present,
// entering changes counts only. Planning (plan.h) enters all other data, and goes on from here. Callers tell observers.
#pragma once

#include "mapping/plan.h"

namespace omptarget {

/// The state of an argument: the mapping that the construct has retained or found, or null.
struct PresentRef {
  Mapping *mapping;
  uint32_t generation;
  bool is_counted;          ///< there is a reference to be released
  bool is_absent;           ///< nothing overlapped its range
  bool is_new;              ///< the construct has made the mapping
  bool is_arriving = false; ///< and published it while its data were on the way
  MappingRef ref() const { return {mapping, generation}; }
};
/// So few arguments that comparing each with all others is cheap.
inline constexpr uint32_t kFewArguments = 16;

/// One for each argument, by its number.
using PresentRefs = llvm::SmallVector<PresentRef, 16>;

/// Data that are counted when they are present, and that is all.
inline bool is_simple(uint64_t type) {
  constexpr uint64_t kSimple = map_type::kTo | map_type::kFrom | map_type::kTargetParam | map_type::kReturnParam |
                               map_type::kImplicit | map_type::kClose | map_type::kPresent | map_type::kNullify;
  return (type & ~kSimple) == 0;
}

/// A value, which is not mapped.
inline bool is_value(uint64_t type) {
  constexpr uint64_t kValue = map_type::kLiteral | map_type::kTargetParam | map_type::kImplicit;
  return (type & map_type::kLiteral) && !(type & ~kValue);
}

/// Values; and pointers that are attached where the construct maps something anew only.
inline bool has_no_range(uint64_t type) { return is_value(type) || type == map_type::kAttach; }

/// An argument that may be absent: the kernel gets its address as it is.
inline bool may_be_absent(uint64_t type, int64_t size) {
  constexpr uint64_t kTold = map_type::kReturnParam | map_type::kPresent;
  return size == 0 && (type & (map_type::kTargetParam | kTold)) == map_type::kTargetParam;
}

/// Retains the arguments' mappings, up to the first argument of which planning must know: refs are those before it,
/// and it itself if it is absent: then absence tells where. Returns whether that was all of them: then nothing is
/// left to be done.
bool retain_present(HostDataToTargetMap &map, const MapList &list, PresentRefs &refs, Absence &absence);

/// Finds the mappings of arguments that a construct leaves. kinds: kDelete if some are deleted. False if planning must
/// do it.
bool find_present(HostDataToTargetMap &map, const MapList &list, PresentRefs &refs, uint64_t &kinds);

inline bool is_readable(const MapList &list) {
  return list.count > 0 && list.bases && list.begins && list.sizes && list.types;
}

/// The copy of an argument that lies in the mapping.
inline Copy copy_of_argument(const MapList &list, size_t i, MappingRef mapping) {
  return {mapping, host_ptr(list.begins[i]), list.sizes[i],
          list.names ? static_cast<const char *>(list.names[i]) : nullptr};
}

/// Tells the items, which are those of the same list, what is known of them.
void set_present(MapItems &items, const PresentRefs &refs);

} // namespace omptarget
