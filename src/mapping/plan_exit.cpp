// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaving: target exit data, the end of target data, and the way out of a target region; and target update.

#include "mapping/plan.h"

#include <algorithm>
#include <llvm/ADT/DenseSet.h>
#include <memory>

#include "base/sched_point.h"
#include "mapping/construct_counts.h"
#include "mapping/non_contiguous.h"
#include "observe/construct_events.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);
constexpr size_t kFewItems = 8; ///< that comparing with each is cheap

void report_looked_up(const MapItem &item, HostPtr begin, int64_t size, const Mapping &mapping) {
  observe::mapping_left({mapping.base(), begin, mapping.target_of(begin), size,
                         MappingState::reported_count(mapping.state()), mapping.hold_count(), item.name},
                        observe::CountChange::kSuppressed, item.has(map_type::kHold));
}

/// Mappings whose last reference the construct has taken. What a mapping itself says may be another construct's word by now.
class LastReferences {
public:
  void add(MappingRef ref) {
    if (few_.size() < kFewItems) {
      few_.push_back(ref);
      return;
    }
    if (!more_)
      more_ = std::make_unique<More>();
    more_->insert({ref.mapping, ref.generation});
  }
  bool is_empty() const { return few_.empty(); }
  bool has(MappingRef ref) const {
    return std::find(few_.begin(), few_.end(), ref) != few_.end() ||
           (more_ && more_->contains({ref.mapping, ref.generation}));
  }

private:
  using More = llvm::DenseSet<std::pair<const Mapping *, uint32_t>>;
  llvm::SmallVector<MappingRef, kFewItems> few_;
  std::unique_ptr<More> more_;
};

class ExitPlanner {
public:
  ExitPlanner(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, bool has_entered, ExitPlan &plan)
      : map_(map), policy_(policy), items_(items), has_entered_(has_entered), plan_(plan), counts_(items) {}

  /// All references are taken away before copying, so that whether a range goes is decided once for all items that lie in it.
  Status run() {
    for (MapItem &item : items_) {
      if (!is_data(item))
        continue;
      if (!has_entered_)
        OMPTARGET_TRY(look_up(item));
      if (!is_copied_back(item))
        continue;
      copies_back_ = true;
      if (item.has(map_type::kAlways)) [[unlikely]]
        OMPTARGET_TRY(pin_copied(item));
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
    OMPTARGET_SCHED_POINT("exit: all released");
    if (!plan_.late.empty())
      add_late_copies();
    if (copies_always_ || (copies_back_ && !last_.is_empty()))
      for (size_t i = items_.size(); i-- > 0;)
        copy_back(items_[i]);
    return Status::ok();
  }

private:
  using How = LeftMapping::How;

  static bool is_data(const MapItem &item) {
    return !item.has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach) && !(item.flags & kItemLookUpOnly);
  }
  static bool is_copied_back(const MapItem &item) { return item.mapping && item.has(map_type::kFrom) && item.size > 0; }
  Status pin_copied(MapItem &item) {
    copies_always_ = true;
    if (pin(item.mapping))
      return Status::ok();
    item.mapping = {}; // removed since it was found
    item.flags &= static_cast<uint8_t>(~kItemCounted);
    return item.has(map_type::kPresent) ? missing_present(item, "map type modifier") : Status::ok();
  }

  /// Other threads may leave the mapping and enter it anew, but not free it before this construct is complete.
  bool pin(MappingRef ref) {
    if (!map_.pin(ref))
      return false;
    plan_.left.push_back({ref, How::kPinned});
    return true;
  }

  /// Before anything is released.
  void report_members() const {
    for (const MapItem &item : items_)
      if (item.mapping && !(item.flags & (kItemCounted | kItemLookUpOnly)))
        report_looked_up(item, item.begin, item.size, *item.mapping.mapping);
  }

  /// Of a pointee that is present: an absent one was not entered with its pointer.
  void look_up_pointer(MapItem &item) {
    const Found pointer = map_.find(item.base, kPointerSize);
    if (!pointer.is_contained)
      return;
    item.pointer_mapping = pointer.ref;
    item.flags |= counts_.counts(item, pointer.ref, false) ? kItemPointerCounted : 0;
  }

