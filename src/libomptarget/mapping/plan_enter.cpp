// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entering: target enter data, the begin of target data, and the way in of a target region.

#include "mapping/plan.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>

#include "base/log.h"
#include "base/sched_point.h"
#include "mapping/construct_counts.h"
#include "mapping/variable_name.h"
#include "observe/construct_events.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);
constexpr int64_t kMaxAlignment = 16;

std::string missing_text(HostPtr begin, int64_t size, const char *modifier) {
  return format("device mapping required by 'present' %s does not exist for host address 0x%016" PRIxPTR " (%" PRIu64
                " bytes)",
                modifier, static_cast<uintptr_t>(begin), size);
}

Status extension_not_allowed(const MapItem &item, HostPtr begin, int64_t size, const Found &found) {
  Status status = Status::message(
      format("explicit extension not allowed: host address specified is 0x%016" PRIxPTR " (%" PRIu64
             " bytes), but device allocation maps to host at 0x%016" PRIxPTR " (%" PRIu64 " bytes)",
             static_cast<uintptr_t>(begin), size, static_cast<uintptr_t>(found.begin), found.end - found.begin));
  const bool is_present = item.has(map_type::kPresent);
  if (is_present)
    status = std::move(status).explained(missing_text(item.begin, item.size, "map type modifier"));
  return std::move(status)
      .during(is_present ? "Call to getTargetPointer returned null pointer ('present' map type modifier)."
                         : "Call to getTargetPointer returned null pointer (device failure or illegal mapping).")
      .about(variable_text(item));
}

/// The looked up or mapped range of an item: its own, or the pointer of PTR_AND_OBJ.
struct Range {
  HostPtr begin;
  int64_t size;
  HostPtr base;
  bool is_pointer;
};

/// Where a range ended up.
struct Binding {
  MappingRef ref{};
  bool is_counted = false;
  bool is_host_pointer = false;
};

bool is_removed(MappingRef ref) { return ref && ref.is_removed(); }

class EnterPlanner {
public:
  EnterPlanner(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, EnterPlan &plan)
      : map_(map), policy_(policy), items_(items), plan_(plan), counts_(items) {}

  Status run() {
    for (MapItem &item : items_) {
      if (item.has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach))
        continue;
      if (item.flags & kItemLookUpOnly) [[unlikely]]
        look_up(item);
      else if (!is_bound(item))
        OMPTARGET_TRY(enter(item));
      attach_to_range(item);
    }
    for (const MapItem &item : items_)
      if (item.has(map_type::kAttach | map_type::kPtrAndObj) && !item.has(map_type::kPrivate))
        attach_deferred(item);
    return Status::ok();
  }

