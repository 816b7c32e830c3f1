// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets another thread act in the window between two steps of a construct. Named points (base/sched_point.h) and the
// fake device's copies force the schedule, so that no test depends on time.
#pragma once

#include <atomic>
#include <functional>
#include <gtest/gtest.h>
#include <string_view>
#include <utility>

#include "base/sched_point.h"
#include "constructs.h"

namespace omptarget::test {

/// Runs a function when this thread comes to a point, once.
class AtPoint {
public:
  AtPoint(const char *name, std::function<void()> function) {
    name_ = name;
    function_ = new std::function<void()>(std::move(function));
    sched_point_hook = [](const char *reached) {
      if (!function_ || name_ != reached)
        return;
      const auto *const function = std::exchange(function_, nullptr);
      (*function)();
      delete function;
    };
  }
  ~AtPoint() {
    EXPECT_EQ(function_, nullptr) << "the construct did not come by " << name_;
    delete std::exchange(function_, nullptr);
  }

private:
  static inline thread_local std::string_view name_;
  static inline thread_local const std::function<void()> *function_ = nullptr;
};

class WindowTest : public testing::TestWithParam<FakeKind> {
protected:
  WindowTest() : device_(GetParam()) {
    device_.map().dormant().limit(0); // all that leave go the whole way
    reset_fake_counts();
  }
  ~WindowTest() override {
    sched_point_hook = nullptr;
    set_fake_hook(nullptr);
    EXPECT_EQ(fake_blocks(), blocks_) << "device memory is lost";
    device_.arrivals().destroy_all();
    EXPECT_EQ(fake_counts().events, 0);
  }
  const int64_t blocks_ = fake_blocks();
  FakeDevice device_;
};

} // namespace omptarget::test
