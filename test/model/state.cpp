// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state word of a mapping: who removes it, who may still retain it, and what who finds one may rely on.

#include <memory>

#include "checked.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;

constexpr HostPtr kBegin{0x1000}, kEnd{0x1040}, kOther{0x5000}, kElsewhere{0x8000}, kBelow{0x800};
constexpr DevicePtr kDevice{0x9000};

NewRange range_at(HostPtr begin) {
  return {begin, begin + (kEnd - kBegin), begin, nullptr, nullptr, Counter::kDynamic};
}

Retained retain(HostDataToTargetMap &map, MappingRef ref, Counter counter) {
  return counter == Counter::kHold ? map.rare_uses().retain_hold(ref) : ref.retain();
}
Released release(HostDataToTargetMap &map, MappingRef ref, Counter counter) {
  return counter == Counter::kHold ? map.rare_uses().release_hold(ref, false) : ref.release(false);
}

struct Table {
  HostDataToTargetMap map;
  int removals = 0, frees = 0;

  MappingRef insert_ready(HostPtr begin, DevicePtr device) {
    const MappingRef ref = map.insert(range_at(begin)).found.ref;
    ref.publish_storage(device);
    require(ref.publish_ready(), "nobody has entered or left it yet");
    return ref;
  }
  /// As a construct that leaves.
  void leave(MappingRef ref, Counter counter = Counter::kDynamic) {
    const Released released = release(map, ref, counter);
    require(released.is_valid, "what was retained is gone");
    if (released.reached_zero)
      count(map.remove_if_unused(ref));
  }
  void count(const Removed &removed) {
    removals += removed.is_removed;
    frees += removed.is_free;
  }
  void require_removed_once() const {
    require(removals == 1 && map.size() == 0, "not removed exactly once");
    require(map.fault().empty(), "an invariant is broken");
  }
  /// As a construct that finds what others may leave: enters, uses, leaves.
  void use(HostPtr begin, Counter counter = Counter::kDynamic) {
    const Found found = map.find(begin, 8);
    if (!found.is_contained)
      return;
    require(found.begin == begin, "another range was found");
    if (!retain(map, found.ref, counter))
      return;
    require(found.ref.mapping->begin() == begin, "the mapping was replaced although it was retained");
    leave(found.ref, counter);
  }
};

Scenario removed_once(int users, Counter counter) {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] { table->leave(ref); });
  for (int i = 0; i < users; ++i)
    scenario.threads.push_back([=] { table->use(kBegin, counter); });
  scenario.check = [=] {
    require(table->removals == 1 && table->frees == 1, "not removed and freed exactly once");
    require(table->map.size() == 0, "something is left");
  };
  return scenario;
}

/// The mapping is removed, and its object becomes that of another range, while somebody looks for the first.
Scenario replaced(HostPtr next) {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    (void)table->map.insert(range_at(next));
  });
  scenario.threads.push_back([=] {
    const Found found = table->map.find(kBegin, 8);
    if (!found.is_contained)
      return;
    require(found.begin == kBegin && found.end == kEnd, "bounds of two mappings were mixed");
    // As a construct that left long ago would: it must not count for who came after.
    if (found.ref == ref && ref.retain())
      table->leave(ref);
  });
  scenario.check = [=] {
    const Found found = table->map.find(next, 8);
    require(found.is_contained || next == kBegin, "the second range is missing");
    if (found.is_contained)
      require(found.begin == next && MappingState::count(found.state) == 1,
              "the second mapping has lost its reference");
  };
  return scenario;
}

/// A late release must not reach the mapping that the object holds now.
Scenario late_release() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    (void)table->map.insert(range_at(kOther));
  });
  scenario.threads.push_back([=] { (void)ref.release(true); });
  scenario.check = [=] {
    const Found found = table->map.find(kOther, 8);
    require(found.is_contained && MappingState::count(found.state) == 1, "a release took another mapping's reference");
  };
  return scenario;
}

