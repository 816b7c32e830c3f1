// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/exiting.h"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>

#include "base/page_access.h"
#include "base/sched_point.h"
#include "device/invariants.h"
#include "device/mapped_storage.h"
#include "region/construct_report.h"
#include "region/deferred_construct.h"

namespace omptarget {

using map_type::kAlways;

namespace {

/// Two faults in one: others may copy back at the same time, or remove what is copied.
inline bool is_turn_skipped() {
  return OMPTARGET_PLANTED("copies-out-of-turn") || OMPTARGET_PLANTED("copy-back-unkept");
}

/// Returns whether nobody references the mapping, and a construct copies its data back.
bool is_released_in_turn(MappingRef ref) {
  const uint64_t word = ref.mapping->state();
  return (word & MappingState::kTurn) != 0 && ref.is_of(word) && MappingState::is_unused(word);
}

} // namespace

/// Makes a mapping of an observed construct dormant, if it may be. Observers learn before that its storage is freed.
/// Another construct may revive the mapping at once, and tells of the same storage then.
[[gnu::cold, gnu::noinline]] bool Exiting::become_dormant_observed(MappingRef ref, EndedUse use, const LastUse &last) {
  bool is_told = false;
  const std::function<void()> tell = [&] {
    const observe::DataOperation operation(deletion_of(device_, last.removal));
    is_told = true;
  };
  const bool became_dormant = device_.map().become_dormant(ref, use, &tell);
  if (became_dormant && use != EndedUse::kTurn)
    report_released(last);
  if (became_dormant)
    report_removed(device_, last.removal);
  else if (is_told)
    report_allocated(device_, last.removal);
  return became_dormant;
}

/// The last argument of the list that is copied back from the mapping of argument i, or kNone.
[[gnu::always_inline]] inline size_t Exiting::last_copied(size_t i) {
  if (refs_.size() <= kFewArguments)
    return copied_before(i, refs_.size());
  return last_of_many(i);
}

/// The argument before that number which is copied back from the mapping of argument i, or kNone.
[[gnu::always_inline]] inline size_t Exiting::copied_before(size_t i, size_t number) const {
  if (refs_.size() > kFewArguments)
    return many_->before[number];
  while (number-- > 0)
    if (wants_copy(number) && is_same(number, i))
      return number;
  return kNone;
}

[[gnu::noinline]] size_t Exiting::last_of_many(size_t i) {
  if (!many_) {
    many_ = std::make_unique<Copied>();
    many_->before.assign(refs_.size(), kNone);
    for (size_t j = 0; j < refs_.size(); ++j)
      if (refs_[j].mapping && wants_copy(j)) {
        const auto [last, is_first] = many_->last.try_emplace({refs_[j].mapping, refs_[j].generation}, j);
        if (!is_first)
          many_->before[j] = std::exchange(last->second, j);
      }
  }
  const auto last = many_->last.find({refs_[i].mapping, refs_[i].generation});
  return last == many_->last.end() ? kNone : last->second;
}

/// The argument before that number which has a dynamic reference to the mapping of argument i, or kNone.
size_t Exiting::counted_before(size_t i, size_t number) const {
  while (number-- > 0)
    if (refs_[number].is_counted && is_same(number, i) && !is_of_kind(number, kRareReferences))
      return number;
  return kNone;
}

/// The copy of an argument; the part that lies in its mapping, for implicit ones that reach beyond it.
inline Copy Exiting::copy_of(size_t i) const {
  return (arguments_.kinds & map_type::kImplicit) != 0 ? omptarget::copy_of(arguments_, i)
                                                       : copy_of_argument(arguments_.list(), i, refs_[i].ref());
}

void Exiting::start() {
  require(
      device_, [this] { return !queue_.has_unpublished(); },
      "a construct exits data that it has not published");
  release_duplicates();
  for (size_t i = 0; i < refs_.size(); ++i) {
    if (is_to_be_copied_always(i)) {
      copy_always(i, true);
      continue;
    }
    if (!refs_[i].is_counted || MappingState::count(refs_[i].mapping->state()) != 1 || is_of_kind(i, kRareReferences))
      continue;
    if (const size_t last = last_copied(i); last != kNone && release_for_turn(i))
      turns_.push_back({i, copy_back(i, last, true)});
  }
}

/// Releases all references to a mapping but the first one. That one keeps the mapping until the end.
void Exiting::release_duplicates() {
  if (refs_.size() > kFewArguments)
    return;
  for (size_t i = 1; i < refs_.size(); ++i) {
    ArgumentRef &ref = refs_[i];
    if (!ref.is_counted || MappingState::count(ref.mapping->state()) == 1 || is_of_kind(i, kRareReferences) ||
        counted_before(i, i) == kNone || !ref.ref().release_unless_last())
      continue;
    ref.is_counted = false;
    if (queue_.is_observed())
      report().released(i, *ref.mapping, false);
  }
}

/// `always`: the data are copied back, whoever references them. If the construct may be the last to do so, it
/// releases its reference and takes the turn in one step. Data in another construct's turn are waited for, unless is_queued.
[[gnu::cold, gnu::noinline]] void Exiting::copy_always(size_t i, bool is_queued) {
  const MappingRef ref = refs_[i].ref();
  const size_t counted = counted_before(i, i + 1);
  const size_t last = last_copied(i);
  if (counted != kNone && release_for_turn(counted)) {
    const bool is_plain = copy_back(counted, last, is_queued);
    is_queued ? turns_.push_back({counted, is_plain}) : end_turn(counted, is_plain);
  } else {
    Turn turn = ref.take_turn();
    for (; turn == Turn::kBusy && !is_queued; turn = ref.take_turn())
      wait_for_turn(ref);
    if (turn == Turn::kBusy)
      return;
    if (turn == Turn::kGone) { // removed, or about to be by the construct that has the turn
      if (is_queued && is_released_in_turn(ref))
        return;
      if (is_released_in_turn(ref))
        wait_for_turn(ref);
      if (arguments_.has(i, map_type::kPresent))
        failure_.keep_first(
            missing_present(arguments_.begin(i), arguments_.bytes(i), arguments_.name(i), "map type modifier"));
      refs_[i] = {};
      return;
    }
    llvm::SmallVector<Copy, 4> copies;
    for (size_t j = last; j != kNone; j = copied_before(i, j))
      if (is_of_kind(j, kAlways))
        add_copy(copies, copy_of(j));
    for (const Copy &copy : copies)
      copy_with_care(copy, false); // others use the data
    if (is_queued) {
      turns_.push_back({i, false});
    } else {
      failure_.keep_first(queue_.wait());
      end_turn(i, false);
    }
  }
  for (size_t j = last; j != kNone; j = copied_before(i, j))
    refs_[j].is_copied_back = true; // all that lie there
}

/// Releases the last reference of argument i, and takes the turn. False: nothing has happened.
[[gnu::always_inline]] inline bool Exiting::release_for_turn(size_t i) {
  ArgumentRef &ref = refs_[i];
  OMPTARGET_SCHED_POINT("exit: about to take the turn");
  if (is_turn_skipped() ? !ref.ref().release_if_last().reached_zero : !ref.ref().release_for_turn())
    return false;
  ref.is_counted = false;
  if (queue_.is_observed())
    report_released(report().last_use(i, *ref.mapping));
  OMPTARGET_SCHED_POINT("exit: has the turn");
  return true;
}

/// Copies back from the mapping of argument i, or queues that. last: its last argument that is copied back. Returns
/// whether some copy goes over pointers that become attached meanwhile.
bool Exiting::copy_back(size_t i, size_t last, bool is_queued) {
  bool are_plain = false;
  Copy copy = copy_of(last);
  for (size_t j = copied_before(i, last); j != kNone; j = copied_before(i, j))
    if (const Copy next = copy_of(j); !extend(copy, next)) { // neighbours are one transfer
      are_plain = copy_back(copy, is_queued) || are_plain;
      copy = next;
    }
  are_plain = copy_back(copy, is_queued) || are_plain;
  if (!is_queued && !queue_.is_idle())
    failure_.keep_first(queue_.wait());
  return are_plain;
}

[[gnu::always_inline]] inline bool Exiting::copy_back(const Copy &copy, bool is_queued) {
  const Mapping &mapping = *copy.mapping.mapping;
  void *const host = raw(copy.host);
  const bool is_plain = !mapping.has_attached_pointers() && is_writable(host, static_cast<size_t>(copy.size));
  if (!is_plain || queue_.is_observed()) {
    copy_with_care(copy, is_plain && !is_queued);
    return is_plain;
  }
  Status status = device_.plugin_device().data_retrieve(host, raw(mapping.target_of(copy.host)), copy.size,
                                                        is_queued ? &queue_.plugin_queue() : nullptr);
  if (!status.is_ok())
    failure_.keep_first(during_copy(std::move(status), copy, "from"));
  return true;
}

[[gnu::cold, gnu::noinline]] void Exiting::copy_with_care(const Copy &copy, bool is_at_once) {
  failure_.keep_first(is_at_once ? queue_.copy_at_once(copy, false) : queue_.copy_to_host(copy));
}

/// Once the data are copied back.
[[gnu::always_inline]] inline void Exiting::end_turn(size_t i, bool is_plain) {
  OMPTARGET_SCHED_POINT("exit: copied back");
  HostDataToTargetMap &map = device_.map();
  const MappingRef ref = refs_[i].ref();
  if (is_plain && ref.mapping->has_attached_pointers()) // since the copies began
    for (size_t j = last_copied(i); j != kNone; j = copied_before(i, j))
      map.attached_pointers().restore(ref, arguments_.begin(j), arguments_.bytes(j));
  if (is_turn_skipped() && !(ref.mapping->state() & MappingState::kTurn))
    return remove(map.remove_if_unused(ref));
  (void)end_use(i, EndedUse::kTurn);
}

/// Waits for the turn of another construct.
void Exiting::wait_for_turn(MappingRef ref) {
  require(
      device_, [this] { return turns_.empty(); }, "a construct that has a turn waits for another one's");
  DeferredConstruct::wait_for_turn(device_, ref);
}

void Exiting::remove(const Removed &removed) { failure_.keep_first(free_removed(device_, removed)); }

Status Exiting::finish() {
  Status waited = OMPTARGET_PLANTED("left-under-way") || queue_.is_idle() ? Status::ok() : queue_.wait(&failure_);
  if (!waited.is_ok())
    copy_nothing();
  for (const Taken &turn : turns_)
    end_turn(turn.argument, turn.is_plain);
  turns_.clear();
  for (size_t i = 0; (arguments_.kinds & kAlways) && i < refs_.size(); ++i)
    if (is_to_be_copied_always(i))
      copy_always(i, false);
  (void)release_shared(device_, arguments_, queue_.is_observed());
  release_rest();
  return waited;
}

void Exiting::release_rest() {
  for (size_t i = 0; i < refs_.size(); ++i)
    if (refs_[i].is_counted) {
      release(i);
      refs_[i].is_counted = false;
    }
  device_.free_evicted();
}

/// Releases the reference of argument i. Nothing is queued, and the construct has no turn.
[[gnu::always_inline]] inline void Exiting::release(size_t i) {
  const size_t last = last_copied(i);
  if (!is_of_kind(i, kRareReferences)) {
    if (last == kNone ? end_use(i, EndedUse::kReference) : release_for_turn(i)) {
      if (last != kNone)
        end_turn(i, copy_back(i, last, false));
      return;
    }
  } else if (last == kNone && !is_of_kind(i, map_type::kHold) && end_use(i, EndedUse::kAllReferences)) {
    return;
  }
  release_with_care(i, last);
}

/// Ends a use of argument i's mapping, whose data are not copied back any more. False: others use the mapping, or there is
/// more to do. Then a turn has ended all the same, and of references nothing has happened.
[[gnu::always_inline]] inline bool Exiting::end_use(size_t i, EndedUse use) {
  const MappingRef ref = refs_[i].ref();
  if (queue_.is_observed())
    return end_use_observed(i, use);
  if (may_become_dormant(ref) && device_.map().become_dormant(ref, use))
    return true;
  return remove_last(device_.map().end_use(ref, use), nullptr);
}

[[gnu::cold, gnu::noinline]] bool Exiting::end_use_observed(size_t i, EndedUse use) {
  const MappingRef ref = refs_[i].ref();
  const LastUse last = report().last_use(i, *ref.mapping);
  if (may_become_dormant(ref) && become_dormant_observed(ref, use, last))
    return true;
  return remove_last(device_.map().end_use(ref, use), use == EndedUse::kTurn ? nullptr : &last);
}

/// last: what is left to be reported of the reference.
[[gnu::noinline]] bool Exiting::remove_last(const Removed &removed, const LastUse *last) {
  if (!removed.is_removed)
    return false;
  OMPTARGET_SCHED_POINT("exit: released");
  if (last)
    report_released(*last);
  remove(removed);
  return true;
}

/// Releases references of argument i, whatever there is to do besides. last: as for copy_back.
[[gnu::noinline]] void Exiting::release_with_care(size_t i, size_t last) {
  const MappingRef ref = refs_[i].ref();
  const bool is_deleted = is_of_kind(i, map_type::kDelete);
  const bool is_held = is_of_kind(i, map_type::kHold);
  if (is_deleted && !is_held)
    device_.map().rare_uses().forget_base_pointers(ref);
  const OnLast on_last = last == kNone ? OnLast::kNothing : OnLast::kTakeTurn;
  const auto release_now = [&] {
    return is_held ? device_.map().rare_uses().release_hold(ref, is_deleted, on_last)
                   : ref.release(is_deleted, on_last);
  };
  Released released = release_now();
  for (; released.must_wait; released = release_now())
    wait_for_turn(ref);
  OMPTARGET_SCHED_POINT("exit: released");
  if (queue_.is_observed() && released.is_valid)
    report().released(i, *ref.mapping, released.reached_zero);
  if (released.has_turn)
    end_turn(i, copy_back(i, last, false));
  else if (released.is_valid && released.count == 0) // whoever has released the last one may not have come so far
    remove(device_.map().remove_if_unused(ref));
  // The construct is complete once data that nobody references are gone: who enters them after it maps them anew.
  if (is_released_in_turn(ref))
    wait_for_turn(ref);
}

bool Exiting::has_turn(MappingRef ref) const {
  return llvm::any_of(turns_, [&](const Taken &turn) { return refs_[turn.argument].ref() == ref; });
}

void give_back(Device &device, MapArguments &arguments) {
  ConstructQueue queue(device, is_observed());
  arguments.kinds &= ~map_type::kDelete;
  Status besides;
  Exiting exiting(device, arguments, queue, besides);
  exiting.copy_nothing();
  exiting.finish().consume();
  besides.consume();
}

} // namespace omptarget
