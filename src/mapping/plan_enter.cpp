// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entering: target enter data, the begin of target data, and the way in of a target region.

#include "mapping/plan.h"

#include <cinttypes>
#include <cstring>

#include "base/log.h"
#include "observe/construct_events.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);
constexpr int64_t kMaxAlignment = 16;

HostPtr read_pointer(HostPtr address) {
  void *value;
  std::memcpy(&value, raw(address), sizeof value);
  return host_ptr(value);
}

Status extension_not_allowed(HostPtr begin, int64_t size, const Found &found) {
  return Status::message(format("explicit extension not allowed: host address specified is 0x%016" PRIxPTR
                                " (%" PRId64 " bytes), but device allocation maps to host at 0x%016" PRIxPTR
                                " (%" PRId64 " bytes)",
                                static_cast<uintptr_t>(begin), size, static_cast<uintptr_t>(found.begin),
                                found.end - found.begin))
      .during("Call to getTargetPointer returned null pointer (device failure or illegal mapping).");
}

/// Where one range ended up.
struct Binding {
  MappingRef ref{};
  bool is_counted = false;
  bool is_host_pointer = false;
};

class EnterPlanner {
public:
  EnterPlanner(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, EnterPlan &plan)
      : map_(map), policy_(policy), items_(items), plan_(plan) {}

  Status run() {
    for (size_t i = 0; i < items_.size(); ++i)
      if (!items_[i].has(map_type::kLiteral | map_type::kPrivate | map_type::kAttach))
        OMPTARGET_TRY(enter(i));
    for (const MapItem &item : items_)
      if (item.has(map_type::kAttach) && !item.has(map_type::kPrivate))
        attach_deferred(item);
    return Status::ok();
  }

private:
  Status enter(size_t index) {
    MapItem &item = items_[index];
    if (item.size < 0)
      return Status::error(format("size %" PRId64 " of host address 0x%016" PRIxPTR " is negative", item.size,
                                  static_cast<uintptr_t>(item.begin)));
    HostPtr base = item.base;
    if (item.has(map_type::kPtrAndObj)) {
      OMPTARGET_TRY_ASSIGN(const Binding pointer, bind(item, item.base, kPointerSize, item.base, 0, false));
      item.pointer_mapping = pointer.ref;
      item.flags |= pointer.is_counted ? kItemPointerCounted : 0;
      base = read_pointer(item.base);
    }
    const int64_t padding = padding_of(index);
    OMPTARGET_TRY_ASSIGN(const Binding range,
                         bind(item, item.begin, item.size, base, padding, item.has(map_type::kPtrAndObj)));
    item.mapping = range.ref;
    item.flags |= (range.is_counted ? kItemCounted : 0) | (range.is_host_pointer ? kItemHostPointer : 0);
    if (!item.mapping)
      return Status::ok();
    if (item.has(map_type::kTo) && item.size > 0)
      copy(item);
    if (item.has(map_type::kPtrAndObj) && item.pointer_mapping)
      attach({item.pointer_mapping.mapping, item.base, kPointerSize, item.mapping.mapping, item.begin});
    return Status::ok();
  }

  /// Finds the range or makes a mapping of it. Members of a struct are counted with their parent.
  Result<Binding> bind(const MapItem &item, HostPtr begin, int64_t size, HostPtr base, int64_t padding,
                       bool always_counts) {
    const Counter counter = item.has(map_type::kHold) ? Counter::kHold : Counter::kDynamic;
    for (;;) {
      const Found found = map_.find(begin, size);
      if (found.is_contained || (found.is_overlapped && item.has(map_type::kImplicit))) {
        const bool counts = always_counts || !is_counted_by_parent(item, found.ref);
        if (counts && !map_.retain(found.ref, counter))
          continue; // removed since it was found
        if (!(found.state & MappingState::kReady) && !is_own(found.ref.mapping))
          plan_.awaited.push_back(found.ref);
        if (observe::reports_mappings()) [[unlikely]]
          report_entered(item, begin, size, *found.ref.mapping, counts);
        return Binding{found.ref, counts, false};
      }
      if (found.is_overlapped)
        return extension_not_allowed(begin, size, found);
      if (policy_.use_host_memory && !item.has(map_type::kClose))
        return Binding{{}, false, true};
      if (item.has(map_type::kPresent))
        return missing_present(item, "map type modifier")
            .during("Call to getTargetPointer returned null pointer ('present' map type modifier).");
      if (size == 0)
        return Binding{};
      const Inserted inserted = map_.insert({begin, begin + size, base, item.name, &plan_, counter});
      if (!inserted.is_new)
        continue; // somebody else was faster
      plan_.allocations.push_back({inserted.found.ref, begin, size, padding});
      return Binding{inserted.found.ref, true, false};
    }
  }

