// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads of the index while a writer changes it.

#include <algorithm>
#include <memory>

#include "../unit/mapping/index_changes.h"
#include "checked.h"
#include "mapping/ordered_index.h"

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;
using Keys = std::vector<uintptr_t>;

Mapping *fake(uintptr_t key) { return reinterpret_cast<Mapping *>(key << 8); }

std::shared_ptr<OrderedIndex> index_of(const Keys &keys) {
  const auto index = std::make_shared<OrderedIndex>();
  for (const uintptr_t key : keys)
    insert(*index, key, fake(key));
  return index;
}

struct Change {
  uintptr_t key;
  bool inserts;
  void make(OrderedIndex &index) const { inserts ? insert(index, key, fake(key)) : erase(index, key); }
  void make(Keys &keys) const {
    std::erase(keys, key);
    if (inserts)
      keys.push_back(key);
    std::sort(keys.begin(), keys.end());
  }
};

OrderedIndex::Neighbours neighbours(const Keys &keys, uintptr_t key) {
  OrderedIndex::Neighbours result{};
  for (const uintptr_t there : keys)
    if (there <= key)
      result.below = fake(there);
    else if (!result.above)
      result.above = fake(there);
  return result;
}

bool is_same(const OrderedIndex::Neighbours &one, const OrderedIndex::Neighbours &other) {
  return one.below == other.below && one.above == other.above;
}

/// The index is what the keys say, and its leaves are as they should be.
void check(OrderedIndex &index, const Keys &keys) {
  std::vector<Mapping *> all;
  for (const uintptr_t key : keys) {
    all.push_back(fake(key));
    require(is_same(index.around(key), neighbours(keys, key)) &&
                is_same(index.around(key + 1), neighbours(keys, key + 1)),
            "a key is not found in the end");
  }
  require(index.values() == all && index.size() == keys.size(), "the index is wrong in the end");
}

/// A writer changes the index once; a reader that is not told to look again has seen what was there before or after.
Scenario read_beside(const Keys &before, Change change, uintptr_t key) {
  const auto index = index_of(before);
  Keys after = before;
  change.make(after);
  Scenario scenario;
  scenario.threads.push_back([=] { change.make(*index); });
  scenario.threads.push_back([=] {
    const OrderedIndex::Neighbours found = index->around(key);
    if (index->is_current(found))
      require(is_same(found, neighbours(before, key)) || is_same(found, neighbours(after, key)),
              "a reader has seen half of a change and was not told");
  });
  scenario.first_reader = 1;
  scenario.check = [=] { check(*index, after); };
  return scenario;
}

/// The last key of a leaf goes, and the leaf with it.
Scenario emptied(const Keys &before, uintptr_t other, uintptr_t last) {
  const auto index = index_of(before);
  erase(*index, other);
  Scenario scenario;
  scenario.threads.push_back([=] { erase(*index, last); });
  scenario.threads.push_back([=] { (void)index->around(last); });
  scenario.first_reader = 1;
  scenario.check = [=] {
    Keys after = before;
    std::erase(after, other);
    std::erase(after, last);
    check(*index, after);
    require(index->leaf_count() == 1, "an empty leaf stays");
  };
  return scenario;
}

/// Two writers, and each of them comes to what it wants, in one leaf or in two.
Scenario both_change(const Keys &before, Change one, Change other) {
  const auto index = index_of(before);
  Scenario scenario;
  scenario.threads.push_back([=] { one.make(*index); });
  scenario.threads.push_back([=] { other.make(*index); });
  scenario.check = [=] {
    Keys after = before;
    one.make(after);
    other.make(after);
    check(*index, after);
  };
  return scenario;
}

/// Two writers want to be the only one between the same neighbours.
Scenario one_of_two(const Keys &before, uintptr_t one, uintptr_t other, uintptr_t gone = 0) {
  const auto index = index_of(before);
  if (gone)
    erase(*index, gone);
  const auto inserted = std::make_shared<checked::Shared<int>>(0);
  const auto insert_unless = [=](uintptr_t own, uintptr_t others) {
    OrderedIndex::Neighbours around = index->around(own);
    while (!index->lock_around(own, around))
      around = index->around(own);
    const bool is_free = around.below != fake(others) && around.above != fake(others);
    require(!is_free || !index->is_full(around), "the scenario wants room");
    if (is_free)
      index->insert_at(around, own, fake(own));
    index->unlock_around(around, is_free);
    **inserted += is_free;
  };
  Scenario scenario;
  scenario.threads.push_back([=] { insert_unless(one, other); });
  scenario.threads.push_back([=] { insert_unless(other, one); });
  scenario.check = [=] { require(**inserted == 1, "not one of two that want the same place has it"); };
  return scenario;
}

bool explore_all() {
  constexpr uint64_t kMost = 20'000'000;
  using checked::explore;
  const Keys full{10, 20, 30, 40, 50, 60, 70, 80};
  const Keys two_leaves{10, 20, 30, 40, 50, 60, 70, 80, 90}; // seven and two; the second one's begins at 80
  const auto is_explored = [&](const char *name, const std::function<Scenario()> &make) {
    return explore(name, make, kMost);
  };
  return is_explored("index: insert", [] { return read_beside({10, 20}, {15, true}, 16); }) &&
         is_explored("index: erase", [] { return read_beside({10, 20, 30}, {20, false}, 25); }) &&
         is_explored("index: insert below", [&] { return read_beside(two_leaves, {75, true}, 79); }) &&
         is_explored("index: insert above", [&] { return read_beside(two_leaves, {79, true}, 75); }) &&
         is_explored("index: split", [&] { return read_beside(full, {90, true}, 85); }) &&
         is_explored("index: merge", [&] { return read_beside(two_leaves, {90, false}, 85); }) &&
         is_explored("index: the last of a leaf", [&] { return emptied(two_leaves, 80, 90); }) &&
         is_explored("index: one of two in a leaf", [] { return one_of_two({10, 20}, 12, 14); }) &&
         is_explored("index: one of two between leaves", [&] { return one_of_two(two_leaves, 75, 79); }) &&
         is_explored("index: one of two at the edge", [&] { return one_of_two(two_leaves, 75, 82, 80); }) &&
         is_explored("index: two insert", [] { return both_change({10, 20}, {12, true}, {25, true}); }) &&
         is_explored("index: insert and erase", [] { return both_change({10, 20}, {12, true}, {20, false}); }) &&
         is_explored("index: two leaves", [&] { return both_change(two_leaves, {15, true}, {95, true}); }) &&
         is_explored("index: two erase", [&] { return both_change(two_leaves, {80, false}, {90, false}); }) &&
         is_explored("index: split and insert", [&] { return both_change(full, {90, true}, {15, true}); }) &&
         is_explored("index: split and erase", [&] { return both_change(full, {90, true}, {80, false}); });
}

} // namespace
} // namespace omptarget

int main(int argc, char **argv) { return checked::run(argc, argv, omptarget::explore_all); }
