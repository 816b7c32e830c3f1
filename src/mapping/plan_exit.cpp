// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaving: target exit data, the end of target data, and the way out of a target region; and target update.

#include "mapping/plan.h"

#include "mapping/construct_counts.h"
#include "mapping/non_contiguous.h"
#include "observe/construct_events.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);

void report_looked_up(const MapItem &item, HostPtr begin, int64_t size, const Mapping &mapping) {
  observe::mapping_left({mapping.base(), begin, mapping.target_of(begin), size, MappingState::count(mapping.state()),
                         mapping.hold_count(), item.name},
                        observe::CountChange::kSuppressed, item.has(map_type::kHold));
}

class ExitPlanner {
public:
  ExitPlanner(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, bool has_entered, ExitPlan &plan)
      : map_(map), policy_(policy), items_(items), has_entered_(has_entered), plan_(plan),
        counts_(items) {}

  /// All references are taken away before copying, so that whether a range goes is decided once for all items that lie in it.
  Status run() {
    for (MapItem &item : items_) {
      if (!is_data(item))
        continue;
      if (!has_entered_)
        OMPTARGET_TRY(look_up(item));
      if (item.has(map_type::kAlways) && is_copied_back(item) && !pin(item.mapping)) [[unlikely]]
        forget(item); // removed since it was found
    }
    if (observe::reports_mappings()) [[unlikely]]
      report_members();
    for (const MapItem &item : items_) {
      if (!is_data(item))
        continue;
      if (item.flags & kItemCounted)
        release(item, item.mapping);
      if (item.flags & kItemPointerCounted)
        release(item, item.pointer_mapping);
    }
    for (size_t i = items_.size(); i-- > 0;)
      copy_back(items_[i]);
    return Status::ok();
  }

private:
  static bool is_data(const MapItem &item) {
    return !item.has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach) && !(item.flags & kItemLookUpOnly);
  }
  static bool is_copied_back(const MapItem &item) {
    return item.mapping && item.has(map_type::kFrom) && item.size > 0;
  }
  static void forget(MapItem &item) {
    item.mapping = {};
    item.flags &= static_cast<uint8_t>(~kItemCounted);
  }

  /// Other threads may leave the mapping and enter it anew, but not free it before this construct is complete.
  bool pin(MappingRef ref) {
    if (!map_.pin(ref))
      return false;
    plan_.pinned.push_back(ref);
    return true;
  }

  /// Before anything is released.
  void report_members() const {
    for (const MapItem &item : items_)
      if (item.mapping && !(item.flags & (kItemCounted | kItemLookUpOnly)))
        report_looked_up(item, item.begin, item.size, *item.mapping.mapping);
  }

  Status look_up(MapItem &item) {
    item.flags = 0;
    item.mapping = item.pointer_mapping = {};
    if (item.has(map_type::kPtrAndObj)) {
      const Found pointer = map_.find(item.base, kPointerSize);
      if (pointer.is_contained) {
        item.pointer_mapping = pointer.ref;
        item.flags |= counts_.counts(item, pointer.ref.mapping, false) ? kItemPointerCounted : 0;
      }
    }
    const Found found = map_.find(item.begin, item.size);
    if (found.is_contained || (found.is_overlapped && item.has(map_type::kImplicit))) {
      item.mapping = found.ref;
      add_awaited(plan_.awaited, found);
      // What deletes a member deletes the struct's mapping, which the struct itself is only released from.
      const bool counts = counts_.counts(item, found.ref.mapping, item.has(map_type::kPtrAndObj));
      item.flags |= counts || item.has(map_type::kDelete) ? kItemCounted : 0;
      return Status::ok();
    }
    if (policy_.use_host_memory)
      item.flags |= kItemHostPointer;
    else if (item.has(map_type::kPresent))
      return missing_present(item, "map type modifier");
    return Status::ok();
  }

  void release(const MapItem &item, MappingRef ref) {
    if (policy_.pins_released && !pin(ref))
      return; // removed since it was found
    const Counter counter = item.has(map_type::kHold) ? Counter::kHold : Counter::kDynamic;
    const bool is_last = map_.release(ref, counter, item.has(map_type::kDelete)).reached_zero;
    if (observe::reports_mappings()) [[unlikely]]
      report_left(item, *ref.mapping, is_last);
    if (!is_last)
      return;
    ref.mapping->set_finisher(&plan_);
    plan_.unused.push_back(ref);
  }

  static void report_left(const MapItem &item, const Mapping &mapping, bool is_last) {
    using observe::CountChange;
    const bool is_pointer = &mapping == item.pointer_mapping.mapping && &mapping != item.mapping.mapping;
    const HostPtr begin = is_pointer ? item.base : item.begin;
    const CountChange change = item.has(map_type::kDelete)
                                   ? (is_last ? CountChange::kLastReset : CountChange::kDecremented)
                                   : (is_last ? CountChange::kLastDecremented : CountChange::kDecremented);
    observe::mapping_left({mapping.base(), begin, mapping.target_of(begin), is_pointer ? kPointerSize : item.size,
                           MappingState::count(mapping.state()), mapping.hold_count(), item.name},
                          change, item.has(map_type::kHold));
  }

  void copy_back(const MapItem &item) {
    if (!is_data(item) || !is_copied_back(item))
      return;
    if (!item.has(map_type::kAlways)) {
      if (item.mapping.mapping->finisher() != &plan_)
        return;
      if (!policy_.pins_released && !pin(item.mapping))
        return; // entered, left and removed by another thread meanwhile
    }
    if (const Copy copy = copy_of(item); copy.size > 0)
      add_copy(plan_.copies, copy);
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  MapItems &items_;
  const bool has_entered_; ///< items know their mappings
  ExitPlan &plan_;
  ConstructCounts counts_;
};

