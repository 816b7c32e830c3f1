// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/data_update.h"

#include <cinttypes>

#include "base/page_access.h"
#include "base/sched_point.h"
#include "device/mapped_storage.h"
#include "device/mapping_notes.h"
#include "mapping/map_arguments.h"
#include "mapping/non_contiguous.h"
#include "observe/checks.h"
#include "observe/code_places.h"
#include "omptarget/host_code.h"
#include "region/expansion.h"

namespace omptarget {

namespace {

/// Arguments that an update does not concern.
constexpr uint64_t kUnconcerned = map_type::kLiteral | map_type::kPrivate | map_type::kAttach;
constexpr uint64_t kBoth = map_type::kTo | map_type::kFrom;

/// Returns whether each argument is one part of memory, whose address and size are in the list.
bool are_contiguous(const MapList &list) {
  if (!is_readable(list))
    return false;
  for (int32_t i = 0; i < list.count; ++i)
    if ((list.types[i] & static_cast<int64_t>(map_type::kNonContiguous)) || (list.mappers && list.mappers[i]))

      return false;
  return true;
}

} // namespace

Status DataUpdate::start(const MapList &list, const void *code, bool waits) {
  if (!are_contiguous(list) || queue_.is_observed() || OMPTARGET_PLANS_ALL())
    return gather(list, code, waits);
  for (int32_t i = 0; i < list.count; ++i)
    OMPTARGET_TRY(copy_argument(list, i, waits && list.count == 1));
  return careful_ ? copy_carefully(waits) : Status::ok();
}

Status DataUpdate::gather(const MapList &list, const void *code, bool waits) {
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items, code));
  OMPTARGET_TRY(find_offsets(items, code));
  return start(items, waits);
}

Status DataUpdate::start(const MapItems &items, bool waits) {
  careful();
  OMPTARGET_TRY(for_each_part(
      items, [&](const MapItem &item, HostPtr begin, int64_t size) { return add_part(item, begin, size); }));
  return copy_carefully(waits);
}

/// Copies an argument, or adds it to those that are copied with care. Structs of which only members are moved are there
/// for observers.
[[gnu::always_inline]] inline Status DataUpdate::copy_argument(const MapList &list, int32_t &i, bool is_alone) {
  Status status;
  const auto type = static_cast<uint64_t>(list.types[i]);
  if (type & kUnconcerned)
    return status;
  if (!(type & (kBoth | map_type::kPresent)) && !observe::checks_mapping())
    return status;
  if (!copy_plainly(list, i, is_alone, status))
    status = add_argument(list, i);
  return status;
}

/// Copies an argument, and those that follow it in its mapping, too; i becomes the last of them. Returns whether that
/// could be done plainly. status: the failure of a copy.
[[gnu::always_inline]] inline bool DataUpdate::copy_plainly(const MapList &list, int32_t &i, bool is_alone,
                                                            Status &status) {
  const auto type = static_cast<uint64_t>(list.types[i]);
  const bool is_to = type & map_type::kTo;
  if (is_to == ((type & map_type::kFrom) != 0) || list.sizes[i] <= 0)
    return false;
  const HostPtr begin = host_ptr(list.begins[i]);
  const MappingRef ref = device_.map().borrow_arrived(begin, list.sizes[i]);
  if (!ref)
    return false;
  const Mapping &mapping = *ref.mapping;
  int32_t last = i;
  int64_t size = list.sizes[i];
  while (last + 1 < list.count && list.types[last + 1] == list.types[i] &&
         host_ptr(list.begins[last + 1]) == begin + size && list.sizes[last + 1] > 0 &&
         list.sizes[last + 1] <= mapping.end() - (begin + size))
    size += list.sizes[++last];
  const bool is_allowed =
      is_to ? is_readable(raw(begin), static_cast<size_t>(size)) : is_writable(raw(begin), static_cast<size_t>(size));
  if (mapping.has_attached_pointers() || !is_allowed) {
    status = give_back(ref);
    return !status.is_ok();
  }
  OMPTARGET_SCHED_POINT("update: planned");
  const char *const name = list.names ? static_cast<const char *>(list.names[i]) : nullptr;
  i = last;
  void *const target = raw(mapping.target_of(begin));
  Queue *const queue = is_alone ? nullptr : &queue_.plugin_queue();
  const PluginDevice &plugin = device_.plugin_device();
  status = is_to ? plugin.data_submit(target, raw(begin), size, queue)
                 : plugin.data_retrieve(raw(begin), target, size, queue);
  const auto plain = [&] { return PlainCopy{{ref, begin, size, name}, is_to}; };
  if (queue && queue->is_busy()) {
    queued_.push_back(plain());
    status = during_copy(std::move(status), queued_.back().copy, is_to ? "to" : "from");
    return true;
  }
  if (!status.is_ok() || mapping.has_attached_pointers())
    status = mend(plain(), std::move(status));
  status.keep_first(give_back(ref));
  return true;
}

Status DataUpdate::add_argument(const MapList &list, int32_t i) {
  return add_part(item_of(list, i), host_ptr(list.begins[i]), list.sizes[i]);
}

