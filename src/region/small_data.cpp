// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/small_data.h"

#include "base/sched_point.h"
#include "region/device_work.h"

namespace omptarget {

namespace {

constexpr int64_t kSmall = DormantMappings::kMostBytes;
constexpr uint32_t kFewArguments = 16; ///< that comparing with each is cheap

/// Whether all arguments are plain data or values: pointers to be attached must know which storage is new.
bool are_plain(const MapList &list) {
  for (int32_t i = 0; i < list.count; ++i) {
    const auto type = static_cast<uint64_t>(list.types[i]);
    if (!is_simple(type) && !is_value(type))
      return false;
  }
  return !list.mappers;
}

bool may_map(const Device &device, const MapList &list) {
  return static_cast<uint32_t>(list.count) <= kFewArguments && !device.plugin().hears_of_mappings() && !device.uses_host_memory() && are_plain(list);
}

[[gnu::cold, gnu::noinline]] Status failed_copy(Status status, const MapList &list, size_t i, MappingRef mapping,
                                               const char *direction) {
  return during_copy(std::move(status),
                     {mapping, host_ptr(list.begins[i]), list.sizes[i],
                      list.names ? static_cast<const char *>(list.names[i]) : nullptr},
                     direction);
}

void free_block(const Device &device, DevicePtr block) {
  device.plugin_device().data_delete(raw(block), OMPTARGET_ALLOC_DEFAULT).consume();
}

Status free_what_left(Device &device, const Removed &removed) {
  return removed.is_removed || removed.is_free ? free_removed(device, removed) : Status::ok();
}

bool is_same(const PresentRef &one, const PresentRef &other) {
  return one.mapping == other.mapping && one.generation == other.generation;
}

/// Enters the arguments of one construct, one after the other.
class SmallEntry {
public:
  SmallEntry(Device &device, const MapList &list, PresentRefs &refs, Status &status)
      : device_(device), map_(device.map()), list_(list), refs_(refs), status_(status) {}

  bool run() {
    const size_t first = refs_.size() - 1;
    const auto count = static_cast<size_t>(list_.count);
    refs_.resize_for_overwrite(count);
    for (size_t i = first; i < count; ++i) {
      refs_[i] = {};
      if (enter(static_cast<int32_t>(i), i == first)) [[likely]]
        continue;
      undo(first, i + 1);
      return false;
    }
    return true;
  }

private:
  enum class Made { kYes, kNo, kByAnother };

  bool enter(int32_t i, bool is_absent) {
    const auto type = static_cast<uint64_t>(list_.types[i]);
    if (is_value(type))
      return true;
    PresentRef &ref = refs_[static_cast<size_t>(i)];
    const int64_t size = list_.sizes[i];
    for (;; is_absent = false) {
      if (!is_absent) {
        const MappingRef found = map_.retain_arrived(host_ptr(list_.begins[i]), size, is_absent);
        if (found) {
          ref = {found.mapping, found.generation, true, false, false};
          return !(type & map_type::kTo) || !is_own(i) || copy(i, ref);
        }
      }
      if (!is_absent || size < 0 || size > kSmall || (type & map_type::kPresent))
        return false;
      if (size == 0) {
        ref.is_absent = true;
        return may_be_absent(type, size);
      }
      const Made made = make(i, (type & map_type::kTo) != 0, ref);
      if (made != Made::kByAnother)
        return made == Made::kYes;
    }
  }

  /// Whether the argument lies in what this construct has made for an earlier one.
  bool is_own(int32_t i) const {
    for (int32_t j = 0; j < i; ++j)
      if (refs_[static_cast<size_t>(j)].is_new && is_same(refs_[static_cast<size_t>(j)], refs_[static_cast<size_t>(i)]))
        return true;
    return false;
  }

  bool copy(int32_t i, const PresentRef &ref) {
    void *const target = raw(ref.mapping->target_of(host_ptr(list_.begins[i])));
    Status status = device_.plugin_device().data_submit(target, list_.begins[i], list_.sizes[i], nullptr);
    if (status.is_ok()) [[likely]]
      return true;
    status_ = failed_copy(std::move(status), list_, static_cast<size_t>(i), ref.ref(), "to");
    return false;
  }

  NewRange range_of(int32_t i) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    return {begin, begin + list_.sizes[i], host_ptr(list_.bases[i]),
            list_.names ? static_cast<const char *>(list_.names[i]) : nullptr, nullptr, Counter::kDynamic};
  }

  Made make(int32_t i, bool copies, PresentRef &ref) {
    const NewRange range = range_of(i);
    if (const MappingRef revived = map_.revive(range, !copies)) [[likely]] {
      ref = {revived.mapping, revived.generation, true, false, true};
      return !copies || fill(i, ref) ? Made::kYes : Made::kNo;
    }
    return allocate(i, range, copies, ref);
  }

