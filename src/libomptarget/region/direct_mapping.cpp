// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/direct_mapping.h"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <utility>

#include "base/page_access.h"
#include "base/sched_point.h"
#include "region/device_work.h"
#include "region/mapping_settings.h"

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

[[gnu::cold, gnu::noinline]] Status failed_copy(Status status, const MapList &list, size_t i, MappingRef mapping,
                                                const char *direction) {
  return during_copy(std::move(status), copy_of_argument(list, i, mapping), direction);
}

/// Makes a mapping of an observed construct dormant, if it may be. Observers learn before that its storage is freed.
/// Another construct may revive the mapping at once, and tells of the same storage then.
[[gnu::cold, gnu::noinline]] bool become_dormant_observed(Device &device, MappingRef ref, bool ends_turn,
                                                          const DirectReport &report, const LastUse &last) {
  bool is_told = false;
  const std::function<void()> tell = [&] {
    report.freed(last.removal);
    is_told = true;
  };
  const bool became_dormant =
      ends_turn ? device.map().end_turn_as_dormant(ref, &tell) : device.map().leave_last_as_dormant(ref, &tell);
  if (became_dormant && !ends_turn)
    report.left(last);
  if (became_dormant)
    report_removed(device, last.removal);
  else if (is_told)
    report.allocated(last.removal);
  return became_dormant;
}

[[gnu::cold, gnu::noinline]] bool leave_last_observed(Device &device, size_t i, MappingRef ref,
                                                      const DirectReport &report, Status &status) {
  const LastUse last = report.last_use(i, *ref.mapping);
  if (become_dormant_observed(device, ref, false, report, last))
    return true;
  const Removed removed = device.map().leave_last(ref);
  if (removed.is_removed)
    report.left(last);
  status.keep_first(free_removed(device, removed));
  return removed.is_removed;
}
/// Takes the last reference of argument i away. False if it is not the last one, or there is more to do: nothing has
/// happened.
bool leave_last(Device &device, size_t i, MappingRef ref, const DirectReport *report, Status &status) {
  if (report) [[unlikely]]
    return leave_last_observed(device, i, ref, *report, status);
  if (device.map().leave_last_as_dormant(ref)) [[likely]]
    return true;
  const Removed removed = device.map().leave_last(ref);
  status.keep_first(free_removed(device, removed));
  return removed.is_removed;
}

[[gnu::cold, gnu::noinline]] void end_turn_observed(Device &device, size_t i, MappingRef ref,
                                                    const DirectReport &report, Status &status) {
  if (!become_dormant_observed(device, ref, true, report, report.last_use(i, *ref.mapping)))
    status.keep_first(free_removed(device, device.map().end_turn(ref)));
}

bool is_same(const PresentRef &one, const PresentRef &other) {
  return one.mapping == other.mapping && one.generation == other.generation;
}

/// Enters the arguments of one construct, one after the other.
class PlainEntry {
public:
  PlainEntry(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, DirectQueue &queue,
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
      queue_.publish(status_);
      return false;
    }
    return queue_.publish(status_);
  }

private:
  enum class Made { kYes, kNo, kAgain };

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
          if (queue_.report()) [[unlikely]]
            queue_.report()->entered(static_cast<size_t>(i), *found.mapping);
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

  bool copy(int32_t i, const PresentRef &ref) {
    Status status =
        copy_argument(device_, list_, static_cast<size_t>(i), *ref.mapping, true, &queue_.get(), queue_.report());
    if (status.is_ok()) [[likely]]
      return true;
    status_ = failed_copy(std::move(status), list_, static_cast<size_t>(i), ref.ref(), "to");
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
    if (own && queue_.report()) [[unlikely]]
      queue_.report()->revived(static_cast<size_t>(i), *own.mapping);
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
    const bool is_copied = copy(i, ref);
    if (is_copied && queue_.is_busy()) {
      queue_.add_arriving(ref);
      return Made::kYes;
    }
    if (is_copied && own.publish_copied()) [[likely]]
      return Made::kYes;
    ref = {};
    if (!is_copied) // part of it may be under way
      device_.plugin_device().synchronize(queue_.get()).consume();
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
    const auto number = static_cast<size_t>(i);
    auto allocated = queue_.report() ? queue_.report()->allocate(number) : allocate_argument(device_, list_, number);
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
    if (queue_.report()) [[unlikely]]
      report_created(device_, *own.mapping);
    return Made::kYes;
  }

  Device &device_;
  HostDataToTargetMap &map_;
  const MapList &list_;
  PresentRefs &refs_;
  Absence &absence_; ///< of the argument that is entered
  DirectQueue &queue_;
  Status &status_;
};

/// Returns whether argument j lies in the mapping of argument i and is copied back.
bool is_copied_back_from(const MapList &list, const PresentRefs &refs, size_t i, size_t j) {
  return (list.types[j] & static_cast<int64_t>(map_type::kFrom)) && is_same(refs[j], refs[i]) && list.sizes[j] > 0;
}

