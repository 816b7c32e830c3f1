// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/late_destructors.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace omptarget {
namespace {

/// Ends the process, whose library then tells on stderr which of its destructors run.
[[noreturn]] void end_with_library(bool (*may_run)()) {
  void *const library = dlopen(OMPTARGET_DESTRUCTED_LIBRARY, RTLD_NOW);
  if (!library || !ask_before_destructors(dlsym(library, "function"), may_run))
    _exit(1);
  std::exit(0);
}

TEST(LateDestructorsDeathTest, destructors_run_in_their_order_if_they_may) {
  EXPECT_EXIT(end_with_library([] { return true; }), testing::ExitedWithCode(0), "^second first last $");
}

TEST(LateDestructorsDeathTest, none_runs_if_they_may_not) {
  EXPECT_EXIT(end_with_library([] { return false; }), testing::ExitedWithCode(0), "^$");
}

TEST(LateDestructors, those_of_the_program_are_left_alone) {
  const auto may_run = [] { return false; };
  EXPECT_FALSE(ask_before_destructors(reinterpret_cast<const void *>(&end_with_library), may_run));
  static int on_no_library = 0;
  EXPECT_FALSE(ask_before_destructors(&on_no_library, may_run));
}

} // namespace
} // namespace omptarget
