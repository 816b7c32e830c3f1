// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect/function_table.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <random>

bool operator==(const __omp_offloading_fptr_map_ty &left, const __omp_offloading_fptr_map_ty &right) {
  return left.host_ptr == right.host_ptr && left.tgt_ptr == right.tgt_ptr;
}

namespace omptarget {
namespace {

using Pairs = std::vector<FunctionPair>;

const char modules[64] = {};

Pairs build(FunctionTable &table, size_t expected_conflicts = 0) {
  std::vector<FunctionConflict> conflicts;
  Pairs pairs = table.build(conflicts);
  EXPECT_EQ(conflicts.size(), expected_conflicts);
  return pairs;
}

TEST(FunctionPairs, a_function_has_one_and_a_vtable_one_per_slot) {
  Pairs pairs;
  append_function_pairs(pairs, EntryKind::kFunctionPointer, 0x100, 0x900, 0);
  append_function_pairs(pairs, EntryKind::kIndirect, 0x104, 0x904, 8);
  append_function_pairs(pairs, EntryKind::kVtable, 0x200, 0xa00, 24);
  EXPECT_EQ(pairs, (Pairs{{0x100, 0x900}, {0x104, 0x904}, {0x200, 0xa00}, {0x208, 0xa08}, {0x210, 0xa10}}));
}

TEST(FunctionPairs, nothing_comes_of_an_entry_without_counterpart) {
  Pairs pairs;
  append_function_pairs(pairs, EntryKind::kFunctionPointer, 0x100, 0, 0);
  append_function_pairs(pairs, EntryKind::kFunctionPointer, 0, 0x900, 0);
  append_function_pairs(pairs, EntryKind::kVtable, 0x200, 0, 24);
  append_function_pairs(pairs, EntryKind::kKernel, 0x200, 0x300, 0);
  EXPECT_TRUE(pairs.empty());
}

TEST(FunctionTable, merges_modules_in_the_order_of_addresses) {
  FunctionTable table;
  EXPECT_TRUE(table.add(&modules[0], {{0x30, 3}, {0x34, 4}, {0x10, 1}}));
  EXPECT_TRUE(table.add(&modules[1], {{0x20, 2}, {0x0, 9}, {0x99, 0}}));
  EXPECT_EQ(build(table), (Pairs{{0x10, 1}, {0x20, 2}, {0x30, 3}, {0x34, 4}}));
  EXPECT_TRUE(table.remove(&modules[0]));
  EXPECT_EQ(build(table), (Pairs{{0x20, 2}}));
  EXPECT_FALSE(table.remove(&modules[0]));
  EXPECT_TRUE(table.remove(&modules[1]));
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(build(table).empty());
}

TEST(FunctionTable, functions_are_found_by_their_exact_address) {
  FunctionTable table;
  table.add(&modules[0], {{0x34, 4}, {0x30, 3}});
  const Pairs pairs = build(table);
  const auto found = [&](uint64_t host) { return find_function(pairs, reinterpret_cast<const void *>(host)); };
  EXPECT_EQ(found(0x30), reinterpret_cast<void *>(3));
  EXPECT_EQ(found(0x34), reinterpret_cast<void *>(4));
  for (const uint64_t host : {0x0, 0x2f, 0x32, 0x35})
    EXPECT_EQ(found(host), nullptr);
  EXPECT_EQ(find_function({}, nullptr), nullptr);
}

TEST(FunctionTable, a_module_without_functions_changes_nothing) {
  FunctionTable table;
  EXPECT_FALSE(table.add(&modules[0], {}));
  EXPECT_FALSE(table.add(&modules[0], {{0, 7}}));
  EXPECT_FALSE(table.remove(&modules[0]));
}

TEST(FunctionTable, a_module_may_bring_functions_twice) {
  FunctionTable table;
  table.add(&modules[0], {{0x30, 3}});
  table.add(&modules[0], {{0x10, 1}, {0x30, 3}});
  EXPECT_EQ(build(table), (Pairs{{0x10, 1}, {0x30, 3}}));
  table.remove(&modules[0]);
  EXPECT_TRUE(build(table).empty());
}

TEST(FunctionTable, equal_duplicates_are_no_conflict) {
  FunctionTable table;
  table.add(&modules[0], {{0x10, 1}, {0x10, 1}});
  table.add(&modules[1], {{0x10, 1}, {0x20, 2}});
  EXPECT_EQ(build(table), (Pairs{{0x10, 1}, {0x20, 2}}));
}

TEST(FunctionTable, the_first_module_decides_and_a_conflict_is_reported_once) {
  FunctionTable table;
  table.add(&modules[0], {{0x20, 2}, {0x50, 5}});
  table.add(&modules[1], {{0x10, 1}, {0x20, 22}});
  std::vector<FunctionConflict> conflicts;
  EXPECT_EQ(table.build(conflicts), (Pairs{{0x10, 1}, {0x20, 2}, {0x50, 5}}));
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_EQ(conflicts_text(conflicts), "host function 0x20 has two device functions, 0x2 and 0x16; the first is used");
  EXPECT_EQ(build(table).size(), 3u);
  table.remove(&modules[0]);
  EXPECT_EQ(build(table), (Pairs{{0x10, 1}, {0x20, 22}}));
  table.add(&modules[0], {{0x20, 2}});
  EXPECT_EQ(build(table, 1), (Pairs{{0x10, 1}, {0x20, 22}}));
}

/// Modules by arrival, and what a std::map makes of them.
struct Model {
  std::vector<std::pair<const void *, Pairs>> modules;
  Pairs build() const {
    std::map<uint64_t, uint64_t> result;
    for (const auto &[module, pairs] : modules)
      for (const FunctionPair &pair : pairs)
        result.emplace(pair.host_ptr, pair.tgt_ptr);
    Pairs pairs;
    for (const auto &[host_ptr, tgt_ptr] : result)
      pairs.push_back({host_ptr, tgt_ptr});
    return pairs;
  }
};

TEST(FunctionTable, equals_a_map_whatever_modules_join_and_leave) {
  std::mt19937_64 random(4711);
  for (int run = 0; run < 60; ++run) {
    const uint64_t addresses = 1 + random() % 400; // few: modules overlap; many: they hardly do
    const bool side_by_side = run % 3 == 0;
    FunctionTable table;
    Model model;
    for (int step = 0; step < 60; ++step) {
      const void *module = &modules[random() % 16];
      const auto known = std::find_if(model.modules.begin(), model.modules.end(),
                                      [=](const auto &entry) { return entry.first == module; });
      if (known != model.modules.end()) {
        EXPECT_TRUE(table.remove(module));
        model.modules.erase(known);
      } else {
        Pairs pairs(1 + random() % 50);
        for (FunctionPair &pair : pairs) {
          const uint64_t offset =
              side_by_side ? static_cast<uint64_t>(static_cast<const char *>(module) - modules) << 16 : 0;
          pair = {offset + 4 * (1 + random() % addresses), 1 + random() % 1000};
        }
        EXPECT_TRUE(table.add(module, pairs));
        model.modules.emplace_back(module, pairs);
      }
      std::vector<FunctionConflict> conflicts;
      ASSERT_EQ(table.build(conflicts), model.build());
    }
  }
}

} // namespace
} // namespace omptarget