  Status look_up(MapItem &item) {
    item.flags = 0;
    item.mapping = item.pointer_mapping = {};
    const Found found = map_.find(item.begin, item.size);
    if (found.is_contained || (found.is_overlapped && item.has(map_type::kImplicit))) {
      if (item.has(map_type::kPtrAndObj))
        look_up_pointer(item);
      item.mapping = found.ref;
      add_awaited(plan_.awaited, found);
      // What deletes a member deletes the struct's mapping, which the struct itself is only released from.
      const bool counts = counts_.counts(item, found.ref, item.has(map_type::kPtrAndObj));
      item.flags |= counts || item.has(map_type::kDelete) ? kItemCounted : 0;
      return Status::ok();
    }
    if (policy_.use_host_memory)
      item.flags |= kItemHostPointer;
    else if (item.has(map_type::kPresent))
      return missing_present(item, "map type modifier");
    return Status::ok();
  }

  [[gnu::always_inline]] void release(const MapItem &item, MappingRef ref) {
    if (policy_.pins_released && !pin(ref))
      return; // removed since it was found
    if (policy_.pins_released && has_entered_ && !is_infinite(ref))
      return release_unless_shared(item, ref);
    const Counter counter = item.has(map_type::kHold) ? Counter::kHold : Counter::kDynamic;
    const bool pins_last = copies_back_ && !policy_.pins_released && pins_if_last(item, ref);
    const Released released = map_.release(ref, counter, item.has(map_type::kDelete), pins_last);
    OMPTARGET_SCHED_POINT("exit: released");
    if (observe::reports_mappings()) [[unlikely]]
      report_left(item, *ref.mapping, released.reached_zero);
    if (released.reached_zero) [[unlikely]]
      left_last(ref, released.is_pinned);
  }

  static bool is_infinite(MappingRef ref) {
    return MappingState::count(ref.mapping->state()) == MappingState::kInfinite;
  }

  /// What others reference, too, is left late.
  [[gnu::noinline]] void release_unless_shared(const MapItem &item, MappingRef ref) {
    const bool is_last = !item.has(map_type::kHold) && map_.release_if_last(ref).reached_zero;
    if (!is_last) {
      plan_.late.push_back(late_item(item, ref));
      return;
    }
    if (observe::reports_mappings()) [[unlikely]]
      report_left(item, *ref.mapping, true);
    left_last(ref, false);
  }

  static MapItem late_item(const MapItem &item, MappingRef ref) {
    MapItem late = item;
    late.type &= ~map_type::kAlways; // was copied in its turn
    late.flags = kItemCounted;
    if (late.mapping == ref)
      return late;
    late.mapping = ref; // the pointer of PTR_AND_OBJ, which is only released
    late.type &= ~(map_type::kFrom | map_type::kPtrAndObj);
    return late;
  }

  /// What is copied back with those that are left late, and not counted itself.
  void add_late_copies() {
    const size_t counted = plan_.late.size();
    for (const MapItem &item : items_) {
      if (!is_data(item) || !is_copied_back(item) || (item.flags & kItemCounted))
        continue;
      for (size_t i = 0; i < counted; ++i)
        if (plan_.late[i].mapping == item.mapping) {
          plan_.late.push_back(item);
          plan_.late.back().type &= ~(map_type::kAlways | map_type::kPtrAndObj);
          plan_.late.back().flags = 0;
          break;
        }
    }
  }

  [[gnu::noinline]] void left_last(MappingRef ref, bool is_pinned) {
    if (!policy_.pins_released)
      plan_.left.push_back({ref, is_pinned ? How::kPinned : How::kUnused});
    if (is_pinned || policy_.pins_released)
      last_.add(ref);
  }

  /// Whether the mapping must stay if this takes its last reference: an item that is copied back lies in it. For a hit among
  /// many items the answer may be yes needlessly; it costs nothing then.
  [[gnu::noinline]] bool pins_if_last(const MapItem &item, MappingRef ref) const {
    const bool may_be_last = item.has(map_type::kDelete) || MappingState::count(ref.mapping->state()) <= 1;
    if (!may_be_last || is_copied_back(item) || items_.size() > kFewItems)
      return true;
    for (const MapItem &other : items_)
      if (is_data(other) && is_copied_back(other) && other.mapping == ref)
        return true;
    return false;
  }

