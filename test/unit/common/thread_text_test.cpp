// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/last_error.h"

#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace omptarget::plugin {
namespace {

const std::string kLong(1000, 'x');
std::string read_late;

std::string last_error() {
  char buffer[2000] = "";
  copy_last_error(buffer, sizeof buffer);
  return buffer;
}

/// Fails when it goes, as a destructor or an exit handler may.
struct FailsLate {
  bool is_used = false;
  ~FailsLate() {
    set_last_error(kLong + "late");
    set_last_error(kLong + "later");
    read_late = last_error();
  }
};

TEST(LastError, outlives_the_objects_of_its_thread) {
  std::thread([] {
    static thread_local FailsLate object;
    object.is_used = true; // made first, and so destroyed last
    set_last_error(kLong + "early");
    EXPECT_EQ(last_error(), kLong + "early");
  }).join();
  EXPECT_EQ(read_late, kLong + "later");
  EXPECT_EQ(last_error(), "");
}

} // namespace
} // namespace omptarget::plugin