/// A thread that finds a mapping that another one makes may use its address once that is published.
Scenario published(bool fails) {
  const auto table = std::make_shared<Table>();
  Scenario scenario;
  scenario.threads.push_back([=] {
    const Inserted inserted = table->map.insert(range_at(kBegin));
    if (fails) {
      (void)table->map.discard(inserted.found.ref);
      return;
    }
    inserted.found.ref.publish_storage(kDevice);
  });
  scenario.threads.push_back([=] {
    const Found found = table->map.find(kBegin, 8);
    if (!found.is_contained)
      return;
    const bool is_there = found.ref.wait_for(MappingState::kStorage);
    require(is_there != fails,
            fails ? "a failed mapping was taken for a good one" : "a good mapping counts as removed");
    if (is_there)
      require(found.ref.mapping->target_begin() == kDevice, "the address was read before it was published");
  });
  scenario.check = [=] { require(table->map.size() == (fails ? 0 : 1), "the table is wrong in the end"); };
  return scenario;
}

/// Storage stays as it is while somebody has borrowed it, whoever removes the mapping and uses the object again.
Scenario borrowed() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    (void)table->map.insert(range_at(kOther));
  });
  scenario.threads.push_back([=] {
    if (!table->map.borrow(ref))
      return;
    require(ref.mapping->begin() == kBegin && ref.mapping->target_begin() == kDevice, "borrowed storage was replaced");
    table->count(table->map.give_back(ref));
  });
  scenario.check = [=] { require(table->frees == 1, "storage is not freed exactly once"); };
  return scenario;
}

/// Data that another construct deletes while they are being made are removed by their maker.
Scenario deleted_early() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->map.insert(range_at(kBegin)).found.ref;
  Scenario scenario;
  scenario.threads.push_back([=] {
    ref.publish_storage(kDevice);
    if (!ref.publish_ready())
      table->count(table->map.remove_if_unused(ref));
  });
  scenario.threads.push_back([=] {
    if (!ref.release(true).reached_zero)
      return;
    const Removed removed = table->map.remove_if_unused(ref);
    require(!removed.is_removed || removed.allocation == kDevice, "removed before its storage was known");
    table->count(removed);
  });
  scenario.check = [=] { require(table->removals == 1 && table->frees == 1, "not removed and freed exactly once"); };
  return scenario;
}

/// Two constructs that need no plan leave the same data: one of them is the last.
Scenario shared() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  require(ref.retain().is_valid, "the only thread cannot retain");
  Scenario scenario;
  for (int i = 0; i < 2; ++i)
    scenario.threads.push_back([=] {
      if (!ref.release_unless_last())
        table->leave(ref);
    });
  scenario.check = [=] { table->require_removed_once(); };
  return scenario;
}

/// The data are left, and the object becomes that of another range, while a construct that needs no plan enters them.
Scenario retained_in_one_step() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    (void)table->map.insert_infinite(range_at(kOther), kDevice);
  });
  scenario.threads.push_back([=] {
    Absence absence;
    const MappingRef mine = table->map.retain_arrived(kBegin, 8, absence);
    if (mine)
      require(mine.mapping->begin() == kBegin, "another range was retained");
  });
  scenario.check = [=] { require(table->map.find(kOther, 8).is_contained, "the second range is missing"); };
  return scenario;
}

/// A guess whose object becomes that of the range asked for while it is checked.
Scenario guessed() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    (void)table->map.insert_infinite(range_at(kOther), kDevice);
  });
  scenario.threads.push_back([=] {
    const MappingRef found = table->map.find_to_release(kOther, 8);
    require(found != ref, "a removed mapping was found for the range that took its place");
  });
  scenario.check = [=] { require(table->map.size() == 1, "the table is wrong in the end"); };
  return scenario;
}

/// A late release of a construct that needs no plan must not reach the mapping that the object holds now.
Scenario late_shared_release() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    const MappingRef next = table->map.insert(range_at(kOther)).found.ref;
    require(next.retain().is_valid, "a new mapping is gone");
  });
  scenario.threads.push_back([=] { (void)ref.release_unless_last(); });
  scenario.check = [=] {
    const Found found = table->map.find(kOther, 8);
    require(found.is_contained && MappingState::count(found.state) == 2, "a release took another mapping's reference");
  };
  return scenario;
}