/// Descriptors of members count from the struct's begin and leave the member's place in it out; if the struct has no other
/// member here, it begins where the section does.
HostPtr section_start(const MapItems &items, size_t index) {
  const MapItem &item = items[index];
  const bool is_only_member = item.has(map_type::kNonContiguous) && item.group < 0 && index > 0 &&
                              item.parent == static_cast<int32_t>(index) - 1 &&
                              (index + 1 == items.size() || items[index + 1].parent != item.parent);
  return is_only_member ? items[index - 1].begin : HostPtr::kNull;
}

/// A struct of which members are moved.
void report_unmoved(HostDataToTargetMap &map, const MapItem &item) {
  if (const Found found = map.find(item.begin, item.size); found.is_contained)
    report_looked_up(item, item.begin, item.size, *found.ref.mapping);
}

Status update_item(HostDataToTargetMap &map, const MappingPolicy &policy, const MapItems &items, size_t index,
                   UpdatePlan &plan) {
  const MapItem &item = items[index];
  OMPTARGET_TRY_ASSIGN(const HostBlocks blocks, host_blocks(item, section_start(items, index)));
  Status missing;
  blocks.for_each([&](HostPtr begin, int64_t size) {
    if (size == 0 || !missing.is_ok())
      return;
    const Found found = map.find(begin, size);
    if (!found.is_contained) {
      if (item.has(map_type::kPresent) && !policy.use_host_memory) {
        MapItem block = item;
        block.begin = begin;
        block.size = size;
        missing = missing_present(block, "motion modifier");
      }
      return;
    }
    add_awaited(plan.awaited, found);
    if (observe::reports_mappings()) [[unlikely]]
      report_looked_up(item, begin, size, *found.ref.mapping);
    const Copy action{found.ref.mapping, begin, size, item.name};
    if (item.has(map_type::kTo))
      add_copy(plan.to_device, action);
    if (item.has(map_type::kFrom))
      add_copy(plan.to_host, action);
  });
  return missing;
}

} // namespace

Status plan_exit(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, bool has_entered,
                 ExitPlan &plan) {
  return ExitPlanner(map, policy, items, has_entered, plan).run();
}

Status plan_update(HostDataToTargetMap &map, const MappingPolicy &policy, const MapItems &items, UpdatePlan &plan) {
  constexpr uint64_t kMoves = map_type::kTo | map_type::kFrom | map_type::kPresent;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach))
      continue;
    if (items[i].has(kMoves))
      OMPTARGET_TRY(update_item(map, policy, items, i, plan));
    else if (observe::reports_mappings()) [[unlikely]]
      report_unmoved(map, items[i]);
  }
  return Status::ok();
}

} // namespace omptarget