private:
  bool may_be_used_in_place(const MapItem &item) const {
    return policy_.use_host_memory && !item.has(map_type::kClose) && !has_close_member(item);
  }

  /// Returns whether the item is a struct with a member that is close. Clang before 22 marks the member alone.
  bool has_close_member(const MapItem &item) const {
    const auto index = static_cast<size_t>(&item - items_.data());
    if (!is_combined(items_, index)) [[likely]]
      return false;
    for (size_t i = index + 1; i < items_.size() && items_[i].is_member() && items_[i].group == item.group; ++i)
      if (items_[i].has(map_type::kClose) && !items_[i].has(map_type::kPtrAndObj))
        return true;
    return false;
  }

  /// Returns whether it was entered before planning began, or by an earlier attempt.
  static bool is_bound(const MapItem &item) {
    return item.mapping && (item.pointer_mapping || !item.has(map_type::kPtrAndObj));
  }

  Status enter(MapItem &item) {
    OMPTARGET_TRY(check_range(item, item.begin, item.size));
    if (item.has(map_type::kPtrAndObj))
      OMPTARGET_TRY(bind_pointer_and_range(item));
    else
      OMPTARGET_TRY(bind_range(item, item.base));
    if (!item.mapping)
      return Status::ok();
    if (item.has(map_type::kTo) && item.size > 0)
      copy(item);
    return Status::ok();
  }

  /// With every attempt: what was planned before is forgotten.
  void attach_to_range(const MapItem &item) {
    if (item.has(map_type::kPtrAndObj) && item.mapping && item.pointer_mapping &&
        holds(*item.pointer_mapping.mapping, item.base))
      attach({item.pointer_mapping, item.base, kPointerSize, item.mapping, item.begin});
  }

  Status bind_range(MapItem &item, HostPtr base) {
    if (item.mapping)
      return Status::ok(); // an earlier attempt has bound it
    Binding range;
    OMPTARGET_TRY(bind(item, {item.begin, item.size, base, false}, range));
    item.mapping = range.ref;
    item.flags |= (range.is_counted ? kItemCounted : 0) | (range.is_host_pointer ? kItemHostPointer : 0);
    return Status::ok();
  }

  Status bind_pointer(MapItem &item) {
    if (item.pointer_mapping)
      return Status::ok();
    Binding pointer;
    OMPTARGET_TRY(bind(item, {item.base, kPointerSize, item.base, true}, pointer));
    item.pointer_mapping = pointer.ref;
    item.flags |= pointer.is_counted ? kItemPointerCounted : 0;
    return Status::ok();
  }

  /// A pointer is mapped and counted with what it points to only: leaving cannot tell otherwise.
  Status bind_pointer_and_range(MapItem &item) {
    const bool may_be_absent = item.size == 0 || may_be_used_in_place(item);
    if (!may_be_absent) [[likely]] {
      OMPTARGET_TRY(bind_pointer(item));
      return bind_range(item, load_pointer(item.base));
    }
    OMPTARGET_TRY(bind_range(item, load_pointer(item.base)));
    return item.mapping ? bind_pointer(item) : Status::ok();
  }

  /// Deals with a pointer whose target has no storage on the device. A target that is used in place has its host
  /// address there. Otherwise there is nothing to attach to: a pointer in storage of this construct keeps the host's
  /// value (OpenMP 5.2, section 5.4.4). The struct around it need not be copied.
  void leave_unattached(const Found &pointer, const MapItem &item, int64_t size) {
    if (!pointer.is_contained)
      return;
    if (may_be_used_in_place(item)) {
      if (keep(pointer))
        attach({pointer.ref, item.base, size, {}, item.begin});
    } else if (is_unpublished(pointer.ref.mapping)) {
      add_copy(plan_.copies, {pointer.ref, item.base, size, item.name});
    }
  }

  /// Returns whether all of the pointer is in the mapping: implicit items may lie in one partly.
  static bool holds(const Mapping &mapping, HostPtr pointer) {
    return pointer >= mapping.begin() && pointer + kPointerSize <= mapping.end();
  }

  void look_up(MapItem &item) {
    const Found found = map_.find(item.begin, 0);
    if (found.is_contained)
      item.mapping = found.ref;
  }

  /// Finds the range or makes a mapping of it.
  Status bind(const MapItem &item, const Range &range, Binding &binding) {
    const bool is_pointee = !range.is_pointer && item.has(map_type::kPtrAndObj);
    for (bool is_absent = item.flags & kItemAbsent;; is_absent = false) {
      const Found found = is_absent ? Found{} : map_.find(range.begin, range.size);
      if (!found.is_contained && !(found.is_overlapped && item.has(map_type::kImplicit))) {
        if (found.is_overlapped)
          return extension_not_allowed(item, range.begin, range.size, found);
        OMPTARGET_TRY_ASSIGN(const bool is_done, bind_missing(item, range, is_pointee, binding));
        if (is_done)
          return Status::ok();
        continue; // somebody else was faster
      }
      if (is_made_too_late(item, range, found.ref)) [[unlikely]]
        return absent_on_entry(item);
      const bool counts = counts_.counts(item, found.ref, is_pointee);
      const Retained retained = counts ? retain(item, found.ref) : Retained{true};
      if (!retained) [[unlikely]] {
        counts_.take_back(item, found.ref);
        continue; // removed since it was found
      }
      if (retained.must_wait) [[unlikely]]
        plan_.turns.push_back(found.ref);
      OMPTARGET_SCHED_POINT("enter: retained");
      await(found);
      if (observe::reports_mappings() || traces(Topic::kMapping)) [[unlikely]]
        report_entered(item, range, *found.ref.mapping, counts);
      binding = {found.ref, counts, false};
      return Status::ok();
    }
  }

  static Status absent_on_entry(const MapItem &item) {
    return missing_present(item, "map type modifier")
        .during("Call to getTargetPointer returned null pointer ('present' map type modifier).");
  }

  /// Returns whether the data must be present on entry (OpenMP 5.2, section 5.8.3), and an item before this one has
  /// made them.
  bool is_made_too_late(const MapItem &item, const Range &range, MappingRef ref) const {
    return item.has(map_type::kPresent) && !range.is_pointer && !may_be_used_in_place(item) && is_own(ref);
  }

  /// False if another thread has mapped the range since it was looked up.
  Result<bool> bind_missing(const MapItem &item, const Range &range, bool is_pointee, Binding &binding) {
    if (may_be_used_in_place(item)) {
      binding.is_host_pointer = true;
      if (range.size != 0 && observe::reports_mappings()) [[unlikely]]
        observe::mapping_on_host(range.begin, range.size);
      return true;
    }
    if (item.has(map_type::kPresent) && !range.is_pointer)
      return absent_on_entry(item);
    if (range.size == 0)
      return true;
    const Inserted inserted =
        map_.insert({range.begin, range.begin + range.size, range.base, item.name, &plan_, counter_of(item)});
    if (!inserted.is_new)
      return false;
    const uint8_t padding = range.is_pointer ? 0 : padding_of(item);
    plan_.allocations.push_back({inserted.found.ref, range.begin, range.size, padding});
    OMPTARGET_SCHED_POINT("enter: inserted");
    (void)counts_.counts(item, inserted.found.ref, is_pointee); // the one that it was made with
    binding = {inserted.found.ref, true, false};
    return true;
  }

  Retained retain(const MapItem &item, MappingRef ref) {
    return item.has(map_type::kHold) ? map_.rare_uses().retain_hold(ref) : ref.retain();
  }

  static Counter counter_of(const MapItem &item) {
    return item.has(map_type::kHold) ? Counter::kHold : Counter::kDynamic;
  }

  /// Another construct makes the mapping: its storage, or its data, may still be on the way.
  void await(const Found &found) {
    if (!is_unpublished(found.ref.mapping))
      add_awaited(plan_.awaited, found);
  }

  void report_entered(const MapItem &item, const Range &range, const Mapping &mapping, bool counts) {
    // The pointer of a pointer and its pointee has no name of its own.
    const EnteredMapping entered{&mapping,
                                 policy_.device,
                                 facts_of(mapping, range.begin, range.size, range.is_pointer ? nullptr : item.name),
                                 counts ? observe::CountChange::kIncremented : observe::CountChange::kSuppressed,
                                 item.has(map_type::kHold),
                                 item.has(map_type::kImplicit)};
    if (is_unpublished(&mapping))
      plan_.entered.push_back(entered); // has no address yet
    else
      entered.report();
  }

  /// Returns whether this plan makes the mapping. Others wait for its data.
  bool is_unpublished(const Mapping *mapping) const { return mapping->is_created_by(&plan_); }

  /// Returns whether this construct has made the mapping.
  bool is_own(MappingRef ref) const {
    if (is_unpublished(ref.mapping) || llvm::is_contained(plan_.published, ref))
      return true;
    return std::any_of(items_.begin(), items_.end(),
                       [&](const MapItem &item) { return (item.flags & kItemNew) && item.mapping == ref; });
  }

  /// A struct is mapped from its first mapped member on: the storage is padded so that all members are as aligned as
  /// they are on the host.
  uint8_t padding_of(const MapItem &item) const {
    if (!is_combined(items_, static_cast<size_t>(&item - items_.data())))
      return 0;
    const auto base = static_cast<uintptr_t>(item.base);
    const int64_t base_alignment = static_cast<int64_t>(base & (~base + 1));
    const int64_t alignment = base_alignment == 0 || base_alignment > kMaxAlignment ? kMaxAlignment : base_alignment;
    return static_cast<uint8_t>(static_cast<uintptr_t>(item.begin) % static_cast<uintptr_t>(alignment));
  }

  void copy(const MapItem &item) {
    const bool is_new = is_unpublished(item.mapping.mapping);
    if (!is_new && !item.has(map_type::kAlways)) [[likely]]
      return;
    if (const Copy action = copy_of(item); action.size > 0)
      is_new ? add_copy(plan_.copies, action) : add_copy(plan_.late_copies, action);
  }

  void attach(const Attachment &action) {
    (is_unpublished(action.pointer_mapping.mapping) ? plan_.attachments : plan_.late_attachments).push_back(action);
  }

  /// Returns whether this construct maps the pointer and its target and finds it unattached: others may have mapped
  /// one of them anew.
  bool lacks_attachment(const MapItem &item, MappingRef pointer, MappingRef target) const {
    return !OMPTARGET_PLANTED("attachment-unchecked") && maps_before(item, item.base, pointer) &&
           maps_before(item, item.begin, target) && !map_.attached_pointers().is_attached(pointer, item.base, target);
  }

  /// Returns whether the range of an item before that one holds the address. Compilers pass pointers behind all that
  /// is mapped.
  bool maps_before(const MapItem &item, HostPtr address, MappingRef mapping) const {
    return llvm::any_of(llvm::ArrayRef<MapItem>(items_.data(), &item), [&](const MapItem &other) {
      return other.mapping == mapping && address >= other.begin && address < other.begin + other.size;
    });
  }

  /// Once all is mapped. ATTACH: only where this construct made storage, or finds the attachment missing, unless
  /// always; nothing is counted.
  void attach_deferred(const MapItem &item) {
    if (!item.has(map_type::kAttach)) {
      if (!item.mapping && !item.has(map_type::kLiteral))
        leave_unattached(map_.find(item.base, kPointerSize), item, kPointerSize);
      return;
    }
    const Found pointer = map_.find(item.base, item.size);
    const Found target = map_.find(item.begin, 0);
    if (!target.is_contained)
      return leave_unattached(pointer, item, item.size);
    if (!pointer.is_contained)
      return;
    const bool always = item.has(map_type::kAlways) || policy_.attach_always;
    if (!always && !is_own(pointer.ref) && !is_own(target.ref) && !lacks_attachment(item, pointer.ref, target.ref))
      return;
    if (!keep(pointer))
      return;
    await(target);
    attach({pointer.ref, item.base, item.size, target.ref, item.begin});
  }

  /// Keeps what a pointer lies in: this construct need not have a reference to it. False: it is gone.
  bool keep(const Found &pointer) {
    if (!is_unpublished(pointer.ref.mapping)) {
      if (!map_.borrow(pointer.ref))
        return false; // removed since it was found
      plan_.borrowed.push_back(pointer.ref);
    }
    await(pointer);
    return true;
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  MapItems &items_;
  EnterPlan &plan_;
  ConstructCounts counts_;
};

} // namespace