  static void report_left(const MapItem &item, const Mapping &mapping, bool is_last) {
    using observe::CountChange;
    const bool is_pointer = &mapping == item.pointer_mapping.mapping && &mapping != item.mapping.mapping;
    const HostPtr begin = is_pointer ? item.base : item.begin;
    const CountChange change = item.has(map_type::kDelete)
                                   ? (is_last ? CountChange::kLastReset : CountChange::kDecremented)
                                   : (is_last ? CountChange::kLastDecremented : CountChange::kDecremented);
    observe::mapping_left({mapping.base(), begin, mapping.target_of(begin), is_pointer ? kPointerSize : item.size,
                           MappingState::reported_count(mapping.state()), mapping.hold_count(), item.name},
                          change, item.has(map_type::kHold));
  }

  void copy_back(const MapItem &item) {
    if (!is_data(item) || !is_copied_back(item))
      return;
    if (!item.has(map_type::kAlways) && !last_.has(item.mapping))
      return;
    if (const Copy copy = copy_of(item); copy.size > 0)
      add_copy(plan_.copies, copy);
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  MapItems &items_;
  const bool has_entered_; ///< items know their mappings
  ExitPlan &plan_;
  ConstructCounts counts_;
  bool copies_back_ = false;   ///< some item
  bool copies_always_ = false; ///< some item, whatever its count
  LastReferences last_;        ///< to what is pinned
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

class UpdatePlanner {
public:
  UpdatePlanner(HostDataToTargetMap &map, const MappingPolicy &policy, UpdatePlan &plan, LeftMappings &left)
      : map_(map), policy_(policy), plan_(plan), left_(left) {}

  Status add(const MapItems &items, size_t index) {
    const MapItem &item = items[index];
    if (!item.has(map_type::kNonContiguous)) [[likely]]
      return add_block(item, item.begin, item.size);
    OMPTARGET_TRY_ASSIGN(const HostBlocks blocks, host_blocks(item, section_start(items, index)));
    Status status;
    blocks.for_each([&](HostPtr begin, int64_t size) {
      if (status.is_ok())
        status = add_block(item, begin, size);
    });
    return status;
  }

private:
  Status add_block(const MapItem &item, HostPtr begin, int64_t size) {
    if (size == 0)
      return Status::ok();
    const char *const needed_by = item.has(map_type::kPresent) ? "motion modifier" : nullptr;
    const Found found = find_and_borrow(begin, size);
    const Copy action{found.ref, begin, size, item.name, needed_by};
    if (!found.is_contained)
      return needed_by && !policy_.use_host_memory ? missing_present(action) : Status::ok();
    add_awaited(plan_.awaited, found);
    if (observe::reports_mappings()) [[unlikely]]
      report_looked_up(item, begin, size, *found.ref.mapping);
    if (item.has(map_type::kTo))
      add_copy(plan_.to_device, action);
    if (item.has(map_type::kFrom))
      add_copy(plan_.to_host, action);
    return Status::ok();
  }

  Found find_and_borrow(HostPtr begin, int64_t size) {
    for (;;) {
      const Found found = map_.find(begin, size);
      if (!found.is_contained || (!left_.empty() && left_.back().ref == found.ref))
        return found;
      OMPTARGET_SCHED_POINT("update: found");
      if (!map_.borrow(found.ref)) [[unlikely]]
        continue; // removed since it was found
      left_.push_back({found.ref, LeftMapping::How::kBorrowed});
      return found;
    }
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  UpdatePlan &plan_;
  LeftMappings &left_;
};

} // namespace

Status plan_exit(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, bool has_entered,
                 ExitPlan &plan) {
  return ExitPlanner(map, policy, items, has_entered, plan).run();
}

Status plan_update(HostDataToTargetMap &map, const MappingPolicy &policy, const MapItems &items, UpdatePlan &plan,
                   LeftMappings &left) {
  constexpr uint64_t kMoves = map_type::kTo | map_type::kFrom | map_type::kPresent;
  UpdatePlanner planner(map, policy, plan, left);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach))
      continue;
    if (items[i].has(kMoves))
      OMPTARGET_TRY(planner.add(items, i));
    else if (observe::reports_mappings()) [[unlikely]]
      report_unmoved(map, items[i]);
  }
  return Status::ok();
}

} // namespace omptarget
