// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/inside_loader.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

/// Called by constructing_library.c, too.
extern "C" __attribute__((visibility("default"))) int ask_where(void) { return omptarget::may_be_inside_loader(); }

namespace omptarget {
namespace {

TEST(InsideLoader, tells_constructors_of_opened_libraries_from_all_else) {
  EXPECT_EQ(ask_where(), 0);
  int in_thread = -1;
  std::thread([&] { in_thread = ask_where(); }).join();
#if !defined(__powerpc64__) // where the C library starts threads by code without unwind tables, so that nobody can tell
  EXPECT_EQ(in_thread, 0);
#endif
  void *const library = dlopen(OMPTARGET_CONSTRUCTING_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const int *const in_constructor = static_cast<const int *>(dlsym(library, "where_in_constructor"));
  ASSERT_NE(in_constructor, nullptr);
  EXPECT_EQ(*in_constructor, 1);
  const auto ask_now = reinterpret_cast<int (*)()>(dlsym(library, "ask_now"));
  ASSERT_NE(ask_now, nullptr);
  EXPECT_EQ(ask_now(), 0);
  dlclose(library);
}

} // namespace
} // namespace omptarget