/// A thread that leaves early removes only data that nobody else references, or nothing.
Scenario released_if_last() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    const Released released = ref.release_if_last();
    require(released.is_valid, "what was retained is gone");
    if (released.reached_zero)
      table->count(table->map.remove_if_unused(ref));
    else
      table->leave(ref); // late
  });
  scenario.threads.push_back([=] { table->use(kBegin); });
  scenario.check = [=] { table->require_removed_once(); };
  return scenario;
}

/// A late one must not reach the mapping that the object holds now.
Scenario late_release_if_last() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] {
    table->leave(ref);
    (void)table->map.insert(range_at(kOther));
  });
  scenario.threads.push_back([=] { (void)ref.release_if_last(); });
  scenario.check = [=] {
    const Found found = table->map.find(kOther, 8);
    require(found.is_contained && MappingState::count(found.state) == 1, "a release took another mapping's reference");
  };
  return scenario;
}

// Three threads.

/// One leaves; two that had found the mapping before enter it, or come too late.
Scenario entered_by_two() {
  const auto table = std::make_shared<Table>();
  const auto entered = std::make_shared<int>(0);
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] { table->leave(ref); });
  for (int i = 0; i < 2; ++i)
    scenario.threads.push_back([=] { *entered += ref.retain() ? 1 : 0; });
  scenario.check = [=] {
    const Found found = table->map.find(kBegin, 8);
    if (*entered == 0)
      require(table->removals == 1 && !found.is_contained, "not removed, although nobody entered");
    else
      require(table->removals == 0 && found.is_contained &&
                  static_cast<int>(MappingState::count(found.state)) == *entered,
              "those who entered are not all counted");
  };
  return scenario;
}

/// One removes the mapping while two others have its storage borrowed: the last of the three frees it.
Scenario borrowed_by_two() {
  const auto table = std::make_shared<Table>();
  const auto users = std::make_shared<checked::Shared<int>>(2);
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  require(table->map.borrow(ref) && table->map.borrow(ref), "nobody else is there");
  const auto count = [=](const Removed &removed) {
    require(!removed.is_free || **users == 0, "storage is freed although somebody has borrowed it");
    table->count(removed);
  };
  Scenario scenario;
  scenario.threads.push_back([=] {
    (void)ref.release(false);
    count(table->map.remove_if_unused(ref));
  });
  for (int i = 0; i < 2; ++i)
    scenario.threads.push_back([=] {
      --**users;
      count(table->map.give_back(ref));
    });
  scenario.check = [=] { require(table->removals == 1 && table->frees == 1, "storage is not freed exactly once"); };
  return scenario;
}

/// A construct that needs no plan, one that leaves early, and one that leaves: each has a reference, one of them is the
/// last.
Scenario left_by_three() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  const auto others = std::make_shared<checked::Shared<int>>(2);
  require(ref.retain() && ref.retain(), "nobody else is there");
  Scenario scenario;
  scenario.threads.push_back([=] {
    --**others;
    if (!ref.release_unless_last())
      table->leave(ref);
  });
  scenario.threads.push_back([=] {
    if (!ref.release_if_last().reached_zero)
      return table->leave(ref);
    require(**others == 0, "one that left early was taken for the last");
    table->count(table->map.remove_if_unused(ref));
  });
  scenario.threads.push_back([=] {
    --**others;
    table->leave(ref);
  });
  scenario.check = [=] { table->require_removed_once(); };
  return scenario;
}

/// Small data, which become dormant when they are left, and their bytes on both sides.
struct Small : Table {
  const MappingRef ref = insert_ready(kBegin, kDevice);
  checked::atomic<int> on_device{0}, on_host{0};

