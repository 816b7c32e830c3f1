// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "abi/boundary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace omptarget {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::KilledBySignal;

const Call kCall{"target", nullptr, -1, nullptr};

TEST(Boundary, success_prints_nothing) {
  testing::internal::CaptureStderr();
  finish(Status::ok(), kCall);
  EXPECT_EQ(finish(Result<int>(7), kCall), 7);
  EXPECT_TRUE(succeeded(Status::ok(), kCall));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(BoundaryDeathTest, failures_are_printed_and_abort) {
  EXPECT_EXIT(finish(Status::message("it is full").during("Copying failed."), kCall), KilledBySignal(SIGABRT),
              "omptarget message: it is full\n"
              "omptarget error: Copying failed.\n"
              "omptarget error: in target\n"
              "omptarget error: omptarget [0-9.]+.*; causes and remedies are in .*errors.md\n"
              "omptarget error: Source location information not present. Compile with -g or -gline-tables-only.\n"
              "omptarget fatal error 1: failure of target construct while offloading is mandatory\n");
}

TEST(BoundaryDeathTest, the_source_line_is_told_where_known) {
  const ident_t location{0, 0, 0, 0, ";dir/a.c;main;12;3;;"};
  const Call call{"target", &location, -1, nullptr};
  EXPECT_EXIT(finish(Status::error("no"), call), KilledBySignal(SIGABRT),
              "dir/a.c:12:3: omptarget fatal error 1: failure of target construct");
}

TEST(BoundaryDeathTest, fatal_failures_have_their_own_words) {
  EXPECT_EXIT(finish(Status::fatal(9, "Device number '9' out of range"), kCall), KilledBySignal(SIGABRT),
              "omptarget fatal error 9: Device number '9' out of range\n");
}

TEST(Boundary, api_functions_that_fail_say_why_and_return) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(succeeded(Status::error("no"), kCall));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "omptarget error: no\nomptarget error: in target\n");
}

TEST(Boundary, unsupported_functions_are_named_once) {
  static constinit std::atomic_flag something, other;
  testing::internal::CaptureStderr();
  report_unsupported("omp_do_something", something);
  report_unsupported("omp_do_something", something);
  report_unsupported("omp_do_else", other);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "omptarget error: omp_do_something is not supported by this library\n"
            "omptarget error: omp_do_else is not supported by this library\n");
}

TEST(SourcePosition, is_read_from_an_ident) {
  const ident_t location{0, 0, 0, 0, ";a.c;f;12;34;;"};
  const SourcePosition position = source_position(&location);
  ASSERT_TRUE(position);
  EXPECT_EQ(std::string(position.file, static_cast<size_t>(position.file_length)), "a.c");
  EXPECT_EQ(position.line, 12);
  EXPECT_EQ(position.column, 34);
}

TEST(SourcePosition, is_empty_when_unknown_or_damaged) {
  EXPECT_FALSE(source_position(nullptr));
  for (const char *text : {";unknown;unknown;0;0;;", "", ";", ";a.c", ";a.c;f;12", ";a.c;f;12;34", ";a.c;f;x;y;;",
                           ";;f;12;3;;", ";;;;;;;;;;"}) {
    const ident_t location{0, 0, 0, 0, text};
    EXPECT_FALSE(source_position(&location)) << text;
  }
  const ident_t none{0, 0, 0, 0, nullptr};
  EXPECT_FALSE(source_position(&none));
}

} // namespace
} // namespace omptarget