constexpr size_t kNone = SIZE_MAX;
/// Returns the last argument before that number which is copied back from the mapping of argument i, or kNone.
[[gnu::always_inline]] inline size_t copied_back_before(const MapList &list, const PresentRefs &refs, size_t i,
                                                        size_t number) {
  while (number-- > 0)
    if (is_copied_back_from(list, refs, i, number))
      return number;
  return kNone;
}

/// action(j) for all arguments that are copied back from the mapping of argument i, in the order of planning; last: the
/// first of them.
template <typename Action>
void for_each_copied_back(const MapList &list, const PresentRefs &refs, size_t i, size_t last, Action action) {
  for (size_t j = last; j != kNone; j = copied_back_before(list, refs, i, j))
    action(j);
}
template <typename Action>
void for_each_copied_back(const MapList &list, const PresentRefs &refs, size_t i, Action action) {
  for_each_copied_back(list, refs, i, copied_back_before(list, refs, i, refs.size()), action);
}

/// Takes the last reference of argument i away, and the turn. False: nothing has happened.
[[gnu::always_inline]] inline bool leave_for_turn(PresentRef &ref, size_t i, const DirectReport *report) {
  OMPTARGET_SCHED_POINT("leave: about to take the turn");
  if (!ref.ref().leave_for_turn())
    return false;
  ref.is_counted = false;
  if (report) [[unlikely]]
    report->left(report->last_use(i, *ref.mapping));
  OMPTARGET_SCHED_POINT("leave: has the turn");
  return true;
}

/// Returns whether the mapping's data may be copied back as they are, to that address first. They must have no attached
/// pointers, which copies leave as they are, and the host's memory must be writable.
inline bool is_plain_on_host(const Mapping &mapping, const void *host, int64_t size) {
  return !mapping.has_attached_pointers() && is_writable(host, static_cast<size_t>(size));
}

/// Copies them back if they are less simple. Nothing is queued.
[[gnu::cold, gnu::noinline]] void copy_back_with_care(Device &device, const MapList &list, const PresentRefs &refs,
                                                      size_t i, Status &status) {
  ConstructQueue queue(device);
  for_each_copied_back(list, refs, i, [&](size_t j) {
    status.keep_first(queue.copy_to_host(copy_of_argument(list, j, refs[j].ref())));
  });
  status.keep_first(queue.wait());
}

/// Copies them back, or queues that. last: as for_each_copied_back.
void copy_back(const Device &device, const MapList &list, const PresentRefs &refs, size_t i, size_t last, Queue *queue,
               DirectReport *report, Status &status) {
  for_each_copied_back(list, refs, i, last, [&](size_t j) {
    Status copied = copy_argument(device, list, j, *refs[i].mapping, false, queue, report);
    if (!copied.is_ok()) [[unlikely]]
      status.keep_first(failed_copy(std::move(copied), list, j, refs[j].ref(), "from"));
  });
}

/// Once they are copied back.
[[gnu::always_inline]] inline void end_turn(Device &device, const MapList &list, const PresentRefs &refs, size_t i,
                                            DirectReport *report, Status &status) {
  OMPTARGET_SCHED_POINT("leave: copied back");
  if (refs[i].mapping->has_attached_pointers()) [[unlikely]] // since the copies began
    for_each_copied_back(list, refs, i, [&](size_t j) {
      device.map().attached_pointers().restore(refs[j].ref(), host_ptr(list.begins[j]), list.sizes[j]);
    });
  if (report) [[unlikely]]
    end_turn_observed(device, i, refs[i].ref(), *report, status);
  else if (!device.map().end_turn_as_dormant(refs[i].ref()))
    status.keep_first(free_removed(device, device.map().end_turn(refs[i].ref())));
}

} // namespace

Status DirectQueue::complete() {
  Status status = report_ ? report_->wait(queue_) : device_.plugin_device().synchronize(queue_);
  if (has_arrivals_)
    end_arrivals();
  return status;
}

void DirectQueue::end_arrivals() {
  for (PresentRef &ref : refs_)
    if (ref.is_arriving) {
      ref.ref().end_arrival();
      ref.is_arriving = false;
    }
  has_arrivals_ = false;
  if (arrival_)
    device_.arrivals().leave(*std::exchange(arrival_, nullptr));
}

