// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and attached pointers: the two things that constructs do to present data. Also the failures of absent data.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "base/status.h"
#include "mapping/host_data_to_target_map.h"
#include "mapping/map_type.h"
#include "observe/construct_events.h"

namespace omptarget {

using MapItems = llvm::SmallVector<MapItem, 8>;

/// A copy of [host, host + size) to or from its place in the mapping. If that is gone when its turn comes, the data are
/// not present: nothing is copied.
struct Copy {
  MappingRef mapping;
  HostPtr host;
  int64_t size;
  const char *name;
  const char *needed_by = nullptr; ///< the modifier that wants them present, or null
};

/// The device copy of the pointer at pointer, in pointer_mapping, must point into target, at the place that corresponds
/// to the host pointer's value. size: bytes of the pointer; more than 8 for a descriptor whose first 8 bytes it is.
/// target: null if the data are used in place.
struct Attachment {
  MappingRef pointer_mapping;
  HostPtr pointer;
  int64_t size;
  MappingRef target;
  HostPtr target_begin;
};

/// Makes one copy of two, if they touch in one mapping; otherwise false.
bool extend(Copy &last, const Copy &copy);
/// Adds a copy, or extends the last one.
void add_copy(llvm::SmallVectorImpl<Copy> &copies, const Copy &copy);

/// Adds a mapping that another construct makes, and whose storage or data may still be on the way.
inline void add_awaited(llvm::SmallVectorImpl<MappingRef> &awaited, const Found &found) {
  if (MappingState::has_arrived(found.state))
    return;
  if (awaited.empty() || !(awaited.back() == found.ref))
    awaited.push_back(found.ref);
}

/// The facts of a range that lies in the mapping, for a report.
inline observe::MappingFacts facts_of(const Mapping &mapping, HostPtr begin, int64_t size, const char *name) {
  return {mapping.base(),       begin, mapping.target_of(begin), size, MappingState::reported_count(mapping.state()),
          mapping.hold_count(), name};
}

/// Fails for a range that no memory can have: array sections may have any length. name: of the variable, or null.
Status no_such_range(HostPtr begin, int64_t size, const char *name);
inline Status check_range(HostPtr begin, int64_t size, const char *name) {
  return fits_in_memory(raw(begin), static_cast<uint64_t>(size)) ? Status::ok() : no_such_range(begin, size, name);
}

/// The failure of a construct that needs data (OpenMP 5.2, section 5.8.3, present) which are not there. modifier: "map
/// type modifier" or "motion modifier".
std::string missing_text(HostPtr begin, int64_t size, const char *modifier);
Status missing_present(HostPtr begin, int64_t size, const char *name, const char *modifier);
inline Status missing_present(const Copy &copy) {
  return missing_present(copy.host, copy.size, copy.name, copy.needed_by);
}

} // namespace omptarget