  /// As a construct that copies back what it is the last to leave.
  void leave_and_copy(MappingRef mine) {
    if (mine.release_for_turn())
      return copy_and_end(mine);
    for (;;) {
      const Released released = mine.release(false, OnLast::kTakeTurn);
      require(released.is_valid, "what was retained is gone");
      if (released.must_wait) {
        mine.wait_for_turn();
        continue;
      }
      if (!released.reached_zero)
        return;
      require(released.has_turn, "the last reference was taken without the turn");
      copy_back();
      return count(map.end_use(mine, EndedUse::kTurn));
    }
  }
  void copy_and_end(MappingRef mine) {
    copy_back();
    require(mine.mapping->generation() == mine.generation, "storage was freed while it was copied");
    if (!map.become_dormant(mine, EndedUse::kTurn))
      count(map.end_use(mine, EndedUse::kTurn));
  }
  void leave_small(MappingRef mine) {
    if (mine.release_unless_last())
      return;
    if (map.become_dormant(mine, EndedUse::kReference))
      return;
    const Removed removed = map.end_use(mine, EndedUse::kReference);
    count(removed);
    if (!removed.is_removed)
      leave(mine);
  }
  /// In two steps: a newer copy in between would be lost.
  void copy_back() {
    const int read = on_device.load(std::memory_order_relaxed);
    on_host.store(read, std::memory_order_relaxed);
  }
  /// The mapping that was left is dormant, and was freed nowhere.
  void check_end() {
    require(map.size() == 0, "something is present in the end");
    require(map.fault().empty(), "an invariant is broken");
    map.evict_all();
    require(frees + static_cast<int>(map.dormant().take_evicted().size()) == 1, "storage is not freed exactly once");
  }
};

/// Changes by another construct while the first one leaves and copies come back, too, whichever is last.
Scenario left_while_copied() {
  const auto small = std::make_shared<Small>();
  Scenario scenario;
  const auto has_changed = std::make_shared<bool>(false);
  require(small->ref.release_for_turn(), "the only thread is not the last");
  scenario.threads.push_back([=] { small->copy_and_end(small->ref); });
  scenario.threads.push_back([=] {
    const Retained retained = small->ref.retain();
    if (!retained)
      return;
    if (retained.must_wait)
      small->ref.wait_for_turn();
    *has_changed = true;
    small->on_device.store(1, std::memory_order_relaxed);
    small->leave_and_copy(small->ref);
  });
  scenario.check = [=] {
    require(small->on_host.load(std::memory_order_relaxed) == (*has_changed ? 1 : 0),
            "what a construct has done does not come back");
    small->check_end();
  };
  return scenario;
}

/// Two constructs that reference the data leave and copy back, one after it has changed them.
Scenario left_and_copied_by_two() {
  const auto small = std::make_shared<Small>();
  require(small->ref.retain().is_valid, "nobody else is there");
  Scenario scenario;
  scenario.threads.push_back([=] { small->leave_and_copy(small->ref); });
  scenario.threads.push_back([=] {
    small->on_device.store(1, std::memory_order_relaxed);
    small->leave_and_copy(small->ref);
  });
  scenario.check = [=] {
    require(small->on_host.load(std::memory_order_relaxed) == 1, "what a construct has done does not come back");
    small->check_end();
  };
  return scenario;
}

/// One construct copies back although another references the data (always), which changes them and leaves.
Scenario copied_always() {
  const auto small = std::make_shared<Small>();
  Scenario scenario;
  scenario.threads.push_back([=] {
    const Turn turn = small->ref.take_turn();
    require(turn != Turn::kBusy, "a turn is waited for that ends with the mapping");
    if (turn != Turn::kTaken)
      return;
    small->copy_back();
    small->count(small->map.end_use(small->ref, EndedUse::kTurn));
  });
  scenario.threads.push_back([=] {
    small->on_device.store(1, std::memory_order_relaxed);
    small->leave_and_copy(small->ref);
  });
  scenario.check = [=] {
    require(small->on_host.load(std::memory_order_relaxed) == 1, "what a construct has done does not come back");
    small->check_end();
  };
  return scenario;
}

/// The same of a construct that does not copy: the one that ends its turn removes the mapping.
Scenario left_in_anothers_turn() {
  const auto small = std::make_shared<Small>();
  require(small->ref.take_turn() == Turn::kTaken, "nobody else is there");
  Scenario scenario;
  scenario.threads.push_back([=] {
    small->copy_back();
    small->count(small->map.end_use(small->ref, EndedUse::kTurn));
  });
  scenario.threads.push_back([=] { small->leave_small(small->ref); });
  scenario.check = [=] { small->check_end(); };
  return scenario;
}