void EnteredMapping::report() const {
  observe::MappingFacts placed = facts;
  placed.target = mapping->target_of(facts.begin);
  OMPTARGET_TRACE_DEVICE(Topic::kMapping, device, "present: host %p, %" PRIu64 " bytes, at device %p, count %u%s",
                         raw(placed.begin), placed.size, raw(placed.target), placed.dynamic_count,
                         change == observe::CountChange::kIncremented ? ", counted" : "");
  if (observe::reports_mappings()) [[unlikely]]
    observe::mapping_entered(placed, change, is_hold, is_implicit);
}

[[gnu::cold]] Status no_such_range(const MapItem &item, HostPtr begin, int64_t size) {
  return Status::error(format(size < 0 ? "size %" PRId64 " of host address 0x%016" PRIxPTR " is negative"
                                       : "%" PRId64 " bytes at host address 0x%016" PRIxPTR
                                         " reach out of the address space",
                              size, static_cast<uintptr_t>(begin)))
      .about(variable_text(item));
}

Status missing_present(const MapItem &item, const char *modifier) {
  return Status::message(missing_text(item.begin, item.size, modifier)).about(variable_text(item));
}

Status missing_present(const Copy &copy) {
  return Status::message(missing_text(copy.host, copy.size, copy.needed_by)).about(variable_text(copy.name, copy.size));
}

