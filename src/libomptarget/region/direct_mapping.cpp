// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/direct_mapping.h"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>

#include "base/sched_point.h"
#include "region/construct_report.h"
#include "region/device_work.h"

namespace omptarget {

namespace {

bool do_overlap(HostPtr begin, int64_t size, HostPtr other_begin, int64_t other_size) {
  return begin < other_begin + other_size && other_begin < begin + size;
}

/// Returns whether the pointer is neither present nor mapped by the list: then there is nothing to attach.
bool is_pointer_absent(const HostDataToTargetMap &map, const MapList &list, int32_t i) {
  const HostPtr pointer = host_ptr(list.bases[i]);
  for (int32_t j = 0; j < list.count; ++j)
    if (is_simple(static_cast<uint64_t>(list.types[j])) &&
        do_overlap(pointer, list.sizes[i], host_ptr(list.begins[j]), list.sizes[j]))
      return false;
  return list.sizes[i] > 0 && !map.find(pointer, list.sizes[i]).ref;
}

/// Returns whether an argument after the i-th lies in its range, or overlaps it. Then planning maps it: a new mapping
/// is published once all that is copied into it has arrived.
bool is_mapped_again(const MapList &list, int32_t i) {
  const HostPtr begin = host_ptr(list.begins[i]);
  for (int32_t j = i + 1; j < list.count; ++j)
    if (is_simple(static_cast<uint64_t>(list.types[j])) &&
        do_overlap(begin, list.sizes[i], host_ptr(list.begins[j]), list.sizes[j])) [[unlikely]]
      return true;
  return false;
}

/// Returns whether all arguments are plain data or values. Pointers to be attached must know which storage is new,
/// unless they are absent.
bool are_plain(const HostDataToTargetMap &map, const MapList &list) {
  for (int32_t i = 0; i < list.count; ++i) {
    const auto type = static_cast<uint64_t>(list.types[i]);
    if (!is_simple(type) && !is_value(type) && !(type == map_type::kAttach && is_pointer_absent(map, list, i)))
      return false;
  }
  return !list.mappers;
}

bool may_map(Device &device, const MapList &list) {
  return static_cast<uint32_t>(list.count) <= kFewArguments && !device.plugin().wants_mappings() &&
         !device.uses_host_memory() && are_plain(device.map(), list);
}

/// Enters the arguments of one construct, one after the other.
class PlainEntry {
public:
  PlainEntry(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, ConstructQueue &queue,
             Status &status)
      : device_(device), map_(device.map()), list_(list), refs_(refs), absence_(absence), queue_(queue),
        status_(status) {}

  bool run() {
    const size_t first = refs_.size() - 1;
    const auto count = static_cast<size_t>(list_.count);
    refs_.resize_for_overwrite(count);
    for (size_t i = first; i < count; ++i) {
      refs_[i] = {};
      absence_.is_absent = i == first;
      OMPTARGET_SCHED_POINT("enter: next argument");
      if (enter(static_cast<int32_t>(i))) [[likely]]
        continue;
      for (size_t j = first; OMPTARGET_PLANTED("entry-given-back") && j < i; ++j)
        if (refs_[j].is_counted && refs_[j].ref().release(false).reached_zero)
          free_removed(device_, map_.remove_if_unused(refs_[j].ref())).consume();
      refs_.truncate(OMPTARGET_PLANTED("entry-given-back") ? first : i);
      publish();
      return false;
    }
    return publish();
  }

private:
  enum class Made { kYes, kNo, kAgain };

  /// Publishes what is being filled. False if some of it is lost, which is to be entered again, or status_ has failed.
  bool publish() { return queue_.has_unpublished() ? publish_arriving() : status_.is_ok(); }
  [[gnu::noinline]] bool publish_arriving() {
    llvm::SmallVector<MappingRef, 2> lost;
    status_.keep_first(queue_.publish(lost));
    for (PresentRef &ref : refs_)
      if (llvm::is_contained(lost, ref.ref())) [[unlikely]]
        ref = {};
    return status_.is_ok() && lost.empty();
  }

  /// Returns whether argument i may lie in data that an argument before it has made. An empty one may lie beside them.
  bool may_be_made(int32_t i) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    return llvm::any_of(llvm::ArrayRef<PresentRef>(refs_.data(), static_cast<size_t>(i)), [&](const PresentRef &ref) {
      return ref.is_new && std::min(ref.mapping->begin(), ref.mapping->base()) <= begin + list_.sizes[i] &&
             begin <= std::max(ref.mapping->end(), ref.mapping->base());
    });
  }

