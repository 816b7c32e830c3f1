// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/entering.h"

#include <algorithm>
#include <cinttypes>
#include <llvm/ADT/STLExtras.h>

#include "base/log.h"
#include "base/sched_point.h"
#include "device/invariants.h"
#include "device/mapped_storage.h"
#include "device/mapping_tables.h"
#include "device/protected_memory.h"
#include "mapping/construct_counts.h"
#include "mapping/variable_name.h"
#include "observe/code_places.h"
#include "omptarget/host_code.h"
#include "region/construct_report.h"
#include "region/deferred_construct.h"
#include "region/expansion.h"
#include "region/mapping_settings.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);
constexpr uint64_t kInPlace = OMPTARGET_IN_PLACE;
/// Arguments that have no data to be entered.
constexpr uint64_t kNoData = map_type::kLiteral | map_type::kPrivate | map_type::kAttach;

bool is_removed(MappingRef ref) { return ref && ref.is_removed(); }

bool do_overlap(HostPtr begin, int64_t size, HostPtr other_begin, int64_t other_size) {
  return begin < other_begin + other_size && other_begin < begin + size;
}

/// Returns whether the pointer is neither present nor mapped by the list: then there is nothing to attach.
bool is_pointer_absent(const HostDataToTargetMap &map, const MapList &list, int32_t i) {
  const HostPtr pointer = host_ptr(list.bases[i]);
  for (int32_t j = 0; j < list.count; ++j)
    if (is_simple(static_cast<uint64_t>(list.types[j]) & ~map_type::kAlways) &&
        do_overlap(pointer, list.sizes[i], host_ptr(list.begins[j]), list.sizes[j]))
      return false;
  return list.sizes[i] > 0 && !map.find(pointer, list.sizes[i]).ref;
}

/// Returns whether all arguments are plain data or values: each is complete for itself. Then notes their kinds.
inline bool are_plain(Device &device, MapArguments &arguments) {
  const MapList &list = arguments.list();
  const bool is_read = arguments.refs.size() == arguments.size(); // by retain_present
  if (!is_read || list.mappers || arguments.is_expanded() || arguments.size() > kFewArguments ||
      device.uses_host_memory())
    return false;
  uint64_t kinds = 0;
  for (int32_t i = 0; i < list.count; ++i) {
    const auto type = static_cast<uint64_t>(list.types[i]);
    kinds |= type;
    if (!is_simple(type & ~map_type::kAlways) && !is_value(type) &&
        !(type == map_type::kAttach && is_pointer_absent(device.map(), list, i)))
      return false;
  }
  arguments.kinds = kinds;
  return true;
}

/// Enters the arguments of one construct, one after the other. A mapping of its own is published as soon as its data are
/// in place. With attached pointers, members, or several arguments in one mapping, or if the device queues copies, that
/// is at the end: nobody may find data of which a part is missing.
class Entering {
public:
  /// publishes_late: the arguments are not plain.
  Entering(Device &device, MapArguments &arguments, Absence &absence, ConstructQueue &queue, bool publishes_late)
      : device_(device), map_(device.map()), arguments_(arguments), list_(arguments.list()), refs_(arguments.refs),
        absence_(absence), queue_(queue), uses_host_memory_(device.uses_host_memory()),
        publishes_late_(publishes_late) {}

  /// first: the arguments before it are taken. The absence is what is known of that one.
  Status run(size_t first) {
    if (refs_.size() != arguments_.size())
      refs_.resize(arguments_.size());
    for (;; first = 0) {
      if (!take_all(first))
        return give_up(std::move(status_));
      if (arguments_.kinds & map_type::kAttach) [[unlikely]] // others may have mapped a pointer meanwhile
        publishes_late_ = publishes_late_ || !are_plain(device_, arguments_);
      if (publishes_late_)
        find_attachments();
      if (!rest_ && !queue_.has_unpublished())
        return Status::ok();
      auto is_done = settle();
      if (!is_done.is_ok())
        return give_up(is_done.take_status());
      if (*is_done)
        return Status::ok();
      OMPTARGET_TRACE_DEVICE(Topic::kMapping, device_.id(), "what another thread was mapping is gone: taking it again");
      forget_gone();
      publishes_late_ = publishes_late_ || !are_plain(device_, arguments_);
    }
  }

private:
  enum class Taken { kYes, kNo, kAgain, kAbsent };

