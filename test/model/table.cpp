// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of the table of pointers while a writer changes it.

#include <functional>
#include <memory>

#include "base/pointer_table.h"
#include "checked.h"

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;

// Keys of one bucket: what removes one and adds another uses the slot again.
uintptr_t key_in_bucket(int which) {
  const auto bucket = [](uintptr_t key) { return ((key * 0x9E3779B97F4A7C15ull) >> 32) & 3; };
  uintptr_t key = 2;
  for (int found = -1;; ++key)
    if (bucket(key) == 0 && ++found == which)
      return key;
}

struct Value {
  checked::atomic<int> content{0};
};

struct Pointers {
  PointerTable<Value> table;
  Value values[4];
};

/// A value that is found is the key's, and what was stored in it before it was inserted is there.
void look_for(Pointers &pointers, int which, bool must_be_there) {
  Value *const found = pointers.table.find(key_in_bucket(which));
  require(found || !must_be_there, "a key that is there was not found");
  if (!found)
    return;
  require(found == &pointers.values[which], "the value of another key was found");
  require(found->content.load(std::memory_order_relaxed) == which + 1, "the value was found before it was complete");
}

void add(Pointers &pointers, int which) {
  pointers.values[which].content.store(which + 1, std::memory_order_relaxed);
  pointers.table.insert(key_in_bucket(which), &pointers.values[which]);
}

Scenario table_scenario(int before, const std::function<void(Pointers &)> &change, int looked_for, bool must_be_there) {
  const auto pointers = std::make_shared<Pointers>();
  for (int i = 0; i < before; ++i)
    add(*pointers, i);
  Scenario scenario;
  scenario.threads.push_back([=] { change(*pointers); });
  scenario.threads.push_back([=] { look_for(*pointers, looked_for, must_be_there); });
  scenario.first_reader = 1;
  scenario.check = [] {};
  return scenario;
}

bool explore_all() {
  constexpr uint64_t kMost = 20'000'000;
  const auto explore = [&](const char *name, int before, std::function<void(Pointers &)> change, int looked_for,
                           bool must_be_there) {
    return checked::explore(name, [&] { return table_scenario(before, change, looked_for, must_be_there); }, kMost);
  };
  const auto erase = [](Pointers &pointers, int which) { pointers.table.erase(key_in_bucket(which)); };
  return explore(
             "table: insert, found or not", 1, [](Pointers &p) { add(p, 1); }, 1, false) &&
         explore(
             "table: insert, another is found", 2, [](Pointers &p) { add(p, 2); }, 0, true) &&
         explore(
             "table: grow", 3, [](Pointers &p) { add(p, 3); }, 1, true) &&
         explore(
             "table: replaced", 2, [&](Pointers &p) { erase(p, 0), add(p, 2); }, 0, false) &&
         explore("table: removed and emptied", 2, [&](Pointers &p) { erase(p, 1); }, 0, true);
}

} // namespace
} // namespace omptarget

int main(int argc, char **argv) { return checked::run(argc, argv, omptarget::explore_all); }
