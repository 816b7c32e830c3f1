// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gtest/gtest.h"

#include "base/numa.h"
#include "device/default_device.h"

using namespace omptarget;

namespace {

ProcessRank at_place(int64_t place) {
  ProcessRank rank;
  rank.launcher = rank.on_node_variable = "test";
  rank.on_node = place;
  return rank;
}

TEST(DefaultDevice, PlacesAreDealtRoundRobin) {
  for (int64_t place = 0; place < 10; ++place)
    EXPECT_EQ(device_of_place(at_place(place), 4).device, place % 4);
}

TEST(DefaultDevice, TheNearestOnesAreDealt) {
  const std::vector<int> distances{21, 10, 32, 10, kUnknownDistance};
  for (const auto &[place, wanted] : std::initializer_list<std::pair<int64_t, int32_t>>{{0, 1}, {1, 3}, {2, 1}, {7, 3}})
    EXPECT_EQ(nearest_device(at_place(place), distances).device, wanted) << place;
  EXPECT_EQ(nearest_device(ProcessRank{}, distances).device, 1); // without a launcher
  EXPECT_EQ(nearest_device(at_place(1), {kUnknownDistance, kUnknownDistance}).device, 1);
}

} // namespace
