// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planning: turns the map arguments of a construct into what has to be done, over the table of present data. Planning
// looks up, counts and reserves; it never waits, allocates device memory, copies or calls a plugin. region/ carries
// a plan out, list by list in the order in which they stand here.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <vector>

#include "base/status.h"
#include "mapping/host_data_to_target_map.h"
#include "mapping/map_type.h"
#include "observe/construct_events.h"

namespace omptarget {

using MapItems = llvm::SmallVector<MapItem, 8>;

/// Facts about the device and the program, for planning.
struct MappingPolicy {
  bool use_host_memory = false; ///< unified shared memory, or zero copy: what is not present stays on the host
  bool attach_always = false;   ///< LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS
  DeviceId device{-1};          ///< for the trace
};

/// A mapping that the construct created: storage of padding + size bytes is needed, the range starts after the padding.
struct NewStorage {
  MappingRef ref;
  HostPtr begin;
  int64_t size;
  uint8_t padding;
};

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

/// The copy of an item that lies in its mapping; the part that does, for implicit items that reach beyond it.
Copy copy_of(const MapItem &item);

/// Makes one copy of two, if they touch in one mapping; otherwise false.
bool extend(Copy &last, const Copy &copy);
/// Adds a copy, or extends the last one.
void add_copy(llvm::SmallVectorImpl<Copy> &copies, const Copy &copy);

/// Adds a mapping that another construct makes, and whose storage or data may still be on the way.
inline void add_awaited(llvm::SmallVectorImpl<MappingRef> &awaited, const Found &found) {
  if (MappingState::has_arrived(found.state)) [[likely]]
    return;
  if (awaited.empty() || !(awaited.back() == found.ref))
    awaited.push_back(found.ref);
}

/// The facts of a range that lies in the mapping, for a report.
inline observe::MappingFacts facts_of(const Mapping &mapping, HostPtr begin, int64_t size, const char *name) {
  return {mapping.base(),       begin, mapping.target_of(begin), size, MappingState::reported_count(mapping.state()),
          mapping.hold_count(), name};
}

/// A report on an argument whose data are present.
struct EnteredMapping {
  const Mapping *mapping;
  DeviceId device;
  observe::MappingFacts facts; ///< the device address is not known yet if it has no storage
  observe::CountChange change;
  bool is_hold;
  bool is_implicit;
  /// Once the mapping has storage.
  void report() const;
};

/// The actions of entering: allocate, copy, wait, then the rest. Its address is the creator of the mappings that it
/// makes.
struct EnterPlan {
  llvm::SmallVector<NewStorage, 4> allocations;
  llvm::SmallVector<Copy, 4> copies;            ///< into own new mappings
  llvm::SmallVector<Attachment, 2> attachments; ///< into own new mappings
  llvm::SmallVector<MappingRef, 2> awaited;     ///< of other constructs: storage or data may not have arrived
  llvm::SmallVector<MappingRef, 2> turns; ///< of other constructs, which copy back what they were the last to leave
  llvm::SmallVector<Copy, 2> late_copies; ///< into mappings of others (always)
  llvm::SmallVector<Attachment, 2> late_attachments;
  std::vector<MappingRef> borrowed;    ///< what late attachments write to without a reference; to be given back
  std::vector<EnteredMapping> entered; ///< own new mappings; to be reported after they were allocated
  std::vector<Removed> removed;        ///< by abandoning the plan: to be freed, those that were removed
  /// Mappings that this construct has made and published: others may have written to them, so that nothing is copied
  /// into them any more, but pointers are attached to and in them.
  llvm::SmallVector<MappingRef, 4> published;

  bool is_empty() const {
    return allocations.empty() && copies.empty() && attachments.empty() && awaited.empty() && turns.empty() &&
           late_copies.empty() && late_attachments.empty();
  }
};

/// Fills the items' mappings, retains them and lists what has to be done. It leaves alone what is retained already, by
/// argument_refs.h or an earlier call for the same plan. On failure the plan is abandoned.
Status plan_enter(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, EnterPlan &plan);

/// Data that another construct was making are gone: the items that lay there, and what the plan has to do with them,
/// are to be planned anew. Mappings that this construct has made or retained stay.
void forget_gone(MapItems &items, EnterPlan &plan);

/// Takes back what plan_enter did: mappings that are not ready go, even if others have found them, and references are
/// given back. The caller frees what was removed.
void abandon_enter(HostDataToTargetMap &map, MapItems &items, EnterPlan &plan);

/// Releases a reference of the kind that the item takes; with reset, all of this kind.
inline Released release(HostDataToTargetMap &map, const MapItem &item, MappingRef ref, bool reset, OnLast on_last) {
  return item.has(map_type::kHold) ? map.rare_uses().release_hold(ref, reset, on_last) : ref.release(reset, on_last);
}

/// Finds the mappings of items that are left, and which references are to be released: kItemCounted and
/// kItemPointerCounted. awaited: as in EnterPlan.
Status look_up_left(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items,
                    llvm::SmallVectorImpl<MappingRef> &awaited);

/// Fails for a range that no memory can have: array sections may have any length.
[[gnu::cold]] Status no_such_range(const MapItem &item, HostPtr begin, int64_t size);
inline Status check_range(const MapItem &item, HostPtr begin, int64_t size) {
  return fits_in_memory(raw(begin), static_cast<uint64_t>(size)) ? Status::ok() : no_such_range(item, begin, size);
}

/// The failure of a construct that needs data (OpenMP 5.2, section 5.8.3, present) which are not there. modifier: "map
/// type modifier" or "motion modifier".
Status missing_present(const MapItem &item, const char *modifier);
Status missing_present(const Copy &copy);

} // namespace omptarget
