// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs whose data are all present: entering and leaving them changes counts and nothing else, so that neither items nor plans
// are made. What is not that simple is left to planning (plan.h), which goes on from here. Reports nothing.
#pragma once

#include "mapping/plan.h"

namespace omptarget {

/// What is known of an argument: the mapping that the construct has retained or found, or null.
struct PresentRef {
  Mapping *mapping;
  uint32_t generation;
  bool is_counted; ///< there is a reference to be released
  bool is_absent;  ///< nothing overlapped its range
  bool is_new;     ///< the construct has made the mapping
  MappingRef ref() const { return {mapping, generation}; }
};
/// By the number of the argument.
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

/// An argument that may be absent: the kernel gets its address as it is.
inline bool may_be_absent(uint64_t type, int64_t size) {
  constexpr uint64_t kTold = map_type::kReturnParam | map_type::kPresent;
  return size == 0 && (type & (map_type::kTargetParam | kTold)) == map_type::kTargetParam;
}

/// Retains the arguments' mappings, up to the first argument of which planning must know: refs are those before it, and it itself if
/// it is absent. Whether that was all of them: then nothing is left to be done.
bool retain_present(HostDataToTargetMap &map, const MapList &list, PresentRefs &refs);

/// Finds the arguments' mappings, for release_shared. False if planning must do it.
bool find_present(HostDataToTargetMap &map, const MapList &list, PresentRefs &refs);

/// Releases the mappings, except last references. Whether there were none: otherwise plan_exit, with has_entered, does the rest.
bool release_shared(HostDataToTargetMap &map, PresentRefs &refs);

/// Borrows the mappings of an update in one direction (map_type::kTo or kFrom), which is returned. 0 if planning must do it: then
/// refs are what was borrowed nevertheless, to be given back.
uint64_t borrow_present(HostDataToTargetMap &map, const MapList &list, PresentRefs &refs);

/// Tells the items, which are those of the same list, what is known of them.
void set_present(MapItems &items, const PresentRefs &refs);

} // namespace omptarget
