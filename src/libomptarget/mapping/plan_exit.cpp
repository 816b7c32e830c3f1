// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leaving: target exit data, the end of target data, and the way out of a target region.

#include "mapping/plan.h"

#include <algorithm>
#include <llvm/ADT/DenseSet.h>
#include <memory>

#include "base/sched_point.h"
#include "mapping/base_pointers.h"
#include "mapping/construct_counts.h"
#include "mapping/non_contiguous.h"
#include "mapping/variable_name.h"
#include "observe/construct_events.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);
constexpr size_t kFewItems = 8; ///< that comparing with each is cheap

void report_looked_up(const MapItem &item, HostPtr begin, int64_t size, const Mapping &mapping) {
  observe::mapping_left(facts_of(mapping, begin, size, item.name), observe::CountChange::kSuppressed,
                        item.has(map_type::kHold));
}

/// Mappings of which the construct knows something. The mapping itself may tell of another construct by now.
class MappingSet {
public:
  void add(MappingRef ref) {
    if (!few_.empty() && few_.back() == ref)
      return; // members of one struct follow one another
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
      : map_(map), policy_(policy), items_(items), has_entered_(has_entered),
        pins_(policy.pins_released && (has_entered || !policy.copies_in_turn)), plan_(plan), counts_(items) {}

  /// All references are taken away before copying, so that whether a range goes is decided once for all items that
  /// lie in it.
  Status run() {
    for (MapItem &item : items_) {
      if (!is_data(item))
        continue;
      if (!has_entered_)
        OMPTARGET_TRY(look_up(static_cast<size_t>(&item - items_.data())));
      if (!is_copied_back(item))
        continue;
      copied_.add(item.mapping);
      if (item.has(map_type::kAlways)) [[unlikely]]
        OMPTARGET_TRY(start_always(item));
    }
    if (observe::reports_mappings()) [[unlikely]]
      report_members();
    for (MapItem &item : items_) {
      if (!is_data(item))
        continue;
      if (item.flags & kItemCounted)
        release(item, item.mapping);
      if (item.flags & kItemPointerCounted)
        release(item, item.pointer_mapping);
    }
    OMPTARGET_SCHED_POINT("exit: all released");
    if (!late_.is_empty())
      add_late_copies();
    if (!always_.is_empty() || !last_.is_empty())
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
  /// `always`: the data are copied back, whoever references them.
  Status start_always(MapItem &item) {
    if (late_.has(item.mapping) || always_.has(item.mapping))
      return Status::ok();
    switch (take_turn(item.mapping)) {
    case Turn::kTaken: always_.add(item.mapping); return Status::ok();
    case Turn::kBusy: late_.add(item.mapping); return Status::ok();
    case Turn::kGone: break;
    }
    item.mapping = {}; // removed since it was found
    item.flags &= static_cast<uint8_t>(~kItemCounted);
    return item.has(map_type::kPresent) ? missing_present(item, "map type modifier") : Status::ok();
  }

  Turn take_turn(MappingRef ref) {
    if (!policy_.copies_in_turn) [[unlikely]]
      return pin(ref) ? Turn::kTaken : Turn::kGone;
    const Turn turn = ref.take_turn();
    if (turn == Turn::kTaken)
      plan_.left.push_back({ref, How::kInTurn});
    return turn;
  }

  /// Returns the action of a release that takes the last reference. Without turns a pin keeps copied data present.
  OnLast on_last(MappingRef ref) {
    if (copied_.is_empty() || !copied_.has(ref) || always_.has(ref) || last_.has(ref))
      return OnLast::kLeave;
    if (OMPTARGET_PLANTED("copy-back-unpinned"))
      return OnLast::kLeave;
    if (policy_.copies_in_turn) [[likely]]
      return OnLast::kTakeTurn;
    (void)pin(ref);
    return OnLast::kLeave;
  }

  /// Other threads may leave the mapping and enter it anew, but not free it before this construct is complete.
  bool pin(MappingRef ref) {
    if (!map_.rare_uses().pin(ref))
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
      add_awaited(plan_.awaited, found);
      item.flags |= releases(index, found.ref) ? kItemCounted : 0;
      return Status::ok();
    }
    if (policy_.use_host_memory)
      item.flags |= kItemHostPointer;
    else if (item.has(map_type::kPresent))
      return missing_present(item, "map type modifier");
    return Status::ok();
  }

  [[gnu::always_inline]] void release(MapItem &item, MappingRef ref) {
    if (!late_.is_empty() && late_.has(ref)) [[unlikely]]
      return leave_late(item, ref);
    if (may_go_now(item, ref) && remove_now(item, ref)) [[unlikely]]
      return;
    if (pins_ && !pin(ref))
      return; // removed since it was found
    if (pins_ && has_entered_ && MappingState::count(ref.mapping->state()) != MappingState::kInfinite)
      return release_unless_shared(item, ref);
    const bool resets = deletes(item, ref);
    if (resets && !item.has(map_type::kHold))
      map_.rare_uses().forget_base_pointers(ref);
    const Released released = omptarget::release(map_, item, ref, resets, on_last(ref));
    OMPTARGET_SCHED_POINT("exit: released");
    if (released.must_wait) [[unlikely]]
      return leave_late(item, ref);
    if (observe::reports_mappings()) [[unlikely]]
      report_left(item, *ref.mapping, released.reached_zero);
    if (released.reached_zero) [[unlikely]]
      left_last(ref, released.has_turn);
    if (is_left_in_turn(ref) && !always_.has(ref) && !last_.has(ref)) [[unlikely]]
      plan_.turns.push_back(ref);
  }

  /// Returns whether nobody references the mapping, and a construct copies its data back.
  static bool is_left_in_turn(MappingRef ref) {
    const uint64_t word = ref.mapping->state();
    return (word & MappingState::kTurn) != 0 && ref.is_of(word) && MappingState::is_unused(word);
  }

  /// Returns whether the item deletes the mapping, which is not that of its pointer.
  static bool deletes(const MapItem &item, MappingRef ref) {
    return item.has(map_type::kDelete) && ref == item.mapping;
  }

  /// Returns whether the item deletes the mapping, or takes its last reference away, and no kernel of the construct may
  /// be using it.
  bool may_go_now(const MapItem &item, MappingRef ref) const {
    return deletes(item, ref) || (!pins_ && MappingState::use(ref.mapping->state()) == MappingState::kReadyAndLast);
  }

  /// Data that nothing works on, and that are not copied back, are removed at once. A construct that enters them
  /// afterwards maps them anew, even if this one goes on for long. False: nothing has happened.
  [[gnu::noinline]] bool remove_now(const MapItem &item, MappingRef ref) {
    if (item.has(map_type::kHold) || copied_.has(ref) || always_.has(ref))
      return false;
    const bool is_deleted = deletes(item, ref);
    const bool is_pointer = ref == item.pointer_mapping && ref != item.mapping;
    const bool is_told = observe::reports_mappings();
    observe::MappingFacts facts{};
    if (is_told) [[unlikely]]
      facts =
          facts_of(*ref.mapping, is_pointer ? item.base : item.begin, is_pointer ? kPointerSize : item.size, item.name);
    const Removed removed = is_deleted ? map_.delete_all(ref) : map_.leave_last(ref);
    if (!removed.is_removed)
      return false;
    OMPTARGET_SCHED_POINT("exit: released");
    facts.dynamic_count = 0;
    if (is_told) [[unlikely]]
      observe::mapping_left(
          facts, is_deleted ? observe::CountChange::kLastReset : observe::CountChange::kLastDecremented, false);
    plan_.removed.push_back(removed);
    return true;
  }

  /// Leaves data that others reference late.
  [[gnu::noinline]] void release_unless_shared(MapItem &item, MappingRef ref) {
    const Released released = item.has(map_type::kHold) ? Released{true, false, 0} : ref.release_if_last(on_last(ref));
    if (!released.reached_zero)
      return leave_late(item, ref);
    if (observe::reports_mappings()) [[unlikely]]
      report_left(item, *ref.mapping, true);
    left_last(ref, released.has_turn);
  }

  [[gnu::noinline]] void leave_late(MapItem &item, MappingRef ref) {
    if (!late_.has(ref))
      late_.add(ref);
    plan_.late.push_back(late_item(item, ref));
    plan_.late.back().flags = kItemCounted;
    if (item.mapping == ref)
      item.flags |= kItemLate;
  }

  MapItem late_item(const MapItem &item, MappingRef ref) const {
    MapItem late = item;
    late.flags = 0;
    late.type &= ~map_type::kPresent; // it was there
    if (always_.has(ref))
      late.type &= ~map_type::kAlways; // this plan copies it
    if (late.mapping == ref)
      return late;
    late.mapping = ref; // the pointer of PTR_AND_OBJ, which is only released
    late.type &= ~(map_type::kFrom | map_type::kPtrAndObj | map_type::kDelete);
    return late;
  }

  /// Adds the other copies back of data that are left late: members, and items whose reference was not the last one.
  void add_late_copies() {
    for (const MapItem &item : items_) {
      if (!is_data(item) || !is_copied_back(item) || (item.flags & kItemLate) || !late_.has(item.mapping))
        continue;
      plan_.late.push_back(late_item(item, item.mapping));
      plan_.late.back().type &= ~map_type::kPtrAndObj;
    }
  }

  [[gnu::noinline]] void left_last(MappingRef ref, bool has_turn) {
    if (has_turn)
      plan_.left.push_back({ref, How::kInTurn});
    else if (!pins_ && !always_.has(ref))
      plan_.left.push_back({ref, How::kUnused});
    if (!copied_.is_empty() && copied_.has(ref))
      last_.add(ref);
  }

  static void report_left(const MapItem &item, const Mapping &mapping, bool is_last) {
    using observe::CountChange;
    const bool is_pointer = &mapping == item.pointer_mapping.mapping && &mapping != item.mapping.mapping;
    const HostPtr begin = is_pointer ? item.base : item.begin;
    const CountChange change = item.has(map_type::kDelete) && !is_pointer
                                   ? (is_last ? CountChange::kLastReset : CountChange::kDecremented)
                                   : (is_last ? CountChange::kLastDecremented : CountChange::kDecremented);
    observe::mapping_left(facts_of(mapping, begin, is_pointer ? kPointerSize : item.size, item.name), change,
                          item.has(map_type::kHold));
  }

  void copy_back(const MapItem &item) {
    if (!is_data(item) || !is_copied_back(item))
      return;
    if (!last_.has(item.mapping) && !(item.has(map_type::kAlways) && always_.has(item.mapping)))
      return;
    if (const Copy copy = copy_of(item); copy.size > 0)
      add_copy(plan_.copies, copy);
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  MapItems &items_;
  const bool has_entered_; ///< items know their mappings
  const bool pins_;        ///< queued work of the construct uses what it leaves
  ExitPlan &plan_;
  ConstructCounts counts_;
  MappingSet copied_; ///< where some item is to be copied back
  MappingSet always_; ///< where some item is, whatever the count: this construct has the turn
  MappingSet last_;   ///< of copied_, those whose last reference this construct has taken: it has the turn
  MappingSet late_;   ///< left late
};

} // namespace

Removed leave_mapping(HostDataToTargetMap &map, const LeftMapping &left) {
  switch (left.how) {
  case LeftMapping::How::kUnused: return map.remove_if_unused(left.ref);
  case LeftMapping::How::kInTurn: return map.end_turn(left.ref);
  case LeftMapping::How::kPinned: return map.rare_uses().unpin(left.ref) ? map.remove_if_unused(left.ref) : Removed{};
  case LeftMapping::How::kBorrowed: break;
  }
  return map.give_back(left.ref);
}

Status plan_exit(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, bool has_entered,
                 ExitPlan &plan) {
  return ExitPlanner(map, policy, items, has_entered, plan).run();
}

} // namespace omptarget
