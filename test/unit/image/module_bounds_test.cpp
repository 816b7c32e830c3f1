// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/module_bounds.h"

#include <algorithm>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <memory>

namespace omptarget {
namespace {

int some_variable = 1;
const char kText[] = "some text";
const void *const kInLibc = reinterpret_cast<const void *>(&gnu_get_libc_version); // sanitizers do not replace it

TEST(ModuleBounds, finds_the_program_by_its_addresses) {
  const std::optional<ModuleBounds> module = module_of(&some_variable);
  ASSERT_TRUE(module.has_value());
  EXPECT_TRUE(module->path.ends_with("unit_image")) << module->path;
  EXPECT_TRUE(module->contains(&some_variable, sizeof some_variable));
  EXPECT_TRUE(module->contains_text(kText));
  EXPECT_FALSE(module->segments.empty());
}

TEST(ModuleBounds, finds_shared_libraries) {
  const std::optional<ModuleBounds> module = module_of(kInLibc);
  ASSERT_TRUE(module.has_value());
  EXPECT_FALSE(module->contains(&some_variable, 1));
}

TEST(ModuleBounds, both_ways_find_the_same) {
  for (const void *address : {static_cast<const void *>(&some_variable), static_cast<const void *>(kText), kInLibc,
                              static_cast<const void *>(nullptr)}) {
    const std::optional<ModuleBounds> one = module_of(address), other = module_of_by_list(address);
    ASSERT_EQ(one.has_value(), other.has_value());
    if (!one)
      continue;
    EXPECT_EQ(one->path, other->path);
    ASSERT_EQ(one->segments.size(), other->segments.size());
    for (size_t i = 0; i < one->segments.size(); ++i) {
      EXPECT_EQ(one->segments[i].begin, other->segments[i].begin);
      EXPECT_EQ(one->segments[i].end, other->segments[i].end);
    }
  }
}

TEST(ModuleBounds, names_what_a_module_needs) {
  const auto is_libc = [](const std::string &name) { return name.starts_with("libc.so"); };
  const std::vector<std::string> of_program = needed_by(&some_variable);
  EXPECT_TRUE(std::any_of(of_program.begin(), of_program.end(), is_libc));
  const std::vector<std::string> of_libc = needed_by(kInLibc);
  EXPECT_FALSE(std::any_of(of_libc.begin(), of_libc.end(), is_libc));
  EXPECT_TRUE(needed_by(nullptr).empty());
}

TEST(ModuleBounds, memory_of_the_heap_is_in_none) {
  const auto memory = std::make_unique<int>(1);
  EXPECT_FALSE(module_of(memory.get()).has_value());
  EXPECT_FALSE(module_of(nullptr).has_value());
  EXPECT_FALSE(module_of(reinterpret_cast<const void *>(UINTPTR_MAX)).has_value());
}

TEST(ModuleBounds, ranges_do_not_wrap_or_cross_segments) {
  const ModuleBounds bounds{"m", {{0x1000, 0x2000}, {0x2000, 0x3000}}};
  const auto at = [](uintptr_t address) { return reinterpret_cast<const void *>(address); };
  EXPECT_TRUE(bounds.contains(at(0x1000), 0x1000));
  EXPECT_FALSE(bounds.contains(at(0x1000), 0x1001));
  EXPECT_FALSE(bounds.contains(at(0x1800), 0x1000));
  EXPECT_FALSE(bounds.contains(at(0x1800), UINT64_MAX));
  EXPECT_FALSE(bounds.contains(at(0x3000), 1));
  EXPECT_FALSE(bounds.contains(at(0xfff), 1));
  EXPECT_EQ(bounds.whole().begin, 0x1000u);
  EXPECT_EQ(bounds.whole().end, 0x3000u);
}

TEST(ModuleBounds, texts_must_end_inside) {
  static const char text[4] = {'a', 'b', '\0', 'c'};
  const auto begin = reinterpret_cast<uintptr_t>(text);
  const ModuleBounds bounds{"m", {{begin, begin + sizeof text}}};
  EXPECT_TRUE(bounds.contains_text(text));
  EXPECT_TRUE(bounds.contains_text(text + 2));
  EXPECT_FALSE(bounds.contains_text(text + 3));
  EXPECT_FALSE(bounds.contains_text(text + 4));
  EXPECT_FALSE(bounds.contains_text(nullptr));
}

using FindRange = std::optional<AddressRange> (*)(const void *);

class ModuleRange : public ::testing::TestWithParam<FindRange> {};

TEST_P(ModuleRange, holds_the_addresses_of_a_module_and_no_others) {
  const FindRange range_of = GetParam();
  for (const void *address :
       {static_cast<const void *>(&some_variable), kInLibc, reinterpret_cast<const void *>(&module_of)}) {
    const auto range = range_of(address);
    ASSERT_TRUE(range.has_value());
    EXPECT_LE(range->begin, reinterpret_cast<uintptr_t>(address));
    EXPECT_GT(range->end, reinterpret_cast<uintptr_t>(address));
    const AddressRange whole = module_of(address)->whole();
    EXPECT_EQ(range->begin & ~uintptr_t{4095}, whole.begin & ~uintptr_t{4095});
    EXPECT_LE(whole.end, range->end);
  }
  const auto memory = std::make_unique<int>(1);
  EXPECT_FALSE(range_of(memory.get()).has_value());
  EXPECT_FALSE(range_of(nullptr).has_value());
  EXPECT_FALSE(range_of(reinterpret_cast<const void *>(UINTPTR_MAX)).has_value());
}

TEST_P(ModuleRange, sees_what_is_opened_and_closed) {
  const FindRange range_of = GetParam();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(range_of(&some_variable).has_value()); // the list is known now
    void *const library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
    ASSERT_NE(library, nullptr);
    const void *const code = dlsym(library, "__ctype_get_mb_cur_max");
    ASSERT_NE(code, nullptr);
    EXPECT_TRUE(range_of(code).has_value()) << round;
    dlclose(library);
    EXPECT_FALSE(range_of(code).has_value()) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(ways, ModuleRange, ::testing::Values(&module_range, &module_range_by_list));

} // namespace
} // namespace omptarget
