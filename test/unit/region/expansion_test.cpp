// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <gtest/gtest.h>

#include "device/call.h"
#include "mapping/non_contiguous.h"
#include "region/expansion.h"

namespace omptarget {
namespace {

using namespace map_type;

struct Element {
  int x;
  int *p;
};

/// Arrays as a compiler passes them.
struct Arrays {
  std::vector<void *> bases, begins, names, mappers;
  std::vector<int64_t> sizes, types;
  void add(void *base, void *begin, int64_t size, uint64_t type, void *mapper = nullptr) {
    bases.push_back(base);
    begins.push_back(begin);
    sizes.push_back(size);
    types.push_back(static_cast<int64_t>(type));
    names.push_back(nullptr);
    mappers.push_back(mapper);
  }
  MapList list() {
    return {static_cast<int32_t>(bases.size()),
            bases.data(),
            begins.data(),
            sizes.data(),
            types.data(),
            names.data(),
            mappers.data()};
  }
};

void push(void *handle, void *begin, int64_t size, uint64_t type) {
  static_cast<MapperComponents *>(handle)->push({host_ptr(begin), host_ptr(begin), size, type, nullptr, -1, -1});
}

/// As clang's: each element's x, as a member of what was pushed before.
void map_elements(void *handle, void *, void *begin, int64_t size, int64_t type, void *) {
  const auto count = static_cast<size_t>(size) / sizeof(Element);
  auto *elements = static_cast<Element *>(begin);
  if (count > 1)
    push(handle, begin, size, (static_cast<uint64_t>(type) & ~(kTo | kFrom)) | kImplicit);
  for (size_t i = 0; i < count; ++i) {
    const auto number = static_cast<uint64_t>(static_cast<MapperComponents *>(handle)->size());
    push(handle, &elements[i].x, sizeof(int), (static_cast<uint64_t>(type) & (kTo | kFrom)) | number << kMemberOfShift);
  }
}
void *mapper_address() { return reinterpret_cast<void *>(&map_elements); }

TEST(GatherItems, arguments_become_items_in_order) {
  int a[4], b[2];
  Arrays arrays;
  arrays.add(a, a + 1, 8, kTo | kTargetParam);
  arrays.add(b, b, 8, kFrom | (1ull << kMemberOfShift));
  MapItems items;
  ASSERT_TRUE(gather_items(arrays.list(), items).is_ok());
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].begin, host_ptr(a + 1));
  EXPECT_EQ(items[0].parent, -1);
  EXPECT_EQ(items[1].parent, 0);
  EXPECT_EQ(items[1].argument, 1);
  EXPECT_EQ(items[1].group, -1);
}

TEST(GatherItems, what_makes_no_sense_is_refused) {
  int a;
  MapItems items;
  MapList list{-1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  EXPECT_FALSE(gather_items(list, items).is_ok());
  list.count = 1;
  EXPECT_FALSE(gather_items(list, items).is_ok());
  for (void *mapper : {static_cast<void *>(nullptr), mapper_address()}) {
    Arrays arrays;
    arrays.add(&a, &a, 4, kTo | (5ull << kMemberOfShift), mapper);
    Status status = gather_items(arrays.list(), items);
    ASSERT_FALSE(status.is_ok());
    EXPECT_NE(status.to_string().find("member of argument 4"), std::string::npos);
  }
}

TEST(GatherItems, a_mapper_takes_its_arguments_place_and_what_the_clause_says_of_all_parts_holds_for_all) {
  Element elements[3] = {};
  int after;
  Arrays arrays;
  arrays.add(elements, elements, sizeof elements, kTo | kAlways | kClose | kHold | kTargetParam, mapper_address());
  arrays.add(&after, &after, 4, kTo);
  MapItems items;
  ASSERT_TRUE(gather_items(arrays.list(), items).is_ok());
  ASSERT_EQ(items.size(), 6u); // array, three elements, the argument itself, the other
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(items[i].group, 0);
    EXPECT_TRUE(items[i].has(kAlways) && items[i].has(kClose) && items[i].has(kHold));
    EXPECT_FALSE(items[i].has(kTargetParam));
  }
  EXPECT_EQ(items[4].flags, kItemLookUpOnly);
  EXPECT_EQ(items[4].argument, 0);
  EXPECT_TRUE(items[4].has(kTargetParam));
  EXPECT_EQ(items[5].group, -1);
}

TEST(GatherItems, delete_reaches_every_component) {
  Element element = {};
  Arrays arrays;
  arrays.add(&element, &element, sizeof element, kDelete, mapper_address());
  MapItems items;
  ASSERT_TRUE(gather_items(arrays.list(), items).is_ok());
  ASSERT_EQ(items.size(), 1u);
  EXPECT_TRUE(items[0].has(kDelete));
}

TEST(GatherItems, a_strided_section_calls_the_mapper_for_each_part) {
  Element elements[8] = {};
  SectionDimension section[] = {{1, 3, 2 * sizeof(Element)}, {0, 1, sizeof(Element)}};
  Arrays arrays;
  arrays.add(elements, section, 2, kFrom | kNonContiguous, mapper_address());
  MapItems items;
  ASSERT_TRUE(gather_items(arrays.list(), items).is_ok());
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].begin, host_ptr(&elements[2].x));
  EXPECT_EQ(items[2].begin, host_ptr(&elements[6].x));
  EXPECT_EQ(items[2].size, 4);
  EXPECT_FALSE(items[2].has(kNonContiguous));
}

TEST(GatherItems, members_of_arguments_behind_a_mapper_find_their_parents) {
  Element elements[2] = {};
  int s[4];
  Arrays arrays;
  arrays.add(elements, elements, sizeof elements, kTo, mapper_address());
  arrays.add(s, s, 16, 0);
  arrays.add(s, s + 1, 4, kTo | (2ull << kMemberOfShift));
  MapItems items;
  ASSERT_TRUE(gather_items(arrays.list(), items).is_ok());
  ASSERT_EQ(items.size(), 5u);
  EXPECT_EQ(items[4].parent, 3);
}

TEST(GatherItems, a_struct_must_be_present_if_a_part_within_it_must) {
  int *s[2] = {};
  int pointee[4];
  for (const bool is_within : {false, true}) {
    Arrays arrays;
    arrays.add(s, s, 16, kPresent);
    arrays.add(s, s + 1, 8, (is_within ? kPresent : kTo) | (1ull << kMemberOfShift));
    arrays.add(s, pointee, 16, kPresent | kPtrAndObj | (1ull << kMemberOfShift));
    arrays.add(pointee, pointee, 16, kPresent);
    MapItems items;
    ASSERT_TRUE(gather_items(arrays.list(), items).is_ok());
    ASSERT_EQ(items.size(), 4u);
    EXPECT_EQ(items[0].has(kPresent), is_within);
    EXPECT_TRUE(items[2].has(kPresent) && items[3].has(kPresent));
  }
}

TEST(SourcePosition, of_an_ident) {
  ident_t location{0, 0, 0, 0, ";dir/file.c;main;12;5;;"};
  const SourcePosition position = source_position(&location);
  EXPECT_EQ(std::string(position.file, static_cast<size_t>(position.file_length)), "dir/file.c");
  EXPECT_EQ(position.line, 12);
  EXPECT_EQ(position.column, 5);
  location.psource = ";unknown;unknown;0;0;;";
  EXPECT_FALSE(source_position(&location));
  location.psource = "nonsense";
  EXPECT_FALSE(source_position(&location));
  EXPECT_FALSE(source_position(nullptr));
}

} // namespace
} // namespace omptarget
