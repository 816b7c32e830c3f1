// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/status.h"

#include <gtest/gtest.h>

namespace omptarget {
namespace {

Status fails() { return Status::error("the disk is full"); }
Status tries() {
  OMPTARGET_TRY_DURING(fails(), "while writing %s", "a.txt");
  return Status::ok();
}
Result<int> half(int value) {
  if (value % 2 != 0)
    return Status::message(format("%d is odd", value));
  return value / 2;
}
Result<int> quarter(int value) {
  OMPTARGET_TRY_ASSIGN(const int once, half(value));
  OMPTARGET_TRY_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(Status, success_is_one_null_pointer) {
  const Status status = Status::ok();
  EXPECT_TRUE(status.is_ok());
  EXPECT_EQ(sizeof status, sizeof(void *));
  EXPECT_EQ(status.to_string(), "success");
}

TEST(Status, failures_collect_what_was_being_done) {
  Status status = tries();
  ASSERT_FALSE(status.is_ok());
  ASSERT_EQ(status.failure().lines.size(), 2u);
  EXPECT_EQ(status.failure().lines[0].text, "the disk is full");
  EXPECT_EQ(status.failure().lines[1].kind, FailureLine::Kind::kError);
  EXPECT_EQ(status.to_string(), "the disk is full; while writing a.txt");
}

TEST(Status, during_changes_no_success) {
  const Status status = Status::ok().during("while doing nothing");
  EXPECT_TRUE(status.is_ok());
}

TEST(Status, fatal_texts_come_first) {
  const Status status = Status::fatal(7, "device lost").during("while copying");
  EXPECT_EQ(status.failure().code, 7);
  EXPECT_EQ(status.failure().fatal, "device lost");
  EXPECT_EQ(status.to_string(), "device lost; while copying");
}

TEST(Status, consumed_failures_are_gone) {
  Status status = fails();
  status.consume();
  EXPECT_TRUE(status.is_ok());
}

TEST(Result, values_and_failures_travel) {
  Result<int> good = quarter(12);
  ASSERT_TRUE(good.is_ok());
  EXPECT_EQ(*good, 3);
  Result<int> bad = quarter(6);
  ASSERT_FALSE(bad.is_ok());
  EXPECT_EQ(bad.status().failure().lines[0].kind, FailureLine::Kind::kMessage);
  EXPECT_EQ(bad.take_status().to_string(), "3 is odd");
}

} // namespace
} // namespace omptarget
