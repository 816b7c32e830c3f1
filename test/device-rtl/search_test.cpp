// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device-rtl/search.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "device-rtl/targets/host.h"

namespace omptarget::device_rtl {
namespace {

using Pairs = std::vector<FunctionPair>;

/// Another number of ways than the host's, and a count of the loads.
template <unsigned Ways> struct CountingTarget : HostTarget {
  static constexpr unsigned kWays = Ways;
  static inline uint64_t loads = 0;
  static uint64_t load(const uint64_t *address) {
    ++loads;
    return *address;
  }
};

uint64_t reference(const Pairs &pairs, uint64_t host_ptr) {
  const auto found = std::lower_bound(pairs.begin(), pairs.end(), host_ptr,
                                      [](const FunctionPair &pair, uint64_t key) { return pair.host_ptr < key; });
  return host_ptr != 0 && found != pairs.end() && found->host_ptr == host_ptr ? found->tgt_ptr : host_ptr;
}

template <typename Target> uint64_t find(const Pairs &pairs, uint64_t host_ptr) {
  return translate<Target>(pairs.data(), pairs.size(), host_ptr);
}

/// Keys that lie 4 to 12 bytes apart, targets that are no key.
Pairs make_table(size_t size, std::mt19937_64 &random) {
  Pairs pairs(size);
  uint64_t address = 0x401000;
  for (FunctionPair &pair : pairs) {
    address += 4 * (1 + random() % 3);
    pair = {address, address + 0x7000000000};
  }
  return pairs;
}

template <typename Target> void check_every_key_and_gap(const Pairs &pairs) {
  ASSERT_EQ(find<Target>(pairs, 0), 0u);
  ASSERT_EQ(find<Target>(pairs, UINT64_MAX), UINT64_MAX);
  uint64_t last = 0;
  for (const FunctionPair &pair : pairs) {
    ASSERT_EQ(find<Target>(pairs, pair.host_ptr), pair.tgt_ptr) << pairs.size();
    const uint64_t middle = last == 0 ? 0 : last + (pair.host_ptr - last) / 2;
    for (uint64_t gap : {pair.host_ptr - 1, pair.host_ptr + 1, middle})
      ASSERT_EQ(find<Target>(pairs, gap), gap) << pairs.size();
    last = pair.host_ptr;
  }
}

TEST(Search, equals_lower_bound_for_every_size_key_and_gap) {
  std::mt19937_64 random(1);
  for (size_t size = 0; size <= 5000; ++size) {
    const Pairs pairs = make_table(size, random);
    check_every_key_and_gap<HostTarget>(pairs);
    if (HasFatalFailure())
      return;
  }
}

TEST(Search, does_so_with_any_number_of_ways) {
  std::mt19937_64 random(2);
  for (size_t size = 0; size <= 700; ++size) {
    const Pairs pairs = make_table(size, random);
    check_every_key_and_gap<CountingTarget<2>>(pairs);
    check_every_key_and_gap<CountingTarget<3>>(pairs);
    check_every_key_and_gap<CountingTarget<8>>(pairs);
    if (HasFatalFailure())
      return;
  }
}

TEST(Search, equals_lower_bound_in_random_large_tables) {
  std::mt19937_64 random(3);
  for (size_t size : {65535u, 65536u, 100003u, 1000000u}) {
    Pairs pairs(size);
    for (FunctionPair &pair : pairs)
      pair = {random() | 1, random()};
    std::sort(pairs.begin(), pairs.end(),
              [](const FunctionPair &left, const FunctionPair &right) { return left.host_ptr < right.host_ptr; });
    for (const FunctionPair &pair : pairs) {
      ASSERT_EQ(find<HostTarget>(pairs, pair.host_ptr), pair.tgt_ptr);
      ASSERT_EQ(find<HostTarget>(pairs, pair.host_ptr - 1), reference(pairs, pair.host_ptr - 1));
    }
    for (int i = 0; i < 100000; ++i) {
      const uint64_t key = random();
      ASSERT_EQ(find<HostTarget>(pairs, key), reference(pairs, key));
    }
  }
}

TEST(Search, reads_nothing_for_null_and_no_table) {
  using Target = CountingTarget<4>;
  const Pairs pairs = {{16, 1}, {32, 2}};
  Target::loads = 0;
  EXPECT_EQ(find<Target>(pairs, 0), 0u);
  EXPECT_EQ(translate<Target>(pairs.data(), 0, 16), 16u);
  EXPECT_EQ(translate<Target>(nullptr, 2, 16), 16u);
  EXPECT_EQ(Target::loads, 0u);
}

TEST(Search, a_pointer_out_of_range_costs_two_loads) {
  using Target = CountingTarget<4>;
  std::mt19937_64 random(4);
  const Pairs pairs = make_table(100000, random);
  for (uint64_t key : {uint64_t{1}, pairs.front().host_ptr - 1, pairs.back().host_ptr + 1, UINT64_MAX}) {
    Target::loads = 0;
    EXPECT_EQ(find<Target>(pairs, key), key);
    EXPECT_LE(Target::loads, 2u);
  }
}

TEST(Search, ends_for_an_unsorted_table) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 2000; ++round) {
    Pairs pairs(1 + random() % 100);
    for (FunctionPair &pair : pairs)
      pair = {random() % 64, random()};
    for (uint64_t key = 0; key < 64; ++key) {
      const uint64_t found = find<HostTarget>(pairs, key);
      const bool is_right = found == key || std::any_of(pairs.begin(), pairs.end(), [=](const FunctionPair &pair) {
                              return pair.host_ptr == key && pair.tgt_ptr == found;
                            });
      ASSERT_TRUE(is_right);
    }
  }
}

} // namespace
} // namespace omptarget::device_rtl