/// Dormant data are revived by one construct, or looked up, while others want their addresses.
Scenario revived(bool is_looked_up) {
  const auto small = std::make_shared<Small>();
  const auto mine = std::make_shared<MappingRef>();
  const auto theirs = std::make_shared<bool>(false);
  small->leave_small(small->ref);
  Scenario scenario;
  scenario.threads.push_back([=] {
    *mine = small->map.revive(small->ref.mapping, range_at(kBegin), true);
    require(!*mine || mine->mapping->begin() == kBegin, "another range was revived");
  });
  if (is_looked_up)
    scenario.threads.push_back([=] { small->use(kBegin); });
  else
    scenario.threads.push_back([=] {
      NewRange other = range_at(kBegin);
      other.end = other.end + 8;
      *theirs = small->map.insert(other).is_new;
    });
  scenario.check = [=] {
    require(static_cast<bool>(*mine) != *theirs || is_looked_up, "both have the range, or neither");
    require(small->map.size() == 1, "not one mapping is present");
    if (*mine)
      small->leave(*mine);
    const int left = small->frees + static_cast<int>(small->map.dormant().take_evicted().size());
    require(left == 1, "storage is not freed exactly once");
  };
  return scenario;
}

/// Two constructs leave the same data, or one borrows them, and one enters them again.
Scenario dormant(bool is_borrowed) {
  const auto small = std::make_shared<Small>();
  Scenario scenario;
  scenario.threads.push_back([=] {
    small->leave_small(small->ref);
    if (const MappingRef again = small->map.revive(small->ref.mapping, range_at(kBegin), true))
      small->leave_small(again);
  });
  scenario.threads.push_back([=] {
    if (!is_borrowed)
      return small->use(kBegin);
    const MappingRef theirs = small->map.borrow_arrived(kBegin, 8);
    if (!theirs)
      return;
    require(theirs.mapping->begin() == kBegin, "borrowed storage was replaced");
    if (!theirs.give_back_simply())
      small->count(small->map.give_back(theirs));
  });
  scenario.check = [=] { small->check_end(); };
  return scenario;
}

/// A construct finds data absent and makes them, while another one makes the same or other data.
Scenario made_where_absent(HostPtr theirs) {
  const auto table = std::make_shared<Table>();
  Scenario scenario;
  scenario.threads.push_back([=] {
    Absence absence;
    const MappingRef found = table->map.retain_arrived(kBegin, 8, absence);
    require(found || absence.is_absent, "data are neither present nor absent");
    if (found)
      return;
    const Inserted inserted = table->map.insert(range_at(kBegin), absence.gap);
    if (inserted.is_new)
      require(inserted.found.ref.publish_storage(kDevice, 0, true), "a reference is lost");
  });
  scenario.threads.push_back([=] { (void)table->map.insert_infinite(range_at(theirs), kDevice); });
  scenario.check = [=] {
    require(table->map.fault().empty(), "an invariant is broken");
    require(table->map.size() == (theirs == kBegin ? 1 : 2), "not one mapping of each range");
    require(table->map.find(kBegin, 8).is_contained && table->map.find(theirs, 8).is_contained,
            "one of them is not found");
  };
  return scenario;
}

/// A pointer is attached to data that another construct deletes: the mapping keeps none of it when it is used again.
Scenario attached_while_removed() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  Scenario scenario;
  scenario.threads.push_back([=] { table->leave(ref); });
  scenario.threads.push_back(
      [=] { (void)table->map.attached_pointers().note(ref, {kBegin, kOther, kDevice, kDevice}, false); });
  scenario.check = [=] { table->require_removed_once(); };
  return scenario;
}

/// One construct deletes data that another one leaves, too. In no order does the other one take the last reference, by
/// which it would copy the data back.
Scenario deleted_under_another() {
  const auto table = std::make_shared<Table>();
  const MappingRef ref = table->insert_ready(kBegin, kDevice);
  require(ref.retain().is_valid, "it was there");
  Scenario scenario;
  scenario.threads.push_back([=] {
    const Removed removed = table->map.end_use(ref, EndedUse::kAllReferences);
    require(removed.is_removed, "nobody works on it");
    table->count(removed);
  });
  scenario.threads.push_back([=] {
    const bool is_last = !ref.release_unless_last() && ref.release_for_turn();
    require(!is_last, "deleted data are copied back");
  });
  scenario.check = [=] { table->require_removed_once(); };
  return scenario;
}