  bool is_counted_by_parent(const MapItem &item, MappingRef ref) const {
    return item.is_member() && item.parent >= 0 && items_[static_cast<size_t>(item.parent)].mapping == ref;
  }

  static void report_entered(const MapItem &item, HostPtr begin, int64_t size, const Mapping &mapping, bool counts) {
    // The pointer of a pointer and its pointee has no name of its own.
    const bool is_pointer = item.has(map_type::kPtrAndObj) && begin == item.base;
    observe::mapping_entered({mapping.base(), begin, mapping.target_of(begin), size,
                              MappingState::count(mapping.state()), mapping.hold_count(),
                              is_pointer ? nullptr : item.name},
                             counts ? observe::CountChange::kIncremented : observe::CountChange::kSuppressed,
                             item.has(map_type::kHold), item.has(map_type::kImplicit));
  }

  bool is_own(const Mapping *mapping) const { return mapping->creator() == &plan_; }

  /// A struct is mapped from its first mapped member on: the storage is padded so that all members are as aligned as they
  /// are on the host.
  int64_t padding_of(size_t index) const {
    const MapItem &item = items_[index];
    if (item.is_member() || index + 1 >= items_.size() || items_[index + 1].parent != static_cast<int32_t>(index) ||
        !items_[index + 1].is_member())
      return 0;
    const auto base = static_cast<uintptr_t>(item.base);
    const int64_t base_alignment = static_cast<int64_t>(base & (~base + 1));
    const int64_t alignment = base_alignment == 0 || base_alignment > kMaxAlignment ? kMaxAlignment : base_alignment;
    return static_cast<int64_t>(static_cast<uintptr_t>(item.begin) % static_cast<uintptr_t>(alignment));
  }

  void copy(const MapItem &item) {
    const Copy action{item.mapping.mapping, item.begin, item.size, item.name};
    if (is_own(item.mapping.mapping))
      plan_.copies.push_back(action);
    else if (item.has(map_type::kAlways))
      plan_.late_copies.push_back(action);
  }

  void attach(const Attachment &action) {
    (is_own(action.pointer_mapping) ? plan_.attachments : plan_.late_attachments).push_back(action);
  }

  /// ATTACH: only where this construct made storage, unless always; nothing is counted.
  void attach_deferred(const MapItem &item) {
    const Found pointer = map_.find(item.base, item.size);
    const Found target = map_.find(item.begin, 0);
    if (!pointer.is_contained || !target.is_contained || item.begin < target.begin)
      return;
    const bool always = item.has(map_type::kAlways) || policy_.attach_always;
    if (!always && !is_own(pointer.ref.mapping) && !is_own(target.ref.mapping))
      return;
    for (const Found *found : {&pointer, &target})
      if (!(found->state & MappingState::kReady) && !is_own(found->ref.mapping))
        plan_.awaited.push_back(found->ref);
    attach({pointer.ref.mapping, item.base, item.size, target.ref.mapping, item.begin});
  }

  HostDataToTargetMap &map_;
  const MappingPolicy &policy_;
  MapItems &items_;
  EnterPlan &plan_;
};

} // namespace

Status missing_present(const MapItem &item, const char *modifier) {
  return Status::message(format("device mapping required by 'present' %s does not exist for host address 0x%016" PRIxPTR
                                " (%" PRId64 " bytes)",
                                modifier, static_cast<uintptr_t>(item.begin), item.size));
}

Status plan_enter(HostDataToTargetMap &map, const MappingPolicy &policy, MapItems &items, EnterPlan &plan) {
  Status status = EnterPlanner(map, policy, items, plan).run();
  if (!status)
    abandon_enter(map, items, plan);
  return status;
}

void abandon_enter(HostDataToTargetMap &map, MapItems &items, const EnterPlan &plan) {
  for (MapItem &item : items) {
    const Counter counter = item.has(map_type::kHold) ? Counter::kHold : Counter::kDynamic;
    const auto give_back = [&](MappingRef ref) {
      if (ref && ref.mapping->creator() != &plan)
        (void)map.release(ref, counter, false);
    };
    if (item.flags & kItemCounted)
      give_back(item.mapping);
    if (item.flags & kItemPointerCounted)
      give_back(item.pointer_mapping);
    item.mapping = item.pointer_mapping = {};
    item.flags = 0;
  }
  for (const NewStorage &storage : plan.allocations)
    map.discard(storage.ref);
}

} // namespace omptarget