bool DirectQueue::publish_arriving(Status &status) {
  if (mapping_settings().force_atomic && !OMPTARGET_PLANTED("arrival-untold")) {
    auto recorded = device_.arrivals().record(queue_);
    if (recorded.is_ok())
      arrival_ = *recorded;
    else
      status.keep_first(recorded.take_status());
  }
  bool are_there = status.is_ok();
  if (!are_there) // nobody can wait for it
    device_.plugin_device().synchronize(queue_).consume();
  for (PresentRef &ref : refs_) {
    if (!ref.is_arriving)
      continue;
    ref.is_arriving = arrival_ != nullptr;
    if (ref.ref().publish_ready(arrival_)) [[likely]]
      continue;
    // Another construct has deleted them meanwhile.
    are_there = false;
    status.keep_first(device_.plugin_device().synchronize(queue_));
    status.keep_first(free_removed(device_, device_.map().remove_if_unused(ref.ref())));
    ref.ref().end_arrival(); // others may have entered them in between
    ref = {};
  }
  has_arrivals_ = arrival_ != nullptr;
  return are_there;
}

bool enter_plain(Device &device, const MapList &list, PresentRefs &refs, Absence &absence, DirectQueue &queue,
                 Status &status) {
  if (refs.empty() || !refs.back().is_absent || !may_map(device, list))
    return false;
  if (PlainEntry(device, list, refs, absence, queue, status).run()) [[likely]]
    return true;
  status.keep_first(queue.complete());
  return false;
}

void queue_copies_back(Device &device, const MapList &list, PresentRefs &refs, DirectQueue &queue, QueuedTurns &turns,
                       Status &status) {
  if (refs.size() > kFewArguments || device.plugin().wants_mappings()) [[unlikely]]
    return;
  for (size_t i = 0; i < refs.size(); ++i) {
    if (!refs[i].is_counted || MappingState::count(refs[i].mapping->state()) != 1 ||
        refs[i].mapping->has_attached_pointers())
      continue;
    const size_t last = copied_back_before(list, refs, i, refs.size());
    if (last == kNone)
      continue;
    if (!leave_for_turn(refs[i], i, queue.report()))
      continue;
    turns.push_back({i, is_plain_on_host(*refs[i].mapping, list.begins[last], list.sizes[last])});
    if (turns.back().is_copied) [[likely]]
      copy_back(device, list, refs, i, last, &queue.get(), queue.report(), status);
  }
}

Status end_turns(Device &device, const MapList &list, PresentRefs &refs, DirectQueue &queue, const QueuedTurns &turns,
                 Status &status) {
  Status waited = OMPTARGET_PLANTED("left-under-way") ? Status::ok() : queue.complete();
  for (const QueuedTurn &turn : turns) {
    if (!turn.is_copied && waited.is_ok()) [[unlikely]]
      copy_back_with_care(device, list, refs, turn.argument, status);
    end_turn(device, list, refs, turn.argument, queue.report(), status);
  }
  device.free_evicted();
  return waited;
}

/// Takes all references of argument i away. False as leave_last.
[[gnu::noinline]] static bool delete_data(Device &device, size_t i, MappingRef ref, const DirectReport *report,
                                          Status &status) {
  HostDataToTargetMap &map = device.map();
  if (!report && map.delete_as_dormant(ref)) [[likely]]
    return true;
  LastUse last;
  if (report)
    last = report->last_use(i, *ref.mapping);
  const Removed removed = map.delete_all(ref);
  if (report && removed.is_removed)
    report->left(last);
  status.keep_first(free_removed(device, removed));
  return removed.is_removed;
}

bool leave_deleted(Device &device, PresentRefs &refs, DeletedArguments deleted, bool are_others_left,
                   const DirectReport *report, Status &status) {
  bool are_left = are_others_left && !device.plugin().wants_mappings();
  for (size_t i = 0; deleted != 0; ++i, deleted >>= 1) {
    if (!(deleted & 1))
      continue;
    are_left =
        are_left && !refs[i].mapping->has_attached_pointers() && delete_data(device, i, refs[i].ref(), report, status);
    refs[i].is_counted = !are_left; // for planning
  }
  return are_left;
}

bool leave_plain(Device &device, const MapList &list, PresentRefs &refs, DirectReport *report, Status &status) {
  if (refs.size() > kFewArguments || device.plugin().wants_mappings()) [[unlikely]]
    return false;
  for (size_t i = 0; i < refs.size(); ++i) {
    PresentRef &ref = refs[i];
    if (!ref.is_counted)
      continue;
    if (ref.mapping->has_attached_pointers()) [[unlikely]]
      return false;
    if (const size_t last = copied_back_before(list, refs, i, refs.size()); last != kNone) {
      if (!leave_for_turn(ref, i, report)) [[unlikely]]
        return false;
      // Pointers may have become attached since they were looked for.
      if (is_plain_on_host(*ref.mapping, list.begins[last], list.sizes[last])) [[likely]]
        copy_back(device, list, refs, i, last, nullptr, report, status);
      else
        copy_back_with_care(device, list, refs, i, status);
      end_turn(device, list, refs, i, report, status);
    } else if (!leave_last(device, i, ref.ref(), report, status)) {
      return false;
    }
    ref.is_counted = false;
  }
  device.free_evicted();
  return true;
}

} // namespace omptarget