/// Two that have the same place, as all have here, but not the same guess, become dormant. One of them must go, and
/// neither may stay where no lookup finds it.
Scenario dormant_in_one_place() {
  const auto table = std::make_shared<Table>();
  const auto leave = [=](MappingRef ref) {
    if (table->map.become_dormant(ref, EndedUse::kReference))
      return;
    const Removed removed = table->map.end_use(ref, EndedUse::kReference);
    require(removed.is_removed, "nobody else has it");
    table->count(removed);
  };
  const MappingRef one = table->insert_ready(kBegin, kDevice), other = table->insert_ready(kElsewhere, kDevice + 64);
  require(table->map.guess_arrived(kBegin, 8) == one && table->map.guess_arrived(kElsewhere, 8) == other,
          "one of the two is not worth keeping");
  Scenario scenario;
  scenario.threads.push_back([=] { leave(one); });
  scenario.threads.push_back([=] { leave(other); });
  scenario.check = [=] {
    require(table->map.size() == 0 && table->map.fault().empty(), "one of them is dormant where nobody looks");
    table->map.evict_all();
    require(table->frees + static_cast<int>(table->map.dormant().take_evicted().size()) == 2,
            "storage is not freed exactly once");
  };
  return scenario;
}

bool explore_all() {
  constexpr uint64_t kMost = 20'000'000;
  using checked::explore;
  // The short ones first.
  return explore(
             "state: late release", [] { return late_release(); }, kMost) &&
         explore(
             "state: late shared release", [] { return late_shared_release(); }, kMost) &&
         explore(
             "state: late release if last", [] { return late_release_if_last(); }, kMost) &&
         explore(
             "state: released if last", [] { return released_if_last(); }, kMost) &&
         explore(
             "state: shared", [] { return shared(); }, kMost) &&
         explore(
             "state: left by three", [] { return left_by_three(); }, kMost) &&
         explore(
             "state: entered by two", [] { return entered_by_two(); }, kMost) &&
         explore(
             "state: retain and remove", [] { return removed_once(1, Counter::kDynamic); }, kMost) &&
         explore(
             "state: hold and remove", [] { return removed_once(1, Counter::kHold); }, kMost) &&
         explore(
             "state: borrowed", [] { return borrowed(); }, kMost) &&
         explore(
             "state: deleted early", [] { return deleted_early(); }, kMost) &&
         explore(
             "state: deleted under another", [] { return deleted_under_another(); }, kMost) &&
         explore(
             "state: published", [] { return published(false); }, kMost) &&
         explore(
             "state: failed", [] { return published(true); }, kMost) &&
         explore(
             "state: revived or looked up", [] { return revived(true); }, kMost) &&
         explore(
             "state: revived or evicted", [] { return revived(false); }, kMost) &&
         explore(
             "state: made where absent", [] { return made_where_absent(kBegin); }, kMost) &&
         explore(
             "state: made beside others", [] { return made_where_absent(kBelow); }, kMost) &&
         explore(
             "state: dormant", [] { return dormant(false); }, kMost) &&
         explore(
             "state: dormant or borrowed", [] { return dormant(true); }, kMost) &&
         explore(
             "state: dormant in one place", [] { return dormant_in_one_place(); }, kMost) &&
         explore(
             "state: attached while removed", [] { return attached_while_removed(); }, kMost) &&
         explore(
             "state: guessed", [] { return guessed(); }, kMost) &&
         explore(
             "state: retained in one step", [] { return retained_in_one_step(); }, kMost) &&
         explore(
             "state: replaced by the same range", [] { return replaced(kBegin); }, kMost) &&
         explore(
             "state: replaced by another range", [] { return replaced(kOther); }, kMost) &&
         explore(
             "state: borrowed by two", [] { return borrowed_by_two(); }, kMost) &&
         explore(
             "state: left in another's turn", [] { return left_in_anothers_turn(); }, kMost) &&
         explore(
             "state: copied always", [] { return copied_always(); }, kMost) &&
         explore(
             "state: left and copied by two", [] { return left_and_copied_by_two(); }, kMost) &&
         explore("state: left while copied", [] { return left_while_copied(); }, kMost);
}

} // namespace
} // namespace omptarget

int main(int argc, char **argv) { return checked::run(argc, argv, omptarget::explore_all); }
