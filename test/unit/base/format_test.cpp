// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/format.h"

#include <gtest/gtest.h>

namespace omptarget {
namespace {

TEST(Format, prints_like_printf) {
  EXPECT_EQ(format("%d of %s, %#x", 3, "four", 255u), "3 of four, 0xff");
  EXPECT_EQ(format("%s", ""), "");
  EXPECT_EQ(format("100%%"), "100%");
}

TEST(Format, any_length_fits) {
  const std::string longest(100000, 'y');
  EXPECT_EQ(format("<%s>", longest.c_str()), "<" + longest + ">");
}

} // namespace
} // namespace omptarget