  /// The copy into an own mapping. Others see it already, so that nobody copies the host's data before and uses them after that
  /// others have changed them; they wait until the copy is there.
  bool fill(int32_t i, PresentRef &ref) {
    OMPTARGET_SCHED_POINT("enter: inserted");
    const MappingRef own = ref.ref();
    if (!copy(i, ref)) [[unlikely]] {
      free_what_left(device_, map_.discard(own)).consume();
    } else if (map_.publish_ready(own)) [[likely]] {
      return true;
    } else { // somebody has taken all references meanwhile
      free_what_left(device_, map_.remove_if_unused(own)).consume();
    }
    ref = {};
    return false;
  }

  Made allocate(int32_t i, const NewRange &range, bool copies, PresentRef &ref) {
    auto allocated = device_.allocate(list_.sizes[i], list_.begins[i], OMPTARGET_ALLOC_DEFAULT);
    if (!allocated.is_ok()) [[unlikely]] { // planning tries again, and says what it needed
      allocated.take_status().consume();
      return Made::kNo;
    }
    const DevicePtr block = device_ptr(*allocated);
    OMPTARGET_SCHED_POINT("enter: allocated");
    const Inserted inserted = map_.insert_stored(range, block, !copies);
    device_.free_evicted();
    if (!inserted.is_new) [[unlikely]] {
      free_block(device_, block);
      return Made::kByAnother;
    }
    ref = {inserted.found.ref.mapping, inserted.found.ref.generation, true, false, true};
    return !copies || fill(i, ref) ? Made::kYes : Made::kNo;
  }

  [[gnu::cold, gnu::noinline]] void undo(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i)
      if (refs_[i].is_counted && map_.release(refs_[i].ref(), Counter::kDynamic, false).reached_zero)
        free_what_left(device_, map_.remove_if_unused(refs_[i].ref())).consume();
    refs_.truncate(first);
  }

  Device &device_;
  HostDataToTargetMap &map_;
  const MapList &list_;
  PresentRefs &refs_;
  Status &status_;
};

/// Whether some argument that lies in the mapping of argument i is copied back.
bool is_copied_back(const MapList &list, const PresentRefs &refs, size_t i) {
  for (size_t j = 0; j < refs.size(); ++j)
    if ((list.types[j] & static_cast<int64_t>(map_type::kFrom)) && is_same(refs[j], refs[i]) && list.sizes[j] > 0)
      return true;
  return false;
}

/// Copies back all arguments that lie in the mapping of argument i, in the order of planning. False: planning must do it.
bool copy_back(const Device &device, const MapList &list, const PresentRefs &refs, size_t i, Status &status) {
  const Mapping &mapping = *refs[i].mapping;
  for (size_t j = refs.size(); j-- > 0;) {
    if (!(list.types[j] & static_cast<int64_t>(map_type::kFrom)) || !is_same(refs[j], refs[i]) || list.sizes[j] <= 0)
      continue;
    void *const target = raw(mapping.target_of(host_ptr(list.begins[j])));
    Status copied = device.plugin_device().data_retrieve(list.begins[j], target, list.sizes[j], nullptr);
    if (!copied.is_ok()) [[unlikely]]
      status.keep_first(failed_copy(std::move(copied), list, j, refs[j].ref(), "from"));
  }
  return !mapping.has_attached_pointers();
}

} // namespace

bool enter_small(Device &device, const MapList &list, PresentRefs &refs, Status &status) {
  return !refs.empty() && refs.back().is_absent && may_map(device, list) && SmallEntry(device, list, refs, status).run();
}

bool leave_small(Device &device, const MapList &list, PresentRefs &refs, Status &status) {
  HostDataToTargetMap &map = device.map();
  if (refs.size() > kFewArguments || device.plugin().hears_of_mappings()) [[unlikely]]
    return false;
  for (size_t i = 0; i < refs.size(); ++i) {
    PresentRef &ref = refs[i];
    if (!ref.is_counted)
      continue;
    if (ref.mapping->has_attached_pointers()) [[unlikely]]
      return false;
    Removed removed;
    if (is_copied_back(list, refs, i)) {
      if (!map.start_leaving(ref.ref())) [[unlikely]]
        return false;
      if (!copy_back(device, list, refs, i, status)) [[unlikely]] {
        map.cancel_leaving(ref.ref());
        return false;
      }
      removed = map.end_leaving(ref.ref());
    } else {
      bool is_left = false;
      removed = map.leave_last(ref.ref(), is_left);
      if (!is_left) [[unlikely]]
        return false;
    }
    ref.is_counted = false;
    status.keep_first(free_what_left(device, removed));
  }
  device.free_evicted();
  return true;
}

} // namespace omptarget