/// Adds one part of memory, wherever it may be.
Status DataUpdate::add_part(const MapItem &item, HostPtr begin, int64_t size) {
  if (item.has(kUnconcerned) || size == 0)
    return Status::ok();
  OMPTARGET_TRY(check_range(begin, size, item.name));
  const bool is_moved = item.has(kBoth | map_type::kPresent);
  const Found found = is_moved ? find_and_borrow(begin, size) : device_.map().find(begin, size);
  const Copy copy{found.ref, begin, size, item.name, item.has(map_type::kPresent) ? "motion modifier" : nullptr};
  if (!found.is_contained) {
    if (observe::checks_mapping())
      note_absent(device_, {item});
    if (item.has(OMPTARGET_UNDIVIDED) && found.is_overlapped)
      return divided(item, begin, size, found);
    return copy.needed_by && !device_.uses_host_memory() ? missing_present(copy) : Status::ok();
  }
  if (observe::reports_mappings())
    observe::mapping_released(facts_of(*found.ref.mapping, begin, size, item.name), observe::CountChange::kSuppressed,
                              item.has(map_type::kHold));
  if (is_moved)
    add_awaited(careful().awaited, found);
  if (item.has(map_type::kTo))
    add_copy(careful().to_device, copy);
  if (item.has(map_type::kFrom))
    add_copy(careful().to_host, copy);
  return Status::ok();
}

/// Only a part of the data is present. libgomp ends a program there, too.
[[gnu::cold]] Status DataUpdate::divided(const MapItem &item, HostPtr begin, int64_t size, const Found &found) const {
  const char *const name = observe::name_for_message(item.name, raw(begin));
  return Status::error(format("%s at host address 0x%016" PRIxPTR " cannot be updated: only 0x%016" PRIxPTR
                              " to 0x%016" PRIxPTR " is present on device %d",
                              mapped_data_text(name, begin, size).c_str(), static_cast<uintptr_t>(begin),
                              static_cast<uintptr_t>(found.begin), static_cast<uintptr_t>(found.end),
                              raw(device_.id())));
}

/// Parts of one mapping borrow it once.
Found DataUpdate::find_and_borrow(HostPtr begin, int64_t size) {
  HostDataToTargetMap &map = device_.map();
  llvm::SmallVectorImpl<MappingRef> &borrowed = careful().borrowed;
  for (;;) {
    const Found found = map.find(begin, size);
    if (!found.is_contained || (!borrowed.empty() && borrowed.back() == found.ref))
      return found;
    OMPTARGET_SCHED_POINT("update: found");
    if (OMPTARGET_PLANTED("update-not-borrowed") || OMPTARGET_PLANTED("update-late-place"))
      return found;
    if (!map.borrow(found.ref))
      continue; // removed since it was found
    borrowed.push_back(found.ref);
    return found;
  }
}

/// Data that are gone when their turn comes are not copied. A single copy needs no queue, as in copy_plainly.
Status DataUpdate::copy_carefully(bool waits) {
  OMPTARGET_SCHED_POINT("update: planned");
  Careful &all = *careful_;
  if (!all.awaited.empty()) {
    OMPTARGET_TRY_ASSIGN(const bool are_there, queue_.wait_for_data(all.awaited));
    if (OMPTARGET_PLANTED("removed-is-failed") && !are_there)
      return Status::error("data that another thread was mapping could not be mapped by it");
  }
  const bool is_alone =
      waits && queued_.empty() && all.awaited.empty() && all.to_device.size() + all.to_host.size() == 1;
  for (const Copy &copy : all.to_device)
    OMPTARGET_TRY(is_alone && !copy.mapping.mapping->has_attached_pointers() ? queue_.copy_at_once(copy, true)
                                                                             : queue_.copy_to_device(copy));
  for (const Copy &copy : all.to_host)
    OMPTARGET_TRY(is_alone && !copy.mapping.mapping->has_attached_pointers() &&
                          is_writable(raw(copy.host), static_cast<size_t>(copy.size))
                      ? queue_.copy_at_once(copy, false)
                      : queue_.copy_to_host(copy));
  return Status::ok();
}

/// The copy has failed, or pointers have become attached since it began, and it went over them.
Status DataUpdate::mend(const PlainCopy &plain, Status status) {
  if (status.is_ok())
    status = queue_.mend_pointers(plain.copy, plain.is_to);
  if (status.is_ok())
    status = queue_.wait();
  return during_copy(std::move(status), plain.copy, plain.is_to ? "to" : "from");
}

DataUpdate::Careful &DataUpdate::careful() {
  if (!careful_)
    careful_ = std::make_unique<Careful>();
  return *careful_;
}

/// The last construct that gives back what was removed frees it.
inline Status DataUpdate::give_back(MappingRef ref) {
  return ref.give_back_simply() ? Status::ok() : free_removed(device_, device_.map().give_back(ref));
}

Status DataUpdate::wait() {
  Status status = queue_.wait();
  for (const PlainCopy &plain : queued_)
    if (status.is_ok() && plain.copy.mapping.mapping->has_attached_pointers())
      status = mend(plain, Status::ok());
  for (const PlainCopy &plain : queued_)
    status.keep_first(give_back(plain.copy.mapping));
  queued_.clear();
  if (careful_)
    for (const MappingRef ref : careful_->borrowed)
      status.keep_first(give_back(ref));
  careful_.reset();
  return status;
}

} // namespace omptarget
