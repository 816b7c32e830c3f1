// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may be read of the index while a writer changes it.

#include <algorithm>
#include <memory>

#include "checked.h"
#include "mapping/ordered_index.h"

namespace omptarget {
namespace {

using checked::require;
using checked::Scenario;

Mapping *fake(uintptr_t key) { return reinterpret_cast<Mapping *>(key << 8); }

/// A writer changes the index once; a reader that the sequence counter lets pass has seen what was there before or after.
Scenario index_scenario(std::vector<uintptr_t> before, uintptr_t changed, bool inserts, uintptr_t key) {
  const auto index = std::make_shared<OrderedIndex>();
  for (const uintptr_t there : before)
    index->insert(there, fake(there));
  const auto neighbours = [](const std::vector<uintptr_t> &keys, uintptr_t key) {
    OrderedIndex::Neighbours result{nullptr, nullptr};
    for (const uintptr_t there : keys)
      if (there <= key)
        result.below = fake(there);
      else if (!result.above)
        result.above = fake(there);
    return result;
  };
  std::vector<uintptr_t> after = before;
  if (inserts) {
    after.push_back(changed);
    std::sort(after.begin(), after.end());
  } else {
    std::erase(after, changed);
  }
  const auto is_same = [](const OrderedIndex::Neighbours &one, const OrderedIndex::Neighbours &other) {
    return one.below == other.below && one.above == other.above;
  };
  Scenario scenario;
  scenario.threads.push_back([=] {
    index->begin_write();
    if (inserts)
      index->insert(changed, fake(changed));
    else
      index->erase(changed);
    index->end_write();
  });
  scenario.threads.push_back([=] {
    const uint32_t version = index->begin_read();
    if (version & 1)
      return;
    const OrderedIndex::Neighbours found = index->around(key);
    if (index->end_read(version))
      require(is_same(found, neighbours(before, key)) || is_same(found, neighbours(after, key)),
              "a reader has seen half of a change and was not told");
  });
  scenario.first_reader = 1;
  scenario.check = [=] { require(is_same(index->around(key), neighbours(after, key)), "the index is wrong in the end"); };
  return scenario;
}

bool explore_all() {
  constexpr uint64_t kMost = 20'000'000;
  const std::vector<uintptr_t> full{10, 20, 30, 40, 50, 60, 70, 80};
  const std::vector<uintptr_t> two_leaves{10, 20, 30, 40, 50, 60, 70, 80, 90};
  return checked::explore("index: insert", [] { return index_scenario({10, 20}, 15, true, 16); }, kMost) &&
         checked::explore("index: erase", [] { return index_scenario({10, 20, 30}, 20, false, 25); }, kMost) &&
         checked::explore("index: split", [&] { return index_scenario(full, 90, true, 85); }, kMost) &&
         checked::explore("index: merge", [&] { return index_scenario(two_leaves, 90, false, 85); }, kMost);
}

} // namespace
} // namespace omptarget

int main() { return omptarget::explore_all() ? 0 : 1; }