Copy copy_of(const MapItem &item) {
  const Mapping &mapping = *item.mapping.mapping;
  HostPtr begin = item.begin;
  HostPtr end = begin + item.size;
  if (item.has(map_type::kImplicit)) { // may lie in it partly
    begin = std::max(begin, mapping.begin());
    end = std::min(end, mapping.end());
  }
  return {item.mapping, begin, end - begin, item.name, item.has(map_type::kPresent) ? "map type modifier" : nullptr};
}

bool extend(Copy &last, const Copy &copy) {
  const HostPtr begin = std::min(last.host, copy.host);
  const HostPtr end = std::max(last.host + last.size, copy.host + copy.size);
  if (last.mapping != copy.mapping || end - begin > last.size + copy.size)
    return false;
  last.host = begin;
  last.size = end - begin;
  if (!last.needed_by)
    last.needed_by = copy.needed_by;
  return true;
}

void add_copy(llvm::SmallVectorImpl<Copy> &copies, const Copy &copy) {
  if (copies.empty() || !extend(copies.back(), copy))
    copies.push_back(copy);
}

Status plan_enter(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, EnterPlan &plan) {
  Status status = EnterPlanner(map, policy, items, plan).run();
  if (!status)
    abandon_enter(map, items, plan);
  return status;
}

