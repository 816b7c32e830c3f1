// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the data that target exit data and the end of target data leave.

#include "mapping/plan.h"

#include "mapping/base_pointers.h"
#include "mapping/construct_counts.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);

/// Looks the items of one construct up.
class ExitLookup {
public:
  ExitLookup(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items,
             llvm::SmallVectorImpl<MappingRef> &awaited)
      : map_(map), policy_(policy), items_(items), awaited_(awaited), counts_(items) {}

  Status run() {
    for (size_t i = 0; i < items_.size(); ++i)
      if (!items_[i].has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach) &&
          !(items_[i].flags & kItemLookUpOnly))
        OMPTARGET_TRY(look_up(i));
    return Status::ok();
  }

private:
  /// An absent pointee was not entered with its pointer if it is an empty section, or the host's. Any other one is
  /// gone since.
  void look_up_pointer(size_t index, bool is_pointee_present) {
    MapItem &item = items_[index];
    const bool is_base = has_base_pointer(item);
    if (!is_pointee_present && (!is_base || item.size == 0 || policy_.use_host_memory))
      return;
    const Found pointer = map_.find(item.base, kPointerSize);
    if (!pointer.is_contained)
      return;
    item.pointer_mapping = pointer.ref;
    const bool deletes = is_base && deletes_pointee(items_, index);
    if (!counts_.counts(item, pointer.ref, false) && !deletes)
      return;
    if (!is_base || map_.rare_uses().take_base_pointer(pointer.ref, deletes))
      item.flags |= kItemPointerCounted;
  }

  /// Returns whether the item takes a reference of the mapping away. Base pointers take back what was entered for
  /// them and nothing else.
  bool releases(size_t index, MappingRef ref) {
    MapItem &item = items_[index];
    const bool is_base = is_base_pointer(items_, index);
    // Deleting a member deletes the struct's mapping; the struct itself only releases it.
    const bool deletes = item.has(map_type::kDelete) || (is_base && deletes_pointee(items_, index));
    if (!counts_.counts(item, ref, item.has(map_type::kPtrAndObj)) && !deletes)
      return false;
    if (!is_base) [[likely]]
      return true;
    item.type &= ~map_type::kDelete;
    return map_.rare_uses().take_base_pointer(ref, deletes);
  }

  Status look_up(size_t index) {
    MapItem &item = items_[index];
    item.flags = 0;
    item.mapping = item.pointer_mapping = {};
    OMPTARGET_TRY(check_range(item, item.begin, item.size));
    const Found found = map_.find(item.begin, item.size);
    const bool is_present = found.is_contained || (found.is_overlapped && item.has(map_type::kImplicit));
    if (item.has(map_type::kPtrAndObj))
      look_up_pointer(index, is_present);
    if (is_present) {
      item.mapping = found.ref;
      add_awaited(awaited_, found);
      item.flags |= releases(index, found.ref) ? kItemCounted : 0;
      return Status::ok();
    }
    if (policy_.use_host_memory)
      item.flags |= kItemHostPointer;
    else if (item.has(map_type::kPresent))
      return missing_present(item, "map type modifier");
    return Status::ok();
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  MapItems &items_;
  llvm::SmallVectorImpl<MappingRef> &awaited_;
  ConstructCounts counts_;
};

} // namespace

Status look_up_left(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items,
                    llvm::SmallVectorImpl<MappingRef> &awaited) {
  return ExitLookup(map, policy, items, awaited).run();
}

} // namespace omptarget