  /// absence_: what is known of the argument.
  bool enter(int32_t i) {
    const auto type = static_cast<uint64_t>(list_.types[i]);
    if (has_no_range(type))
      return true;
    if ((type & map_type::kPresent) && may_be_made(i)) [[unlikely]]
      return false; // planning tells if the data were there on entry
    PresentRef &ref = refs_[static_cast<size_t>(i)];
    const int64_t size = list_.sizes[i];
    for (;; absence_.is_absent = false) {
      if (!absence_.is_absent) {
        const MappingRef found = map_.retain_arrived(host_ptr(list_.begins[i]), size, absence_);
        if (found) {
          ref = {found.mapping, found.generation, true, false, false};
          if (queue_.is_observed()) [[unlikely]]
            report().entered(static_cast<size_t>(i), *found.mapping);
          return true;
        }
      }
      if (!absence_.is_absent || !fits_in_memory(list_.begins[i], static_cast<uint64_t>(size)) ||
          (type & map_type::kPresent) || is_mapped_again(list_, i))
        return false;
      if (size == 0) {
        ref.is_absent = true;
        return may_be_absent(type, size);
      }
      const Made made = make(i, (type & map_type::kTo) != 0, ref);
      if (made != Made::kAgain)
        return made == Made::kYes;
    }
  }

  ArgumentReport report() const { return {device_, list_}; }

  bool copy(int32_t i, MappingRef own) {
    const auto number = static_cast<size_t>(i);
    if (queue_.is_observed()) [[unlikely]] {
      status_ = queue_.copy_to_device(copy_of_argument(list_, number, own));
      return status_.is_ok();
    }
    void *const host = list_.begins[i];
    void *const target = raw(own.mapping->target_of(host_ptr(host)));
    Status status = device_.plugin_device().data_submit(target, host, list_.sizes[i], &queue_.plugin_queue());
    if (status.is_ok()) [[likely]]
      return true;
    status_ = during_copy(std::move(status), copy_of_argument(list_, number, own), "to");
    return false;
  }

  NewRange range_of(int32_t i) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    return {begin,
            begin + list_.sizes[i],
            host_ptr(list_.bases[i]),
            list_.names ? static_cast<const char *>(list_.names[i]) : nullptr,
            nullptr,
            Counter::kDynamic};
  }

  Made make(int32_t i, bool copies, PresentRef &ref) {
    const NewRange range = range_of(i);
    MappingRef own = map_.revive(absence_.dormant, range, !copies);
    if (own && queue_.is_observed()) [[unlikely]]
      report().revived(static_cast<size_t>(i), *own.mapping);
    if (!own)
      if (const Made made = make_new(i, range, copies, own); made != Made::kYes)
        return made;
    ref = {own.mapping, own.generation, true, false, true};
    return copies ? fill(i, ref) : Made::kYes;
  }

  /// Copies into an own mapping. Others find the mapping before the copy is made, and wait for it: nobody may copy
  /// the host's data, let others change them, and use the copy then.
  Made fill(int32_t i, PresentRef &ref) {
    OMPTARGET_SCHED_POINT("enter: inserted");
    const MappingRef own = ref.ref();
    const bool is_copied = copy(i, own);
    if (is_copied && queue_.is_busy()) {
      queue_.add_arriving(own);
      return Made::kYes;
    }
    if (is_copied && own.publish_copied()) [[likely]]
      return Made::kYes;
    ref = {};
    if (!is_copied) // part of it may be under way
      device_.plugin_device().synchronize(queue_.plugin_queue()).consume();
    free_removed(device_, is_copied ? map_.remove_if_unused(own) : map_.discard(own)).consume();
    return is_copied ? Made::kAgain : Made::kNo; // again: another construct has deleted them meanwhile
  }

  /// Reserves the range before it allocates: of several constructs that enter the same data, one allocates.
  [[gnu::noinline]] Made make_new(int32_t i, const NewRange &range, bool copies, MappingRef &own) {
    const Inserted inserted = map_.reserve(range, absence_.gap);
    device_.free_evicted();
    if (!inserted.is_new) [[unlikely]]
      return Made::kAgain;
    OMPTARGET_SCHED_POINT("enter: reserved");
    const MappingRef reserved = inserted.found.ref;
    auto allocated = allocate_mapped(device_, range.begin, list_.sizes[i], range.name);
    if (!allocated.is_ok()) [[unlikely]] { // planning tries again, and says what it needed
      allocated.take_status().consume();
      (void)map_.discard(reserved);
      return Made::kNo;
    }
    OMPTARGET_SCHED_POINT("enter: allocated");
    if (!reserved.publish_storage(device_ptr(*allocated), 0, !copies) && !copies) [[unlikely]] {
      free_removed(device_, map_.remove_if_unused(reserved)).consume();
      return Made::kAgain; // another construct has deleted them meanwhile
    }
    own = reserved;
    if (queue_.is_observed()) [[unlikely]]
      report_created(device_, *own.mapping);
    return Made::kYes;
  }

  Device &device_;
  HostDataToTargetMap &map_;
  const MapList &list_;
  PresentRefs &refs_;
  Absence &absence_; ///< of the argument that is entered
  ConstructQueue &queue_;
  Status &status_;
};

} // namespace

bool enter_plain(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, ConstructQueue &queue,
                 Status &status) {
  if (refs.empty() || !refs.back().is_absent || !may_map(device, list))
    return false;
  if (PlainEntry(device, list, refs, absence, queue, status).run()) [[likely]]
    return true;
  status.keep_first(queue.wait());
  return false;
}

} // namespace omptarget