void forget_gone(MapItems &items, EnterPlan &plan) {
  for (MapItem &item : items) {
    if (is_removed(item.mapping)) {
      item.mapping = {};
      item.flags &= static_cast<uint8_t>(~(kItemCounted | kItemNew));
    }
    if (is_removed(item.pointer_mapping)) {
      item.pointer_mapping = {};
      item.flags &= static_cast<uint8_t>(~kItemPointerCounted);
    }
  }
  llvm::erase_if(plan.late_copies, [](const Copy &copy) { return is_removed(copy.mapping); });
  llvm::erase_if(plan.awaited, is_removed);
  llvm::erase_if(plan.turns, is_removed);
  plan.attachments.clear(); // planned anew, all of them
  plan.late_attachments.clear();
}

void abandon_enter(HostDataToTargetMap &map, MapItems &items, EnterPlan &plan) {
  // Before anything else goes: nobody else may remove them, so that their creator tells them from what others made.
  for (const NewStorage &storage : plan.allocations)
    plan.removed.push_back(map.discard(storage.ref));
  for (const MapItem &item : items) {
    const auto give_back = [&](MappingRef ref) {
      if (ref && release(map, item, ref, false, OnLast::kLeave).reached_zero)
        plan.removed.push_back(map.remove_if_unused(ref));
    };
    if (item.flags & kItemCounted)
      give_back(item.mapping);
    if (item.flags & kItemPointerCounted)
      give_back(item.pointer_mapping);
  }
  for (const MappingRef &ref : plan.borrowed)
    plan.removed.push_back(map.give_back(ref));
  for (MapItem &item : items) {
    item.mapping = item.pointer_mapping = {};
    item.flags &= kItemLookUpOnly | kItemByteOffsets;
  }
}

} // namespace omptarget