  /// State that few constructs need.
  struct Rest {
    explicit Rest(const MapArguments &arguments) : counts(arguments) {}
    ConstructCounts counts;
    llvm::SmallVector<Copy, 4> copies;            ///< into own new mappings
    llvm::SmallVector<Attachment, 2> attachments; ///< in own new mappings
    llvm::SmallVector<MappingRef, 2> awaited;     ///< of other constructs: storage or data may not have arrived
    llvm::SmallVector<MappingRef, 2>
        turns; ///< of other constructs, which have released the last reference and copy back
    llvm::SmallVector<Copy, 2> late_copies; ///< into mappings of others (always)
    llvm::SmallVector<Attachment, 2> late_attachments;
  };
  Rest &rest() {
    if (!rest_)
      rest_ = std::make_unique<Rest>(arguments_);
    return *rest_;
  }

  uint64_t type(size_t i) const { return static_cast<uint64_t>(list_.types[i]); }
  bool has(size_t i, uint64_t bits) const { return (type(i) & bits) != 0; }
  ArgumentReport report() const { return {device_, list_}; }

  // Properties of the arguments.

  /// Returns whether an argument after the i-th lies in its range, or overlaps it.
  bool is_mapped_again(size_t i) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    for (size_t j = i + 1; j < arguments_.size(); ++j)
      if (!has(j, kNoData) && do_overlap(begin, list_.sizes[i], host_ptr(list_.begins[j]), list_.sizes[j]))
        return true;
    return false;
  }

  bool may_be_used_in_place(size_t i) const {
    return uses_host_memory_ && !has(i, map_type::kClose) && !has_close_member(has(i, map_type::kPointer) ? i + 1 : i);
  }

  /// Returns whether the argument is a struct with a member that is close. Clang before 22 marks the member alone.
  bool has_close_member(size_t i) const {
    if (!is_combined(arguments_, i))
      return false;
    for (size_t j = i + 1;
         j < arguments_.size() && has(j, map_type::kMemberOf) && arguments_.group(j) == arguments_.group(i); ++j)
      if (has(j, map_type::kClose) && !has(j, map_type::kPointer | map_type::kPointee))
        return true;
    return false;
  }

  /// A pointee that may have no mapping: then its pointer is not mapped either. Exiting could not tell otherwise.
  bool may_stay_absent(size_t i) const { return list_.sizes[i] == 0 || may_be_used_in_place(i); }

  bool is_unpublished(const Mapping *mapping) const { return mapping->is_created_by(&queue_); }

  /// Returns whether this construct has made the mapping.
  bool is_own(MappingRef ref) const {
    return is_unpublished(ref.mapping) ||
           llvm::any_of(refs_, [&](const ArgumentRef &other) { return other.is_new && other.ref() == ref; });
  }

  // Taking one argument after the other.

  /// False: status_ has failed.
  bool take_all(size_t first) {
    for (size_t i = first; i < refs_.size(); ++i) {
      OMPTARGET_SCHED_POINT("enter: next argument");
      if (!take(i))
        return false;
      absence_.is_absent = false;
    }
    return true;
  }

  bool take(size_t i) {
    const uint64_t bits = type(i);
    if ((bits & kNoData) || refs_[i].mapping) // an earlier attempt has taken it
      return true;
    if (bits & map_type::kExpanded)
      return take_expanded(i);
    return take_range(i, bits);
  }

  [[gnu::noinline]] bool take_expanded(size_t i) {
    if (has(i, map_type::kLookUpOnly)) {
      const Found found = map_.find(arguments_.begin(i), 0);
      if (found.is_contained && (found.state & MappingState::kStorage))
        refs_[i] = {found.ref.mapping, found.ref.generation, false, false};
      return true;
    }
    if (has(i, map_type::kPointer) && may_stay_absent(i + 1) && !refs_[i + 1].mapping)
      return true; // the pointee decides
    const bool has_pointer_to_take = has(i, map_type::kPointee) && may_stay_absent(i) && !refs_[i - 1].mapping;
    for (size_t at = i;; at = i - 1) {
      if (!take_range(at, type(at)))
        return false;
      if (at != i || !has_pointer_to_take || !refs_[i].mapping)
        return true;
    }
  }

  /// Finds the range, or makes a mapping of it. bits: its type.
  [[gnu::always_inline]] inline bool take_range(size_t i, uint64_t bits) {
    const HostPtr begin = host_ptr(list_.begins[i]);
    const int64_t size = list_.sizes[i];
    if (!fits_in_memory(raw(begin), static_cast<uint64_t>(size))) {
      status_ = no_such_range(begin, size, arguments_.name(i));
      return false;
    }
    if (arguments_.group(i) >= 0 && rest_ && lies_in(rest_->counts.latest(i), i))
      return use(i, bits, rest_->counts.latest(i), false);
    if ((bits & map_type::kMemberOf) && lies_in_parent(i))
      return use(i, bits, refs_[static_cast<size_t>(arguments_.parent(i))].ref(), false);
    for (;; absence_.is_absent = false) {
      Taken taken = absence_.is_absent ? Taken::kAbsent : take_present(i, bits);
      if (taken == Taken::kAbsent)
        taken = make(i, bits);
      if (taken != Taken::kAgain)
        return taken == Taken::kYes;
    }
  }

  /// Returns whether the argument has a dynamic reference of its own wherever it lies.
  bool is_counted_simply(size_t i, uint64_t bits) const {
    const uint64_t elsewhere = (bits & map_type::kPointee) ? map_type::kHold : map_type::kHold | map_type::kMemberOf;
    return !(bits & elsewhere) && arguments_.group(i) < 0;
  }

  /// Returns whether a member lies in the mapping of its struct, with which it is counted.
  bool lies_in_parent(size_t i) const {
    const int32_t parent = arguments_.parent(i);
    return parent >= 0 && arguments_.group(i) < 0 && !has(i, map_type::kPointee) &&
           lies_in(refs_[static_cast<size_t>(parent)].ref(), i);
  }

  /// Returns whether the argument, which is not empty, lies in this mapping, which may be null.
  bool lies_in(MappingRef ref, size_t i) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    return ref && list_.sizes[i] != 0 && begin >= ref.mapping->begin() && begin + list_.sizes[i] <= ref.mapping->end();
  }

  [[gnu::noinline]] Taken take_present(size_t i, uint64_t bits) {
    const HostPtr begin = host_ptr(list_.begins[i]);
    const int64_t size = list_.sizes[i];
    if (is_counted_simply(i, bits)) {
      if (const MappingRef found = map_.retain_arrived(begin, size, absence_))
        return use(i, bits, found, true) ? Taken::kYes : Taken::kNo;
      if (absence_.is_absent)
        return Taken::kAbsent;
    }
    absence_ = {};
    const Found found = map_.find(begin, size, absence_);
    if (!found.is_contained && !(found.is_overlapped && has(i, map_type::kImplicit))) {
      if (!found.is_overlapped)
        return Taken::kAbsent;
      status_ = extension_not_allowed(i, found);
      return Taken::kNo;
    }
    const bool counts = rest().counts.counts(i, found.ref);
    const Retained retained = !counts                   ? Retained{true}
                              : has(i, map_type::kHold) ? map_.rare_uses().retain_hold(found.ref)
                                                        : found.ref.retain();
    if (!retained) {
      rest().counts.take_back(i, found.ref);
      return Taken::kAgain; // removed since it was found
    }
    if (retained.must_wait)
      rest().turns.push_back(found.ref);
    OMPTARGET_SCHED_POINT("enter: retained");
    await(found);
    return use(i, bits, found.ref, counts) ? Taken::kYes : Taken::kNo;
  }

  /// The argument lies in this mapping. False: status_ has failed.
  bool use(size_t i, uint64_t bits, MappingRef ref, bool is_counted) {
    const bool is_late = (bits & map_type::kPresent) && !may_be_used_in_place(i) && is_own(ref);
    refs_[i] = {ref.mapping, ref.generation, is_counted, false};
    if (is_late) {
      status_ = absent_on_entry(i);
      return false;
    }
    if (queue_.is_observed())
      report().entered(i, *ref.mapping, is_counted);
    if (!(bits & map_type::kTo))
      return true;
    if (bits & kInPlace)
      return true;
    if (is_unpublished(ref.mapping))
      copy_later(rest().copies, i);
    else if (bits & map_type::kAlways)
      copy_later(rest().late_copies, i);
    return true;
  }

  void copy_later(llvm::SmallVectorImpl<Copy> &copies, size_t i) {
    Copy copy = copy_of(arguments_, i);
    if (has(i, map_type::kPresent))
      copy.needed_by = "map type modifier";
    if (copy.size > 0)
      add_copy(copies, copy);
  }

  // Making mappings.

  NewRange range_of(size_t i, uint64_t bits, bool is_published_late) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    return {begin,
            begin + list_.sizes[i],
            host_ptr(list_.bases[i]),
            arguments_.name(i),
            is_published_late ? &queue_ : nullptr,
            (bits & map_type::kHold) ? Counter::kHold : Counter::kDynamic};
  }

  /// Nothing overlaps the range.
  Taken make(size_t i, uint64_t bits) {
    const int64_t size = list_.sizes[i];
    if (may_be_used_in_place(i)) {
      if (size != 0 && observe::reports_mappings())
        observe::mapping_on_host(host_ptr(list_.begins[i]), size);
      return Taken::kYes;
    }
    if (bits & map_type::kPresent) {
      status_ = absent_on_entry(i);
      return Taken::kNo;
    }
    if (size == 0)
      return Taken::kYes;
    const bool copies = (bits & (map_type::kTo | kInPlace)) == map_type::kTo;
    const bool is_late = publishes_late_ || is_mapped_again(i);
    const bool is_published_late = is_late || (copies && device_.plugin().is_asynchronous());
    const NewRange range = range_of(i, bits, is_published_late);
    const uint8_t padding = publishes_late_ ? padding_of(i) : 0;
    MappingRef own;
    if (padding == 0 && range.counter == Counter::kDynamic && !(bits & kInPlace))
      own = map_.revive(absence_.dormant, range, !copies && !is_late);
    if (own && queue_.is_observed())
      report().revived(i, *own.mapping);
    if (!own)
      if (const Taken made = make_new(i, range, padding, !copies && !is_late, own); made != Taken::kYes)
        return made;
    refs_[i] = {own.mapping, own.generation, true, true};
    if (publishes_late_)
      (void)rest().counts.counts(i, own); // the one that it was made with
    if (is_published_late)
      queue_.add_arriving(own);
    OMPTARGET_SCHED_POINT("enter: inserted");
    if (!copies)
      return Taken::kYes;
    if (!is_late)
      return fill(i, own, is_published_late);
    copy_later(rest().copies, i);
    return Taken::kYes;
  }

  /// Copies into an own mapping. Others find the mapping before the copy is made, and wait for it: nobody may copy
  /// the host's data, let others change them, and use the copy then.
  Taken fill(size_t i, MappingRef own, bool is_published_late) {
    if (!copy(i, own)) {
      if (!is_published_late) { // part of it may be under way
        device_.plugin_device().synchronize(queue_.plugin_queue()).consume();
        free_removed(device_, map_.discard(own)).consume();
        refs_[i] = {};
      }
      return Taken::kNo;
    }
    if (is_published_late || own.publish_copied())
      return Taken::kYes;
    refs_[i] = {};
    free_removed(device_, map_.remove_if_unused(own)).consume();
    return Taken::kAgain; // another construct has deleted them meanwhile
  }

  bool copy(size_t i, MappingRef own) {
    if (queue_.is_observed()) {
      status_ = queue_.copy_to_device(copy_of_argument(list_, i, own));
      return status_.is_ok();
    }
    void *const host = list_.begins[i];
    void *const target = raw(own.mapping->target_of(host_ptr(host)));
    Status status = check_readable(host, list_.sizes[i], has(i, map_type::kFrom));
    if (status.is_ok()) [[likely]]
      status = device_.plugin_device().data_submit(target, host, list_.sizes[i], &queue_.plugin_queue());
    if (status.is_ok())
      return true;
    status_ = during_copy(std::move(status), copy_of_argument(list_, i, own), "to");
    return false;
  }

  /// Reserves the range before it allocates: of several constructs that enter the same data, one allocates.
  [[gnu::noinline]] Taken make_new(size_t i, const NewRange &range, uint8_t padding, bool is_ready, MappingRef &own) {
    const Inserted inserted = map_.insert(range, absence_.gap);
    device_.free_evicted();
    if (!inserted.is_new)
      return Taken::kAgain;
    OMPTARGET_SCHED_POINT("enter: reserved");
    const MappingRef reserved = inserted.found.ref;
    if (has(i, kInPlace))
      return place_on_host(reserved, is_ready, own);
    const int64_t bytes = list_.sizes[i] + padding;
    auto allocated = allocate_mapped(device_, range.begin, bytes, range.name);
    if (!allocated.is_ok()) {
      (void)map_.discard(reserved);
      status_ = cannot_be_allocated(allocated.take_status(), range, bytes);
      return Taken::kNo;
    }
    OMPTARGET_SCHED_POINT("enter: allocated");
    Status notified;
    if (device_.plugin().wants_mappings())
      notified = device_.plugin_device().data_notify_mapped(raw(range.begin), list_.sizes[i]);
    OMPTARGET_SCHED_POINT("enter: no storage yet");
    if (!reserved.publish_storage(device_ptr(*allocated), padding, is_ready) && is_ready) {
      notified.consume();
      free_removed(device_, map_.remove_if_unused(reserved)).consume();
      return Taken::kAgain; // another construct has deleted them meanwhile
    }
    own = reserved;
    if (queue_.is_observed())
      report_created(device_, *own.mapping);
    if (notified.is_ok())
      return Taken::kYes;
    status_ = std::move(notified);
    if (is_ready)
      refs_[i] = {own.mapping, own.generation, true, true};
    else
      free_removed(device_, map_.discard(own)).consume();
    return Taken::kNo;
  }

  /// The device uses the host's memory.
  [[gnu::cold]] Taken place_on_host(MappingRef reserved, bool is_ready, MappingRef &own) {
    if (!reserved.publish_in_place(is_ready) && is_ready) {
      free_removed(device_, map_.remove_if_unused(reserved)).consume();
      return Taken::kAgain; // another construct has deleted them meanwhile
    }
    own = reserved;
    if (queue_.is_observed())
      report_created(device_, *own.mapping);
    return Taken::kYes;
  }

  /// A struct is mapped from its first mapped member on: the storage is padded so that all members are as aligned as
  /// they are on the host.
  uint8_t padding_of(size_t i) const {
    if (!is_combined(arguments_, i))
      return 0;
    const auto alignment = static_cast<uintptr_t>(alignment_of(host_ptr(list_.bases[i])));
    return static_cast<uint8_t>(reinterpret_cast<uintptr_t>(list_.begins[i]) % alignment);
  }

  // Pointers.

  /// Once all is taken.
  [[gnu::noinline]] void find_attachments() {
    for (size_t i = 0; i < refs_.size(); ++i)
      if (has(i, map_type::kPointee) && refs_[i].mapping && refs_[i - 1].mapping && holds_pointer(i - 1))
        attach({refs_[i - 1].ref(), host_ptr(list_.begins[i - 1]), kPointerSize, refs_[i].ref(),
                host_ptr(list_.begins[i])});
    for (size_t i = 0; i < refs_.size(); ++i) {
      if (has(i, map_type::kPointee) && !refs_[i].mapping)
        keep_unattached(map_.find(host_ptr(list_.begins[i - 1]), kPointerSize), i, kPointerSize);
      else if (has(i, map_type::kAttach) && !has(i, map_type::kPrivate))
        find_attachment(i);
    }
  }

  /// Returns whether all of the pointer is in its mapping: implicit arguments may lie in one partly.
  bool holds_pointer(size_t i) const {
    const HostPtr pointer = host_ptr(list_.begins[i]);
    return pointer >= refs_[i].mapping->begin() && pointer + kPointerSize <= refs_[i].mapping->end();
  }

  /// ATTACH: only where this construct made storage, or finds the attachment missing, unless always; nothing is counted.
  void find_attachment(size_t i) {
    const HostPtr address = host_ptr(list_.bases[i]);
    const HostPtr begin = host_ptr(list_.begins[i]);
    const Found pointer = map_.find(address, list_.sizes[i]);
    const Found target = map_.find(begin, 0);
    if (!target.is_contained)
      return keep_unattached(pointer, i, list_.sizes[i]);
    if (!pointer.is_contained)
      return;
    const bool always = has(i, map_type::kAlways) || mapping_settings().attach_always;
    if (!always && !is_own(pointer.ref) && !is_own(target.ref) && !lacks_attachment(i, pointer.ref, target.ref))
      return;
    if (!keep(pointer))
      return;
    await(target);
    attach({pointer.ref, address, list_.sizes[i], target.ref, begin});
  }

  /// Deals with a pointer whose target has no storage on the device. A target that is used in place has its host
  /// address there. Otherwise there is nothing to attach to: a pointer in storage of this construct keeps the host's
  /// value (OpenMP 5.2, section 5.4.4). The struct around it need not be copied.
  void keep_unattached(const Found &pointer, size_t i, int64_t size) {
    if (!pointer.is_contained)
      return;
    const HostPtr address = has(i, map_type::kPointee) ? host_ptr(list_.begins[i - 1]) : host_ptr(list_.bases[i]);
    if (may_be_used_in_place(i)) {
      if (keep(pointer))
        attach({pointer.ref, address, size, {}, host_ptr(list_.begins[i])});
    } else if (is_unpublished(pointer.ref.mapping)) {
      add_copy(rest().copies, {pointer.ref, address, size, arguments_.name(i)});
    }
  }

  /// Returns whether this construct maps the pointer and its target and finds it unattached: others may have mapped
  /// one of them anew.
  bool lacks_attachment(size_t i, MappingRef pointer, MappingRef target) const {
    const HostPtr address = host_ptr(list_.bases[i]);
    return !OMPTARGET_PLANTED("attachment-unchecked") && maps_before(i, address, pointer) &&
           maps_before(i, host_ptr(list_.begins[i]), target) &&
           !map_.attached_pointers().is_attached(pointer, address, target);
  }

  /// Returns whether the range of an argument before that one holds the address. Compilers pass pointers behind all that
  /// is mapped.
  bool maps_before(size_t i, HostPtr address, MappingRef mapping) const {
    for (size_t j = 0; j < i; ++j)
      if (refs_[j].ref() == mapping && !has(j, map_type::kPointer) && address >= host_ptr(list_.begins[j]) &&
          address < host_ptr(list_.begins[j]) + list_.sizes[j])
        return true;
    return false;
  }

  void attach(const Attachment &action) {
    (is_unpublished(action.pointer_mapping.mapping) ? rest().attachments : rest().late_attachments).push_back(action);
  }

  /// Keeps what a pointer lies in: this construct need not have a reference to it. False: it is gone.
  bool keep(const Found &pointer) {
    if (!is_unpublished(pointer.ref.mapping)) {
      if (!map_.borrow(pointer.ref))
        return false; // removed since it was found
      queue_.give_back_at_end(pointer.ref);
    }
    await(pointer);
    return true;
  }

  /// Another construct makes the mapping: its storage, or its data, may still be on the way.
  void await(const Found &found) {
    if (!is_unpublished(found.ref.mapping) && !MappingState::has_arrived(found.state))
      add_awaited(rest().awaited, found);
  }

  // Making it all present.

  /// Fills and publishes what the construct has made. Only then it waits for others. False if data of another construct
  /// are gone that this one needs: they are to be taken again.
  [[gnu::noinline]] Result<bool> settle() {
    if (rest_) {
      OMPTARGET_TRY_ASSIGN(const bool is_filled, fill_all());
      if (!is_filled)
        return false;
    }
    OMPTARGET_SCHED_POINT("enter: filled");
    OMPTARGET_TRY_ASSIGN(const bool are_kept, publish());
    OMPTARGET_SCHED_POINT("enter: published");
    if (!rest_)
      return are_kept;
    Rest &all = *rest_;
    require(
        device_, [this] { return !queue_.has_unpublished(); },
        "a construct waits for others before it has published its own data");
    if (!all.awaited.empty()) {
      OMPTARGET_TRY_ASSIGN(const bool are_there, queue_.wait_for_data(all.awaited));
      all.awaited.clear();
      if (!are_there || OMPTARGET_PLANTED("entry-given-back"))
        return false;
    }
    if (!are_kept)
      return false;
    for (const MappingRef &ref : all.turns)
      DeferredConstruct::wait_for_turn(device_, ref);
    all.turns.clear();
    OMPTARGET_SCHED_POINT("enter: all there");
    for (const Copy &copy : all.late_copies)
      OMPTARGET_TRY(queue_.copy_to_device(copy));
    for (const Attachment &action : all.late_attachments)
      OMPTARGET_TRY(queue_.attach(action));
    return true;
  }

  /// False: as settle. Then nothing is published.
  Result<bool> fill_all() {
    for (const Copy &copy : rest_->copies)
      OMPTARGET_TRY(queue_.copy_to_device(copy));
    rest_->copies.clear();
    for (const Attachment &action : rest_->attachments) {
      // The target's address is enough; its data may still be on the way.
      if (action.target && !action.target.wait_for(MappingState::kStorage))
        return false;
      OMPTARGET_TRY(queue_.attach(action));
    }
    rest_->attachments.clear();
    return attach_early();
  }

  /// Pointers in data of others, if these have arrived: nobody is to find what they point to before they are attached.
  /// False: as settle.
  Result<bool> attach_early() {
    for (Attachment &action : rest_->late_attachments) {
      const uint64_t word = action.pointer_mapping.mapping->state();
      if (!action.pointer_mapping.is_of(word) || !(word & MappingState::kReady))
        continue;
      if (action.target && !action.target.wait_for(MappingState::kStorage))
        return false;
      OMPTARGET_TRY_ASSIGN(const bool is_there, queue_.wait_for_data({action.pointer_mapping})); // only the queue waits
      if (!is_there)
        return false;
      OMPTARGET_TRY(queue_.attach(action));
      action.size = 0; // done
    }
    llvm::erase_if(rest_->late_attachments, [](const Attachment &action) { return action.size == 0; });
    return true;
  }

  /// Other threads may use the new data from now on. False if another construct has deleted some of them already.
  Result<bool> publish() {
    llvm::SmallVector<MappingRef, 2> lost;
    if (queue_.has_unpublished())
      OMPTARGET_TRY(queue_.publish(lost));
    for (ArgumentRef &ref : refs_)
      if (llvm::is_contained(lost, ref.ref()))
        ref = {};
    return lost.empty();
  }

  /// Data that another construct was making, or has deleted, are gone: the arguments that lay there are to be taken
  /// again. The construct keeps all that it has made or retained, as others may have written to it.
  void forget_gone() {
    absence_ = {};
    for (ArgumentRef &ref : refs_) {
      const bool is_given_back = OMPTARGET_PLANTED("entry-given-back") && ref.is_counted;
      if (is_given_back && ref.ref().release(false).reached_zero)
        free_removed(device_, map_.remove_if_unused(ref.ref())).consume();
      if (is_given_back || is_removed(ref.ref()))
        ref = {};
    }
    if (!rest_)
      return;
    rest_->counts.start_again();
    llvm::erase_if(rest_->late_copies, [](const Copy &copy) { return is_removed(copy.mapping); });
    llvm::erase_if(rest_->awaited, is_removed);
    llvm::erase_if(rest_->turns, is_removed);
    rest_->attachments.clear(); // found anew, all of them
    rest_->late_attachments.clear();
  }

  // Failures.

  /// What is not ready goes before anything else, even if others have found it: they wait for it.
  [[gnu::cold]] Status give_up(Status failure) {
    queue_.settle().consume(); // copies into what goes
    for (const MappingRef &ref : queue_.unpublished())
      free_removed(device_, map_.discard(ref)).consume();
    queue_.forget_unpublished();
    for (ArgumentRef &ref : refs_)
      if (is_removed(ref.ref()))
        ref = {};
    queue_.wait().consume();
    return failure;
  }

  [[gnu::cold]] Status absent_on_entry(size_t i) const {
    return missing_present(host_ptr(list_.begins[i]), list_.sizes[i], arguments_.name(i), "map type modifier")
        .during("Call to getTargetPointer returned null pointer ('present' map type modifier).");
  }

  [[gnu::cold]] Status extension_not_allowed(size_t i, const Found &found) const {
    const HostPtr begin = host_ptr(list_.begins[i]);
    const int64_t size = list_.sizes[i];
    Status status = Status::message(
        format("explicit extension not allowed: host address specified is 0x%016" PRIxPTR " (%" PRIu64
               " bytes), but device allocation maps to host at 0x%016" PRIxPTR " (%" PRIu64 " bytes)",
               static_cast<uintptr_t>(begin), size, static_cast<uintptr_t>(found.begin), found.end - found.begin));
    const bool is_present = has(i, map_type::kPresent);
    if (is_present)
      status = std::move(status).explained(missing_text(begin, size, "map type modifier"));
    return std::move(status)
        .during(is_present ? "Call to getTargetPointer returned null pointer ('present' map type modifier)."
                           : "Call to getTargetPointer returned null pointer (device failure or illegal mapping).")
        .about(variable_text(observe::name_for_message(arguments_.name(i), raw(begin)), size));
  }

  [[gnu::cold]] Status cannot_be_allocated(Status failure, const NewRange &range, int64_t bytes) const {
    return std::move(failure)
        .during(format("%" PRIu64 " bytes for host address 0x%016" PRIxPTR " could not be allocated on device %d",
                       bytes, static_cast<uintptr_t>(range.begin), raw(device_.id())))
        .during(mapped_memory_text(device_))
        .during("Call to getTargetPointer returned null pointer (device failure or illegal mapping).")
        .about(variable_text(observe::name_for_message(range.name, raw(range.begin)), range.end - range.begin));
  }

  Device &device_;
  HostDataToTargetMap &map_;
  MapArguments &arguments_;
  const MapList &list_;
  ArgumentRefs &refs_;
  Absence &absence_; ///< what is known of the argument that is taken, if it is absent
  ConstructQueue &queue_;
  const bool uses_host_memory_;
  bool publishes_late_;
  Status status_;
  std::unique_ptr<Rest> rest_;
};

} // namespace

Status enter_rest(Device &device, MapArguments &arguments, size_t first, Absence &absence, ConstructQueue &queue,
                  const void *code) {
  const bool is_plain = are_plain(device, arguments);
  if (!is_plain)
    OMPTARGET_TRY(prepare(arguments, code));
  return Entering(device, arguments, absence, queue, !is_plain).run(first);
}

} // namespace omptarget
