// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock that is a version, too.

#define CHECKED_LOCKS_NOTIFY
#include <memory>

#include "base/versioned_lock.h"
#include "checked.h"

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;

struct Guarded {
  VersionedLock lock;
  checked::atomic<int> one{0}, other{0}; // always alike where nobody holds the lock
  checked::Shared<int> inside{0};

  void change() {
    lock.lock();
    require(++*inside == 1, "two threads hold the lock");
    const int now = one.load(std::memory_order_relaxed);
    require(other.load(std::memory_order_relaxed) == now, "a holder does not see what the last one did");
    one.store(now + 1, std::memory_order_release);
    other.store(now + 1, std::memory_order_release);
    --*inside;
    lock.unlock();
  }
  void look_with_lock() {
    const uint32_t found = lock.lock();
    require(++*inside == 1, "two threads hold the lock");
    require(found % 2 == 0, "the lock was held");
    --*inside;
    lock.unlock_unchanged();
  }
  void read() {
    const uint32_t version = lock.version();
    require(version % 2 == 0, "a reader notes the version of who holds the lock");
    const int first = one.load(std::memory_order_acquire), second = other.load(std::memory_order_acquire);
    if (lock.is_still(version))
      require(first == second, "a reader has seen half of a change and was not told");
  }
};

using Action = void (Guarded::*)();

Scenario beside(std::vector<Action> actions) {
  const auto guarded = std::make_shared<Guarded>();
  Scenario scenario;
  int changes = 0;
  for (const Action action : actions) {
    scenario.threads.push_back([=] { ((*guarded).*action)(); });
    changes += action == &Guarded::change;
  }
  scenario.check = [=] {
    require(guarded->one.load() == changes, "a change is lost");
    require(guarded->lock.version() == static_cast<uint32_t>(2 * changes), "the version does not count the changes");
  };
  return scenario;
}

bool explore_all() {
  constexpr uint64_t kMost = 20'000'000;
  using checked::explore;
  constexpr Action kChange = &Guarded::change, kLook = &Guarded::look_with_lock, kRead = &Guarded::read;
  return explore(
             "lock: change and read", [] { return beside({kChange, kRead}); }, kMost) &&
         explore(
             "lock: two change", [] { return beside({kChange, kChange}); }, kMost) &&
         explore(
             "lock: change, look", [] { return beside({kChange, kLook}); }, kMost) &&
         explore(
             "lock: change, look and read", [] { return beside({kChange, kLook, kRead}); }, kMost) &&
         explore(
             "lock: two change, one reads", [] { return beside({kChange, kChange, kRead}); }, kMost) &&
         explore("lock: three change", [] { return beside({kChange, kChange, kChange}); }, kMost);
}

} // namespace
} // namespace omptarget

int main(int argc, char **argv) { return checked::run(argc, argv, omptarget::explore_all); }
