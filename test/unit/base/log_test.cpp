// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/log.h"

#include <gtest/gtest.h>

namespace omptarget {
namespace {

constexpr uint32_t bit(Topic topic) { return static_cast<uint32_t>(topic); }

TEST(Log, numbers_switch_everything_on_or_off) {
  std::string unknown;
  EXPECT_EQ(parse_topics("0", unknown), 0u);
  EXPECT_EQ(parse_topics("1", unknown) & bit(Topic::kTool), bit(Topic::kTool));
  EXPECT_EQ(parse_topics("all", unknown), parse_topics("3", unknown));
  EXPECT_EQ(unknown, "");
}

TEST(Log, topics_are_selected_by_name_and_unknown_ones_reported) {
  std::string unknown;
  EXPECT_EQ(parse_topics("mapping,plugin,maping,,foo", unknown), bit(Topic::kMapping) | bit(Topic::kPlugin));
  EXPECT_EQ(unknown, "maping,foo");
}

} // namespace
} // namespace omptarget
