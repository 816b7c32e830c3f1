// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <gtest/gtest.h>

#include "mapping/copies.h"
#include "mapping/non_contiguous.h"
#include "mapping/private_layout.h"
#include "mapping/variable_name.h"

namespace omptarget {
namespace {

using namespace map_type;

MapItem item(HostPtr base, HostPtr begin, int64_t size, uint64_t type, int32_t parent = -1) {
  return {base, begin, size, type, nullptr, 0, parent};
}
constexpr HostPtr kBase{0x10000};

std::vector<std::pair<int64_t, int64_t>> blocks_of(std::vector<SectionDimension> dimensions) {
  const MapItem section =
      item(kBase, host_ptr(dimensions.data()), static_cast<int64_t>(dimensions.size()), kTo | kNonContiguous);
  auto blocks = host_blocks(section);
  EXPECT_TRUE(blocks.is_ok());
  std::vector<std::pair<int64_t, int64_t>> result;
  blocks->for_each([&](HostPtr begin, int64_t size) { result.emplace_back(begin - kBase, size); });
  return result;
}
using Blocks = std::vector<std::pair<int64_t, int64_t>>;

TEST(HostBlocks, a_plain_item_is_one_block) {
  auto blocks = host_blocks(item(kBase, kBase + 8, 24, kTo));
  blocks->for_each([](HostPtr begin, int64_t size) {
    EXPECT_EQ(begin, kBase + 8);
    EXPECT_EQ(size, 24);
  });
}

TEST(HostBlocks, rows_that_lie_apart) { // int a[8][8]; a[0:4:2][1:3]
  EXPECT_EQ(blocks_of({{0, 4, 64}, {1, 3, 4}, {0, 1, 4}}), (Blocks{{4, 12}, {68, 12}, {132, 12}, {196, 12}}));
}

TEST(HostBlocks, one_dimension_with_a_stride) { // clang 22's b[1:5:3]
  EXPECT_EQ(blocks_of({{1, 5, 12}, {0, 1, 4}}), (Blocks{{12, 4}, {24, 4}, {36, 4}, {48, 4}, {60, 4}}));
}

TEST(HostBlocks, clang_23_gives_offsets_in_bytes) {
  EXPECT_EQ(blocks_of({{0, 4, 64}, {4, 3, 4}, {0, 4, 1}}), (Blocks{{4, 12}, {68, 12}, {132, 12}, {196, 12}}));
  EXPECT_EQ(blocks_of({{4, 5, 12}, {0, 4, 1}}), (Blocks{{4, 4}, {16, 4}, {28, 4}, {40, 4}, {52, 4}})); // b[1:5:3]
  EXPECT_EQ(blocks_of({{128, 3, 64}, {0, 8, 8}, {0, 8, 1}}), (Blocks{{128, 192}}));
}

TEST(HostBlocks, elements_of_one_byte_leave_open_what_offsets_are) { // char a[16][4]; a[2:3][1:2] by clang 22 and by 23
  const auto section = [](std::vector<SectionDimension> &dimensions) {
    return item(kBase, host_ptr(dimensions.data()), static_cast<int64_t>(dimensions.size()), kFrom | kNonContiguous);
  };
  std::vector<SectionDimension> older{{2, 3, 4}, {1, 2, 1}, {0, 1, 1}}, newer{{8, 3, 4}, {1, 2, 1}, {0, 1, 1}};
  std::vector<SectionDimension> wider{{2, 3, 64}, {1, 2, 4}, {0, 1, 4}}, same{{0, 3, 4}, {1, 2, 1}, {0, 1, 1}};
  EXPECT_TRUE(may_have_byte_offsets(section(older)));
  EXPECT_FALSE(may_have_byte_offsets(section(wider)));
  EXPECT_FALSE(may_have_byte_offsets(section(same)));
  EXPECT_FALSE(may_have_byte_offsets(item(kBase, kBase, 4, kFrom)));
  EXPECT_FALSE(may_have_byte_offsets(item(kBase, kBase, 65, kFrom | kNonContiguous)));
  EXPECT_EQ(blocks_of(older), (Blocks{{9, 2}, {13, 2}, {17, 2}}));
  MapItem in_bytes = section(newer);
  in_bytes.flags = kItemByteOffsets;
  auto blocks = host_blocks(in_bytes);
  Blocks found;
  blocks->for_each([&](HostPtr begin, int64_t size) { found.emplace_back(begin - kBase, size); });
  EXPECT_EQ(found, (Blocks{{9, 2}, {13, 2}, {17, 2}}));
}

TEST(HostBlocks, whole_inner_dimensions_are_one_block) {
  EXPECT_EQ(blocks_of({{2, 3, 64}, {0, 8, 8}, {0, 1, 8}}), (Blocks{{128, 192}}));
}

TEST(HostBlocks, three_dimensions) {
  EXPECT_EQ(blocks_of({{1, 2, 100}, {2, 2, 10}, {3, 2, 1}, {0, 1, 1}}),
            (Blocks{{123, 2}, {133, 2}, {223, 2}, {233, 2}}));
}

TEST(HostBlocks, nothing_in_an_empty_dimension) { EXPECT_TRUE(blocks_of({{0, 0, 64}, {0, 3, 4}, {0, 1, 4}}).empty()); }

TEST(HostBlocks, numbers_of_dimensions_that_make_no_sense_are_refused) {
  for (const int64_t dimensions : {int64_t{-1}, int64_t{65}}) {
    auto blocks = host_blocks(item(kBase, kBase, dimensions, kTo | kNonContiguous));
    EXPECT_FALSE(blocks.is_ok());
    EXPECT_NE(blocks.status().to_string().find(std::to_string(dimensions)), std::string::npos);
  }
}

TEST(HostBlocks, sections_that_no_memory_has_room_for_are_refused) {
  const auto blocks = [](std::vector<SectionDimension> section) {
    return host_blocks(
        item(kBase, host_ptr(section.data()), static_cast<int64_t>(section.size()), kTo | kNonContiguous));
  };
  constexpr uint64_t kMinusOne = UINT64_MAX;
  EXPECT_TRUE(blocks({{0, 4, 8}, {0, 1, 4}}).is_ok());
  EXPECT_NE(
      blocks({{0, kMinusOne, 8}, {0, 1, 4}}).status().to_string().find("of -1 elements, 8 bytes from one to the next"),
      std::string::npos);
  EXPECT_FALSE(blocks({{0, 4, kMinusOne - 7}, {0, 1, 4}}).is_ok());
  EXPECT_FALSE(blocks({{0, kMinusOne, 0}, {0, 1, 4}}).is_ok());
  EXPECT_FALSE(blocks({{0, 4, uint64_t{1} << 62}, {0, 1, 4}}).is_ok());
  int count = 0;
  blocks({{0, 1000, 0}, {0, 1, 4}})->for_each([&](HostPtr, int64_t) { ++count; });
  EXPECT_EQ(count, 1) << "they are all the same";
}

TEST(HostBlocks, a_section_whose_dimensions_the_compiler_lost_is_empty) {
  auto blocks = host_blocks(item(kBase, kBase, 0, kTo | kNonContiguous | (1ull << kMemberOfShift)));
  ASSERT_TRUE(blocks.is_ok());
  blocks->for_each([](HostPtr, int64_t size) { EXPECT_EQ(size, 0); });
}

TEST(HostBlocks, the_only_member_of_a_struct_starts_where_the_struct_does) { // clang 22: s.m[0:2:2][2:2], m at 4
  SectionDimension section[] = {{0, 2, 48}, {2, 2, 4}, {0, 1, 4}};
  const MapItem items[] = {item(kBase, kBase + 12, 4, 0),
                           item(kBase, host_ptr(section), 3, kFrom | kNonContiguous | (1ull << kMemberOfShift), 0)};
  std::vector<std::pair<HostPtr, int64_t>> parts;
  ASSERT_TRUE(for_each_part(items, [&](const MapItem &each, HostPtr begin, int64_t size) {
                if (each.has(kFrom))
                  parts.emplace_back(begin, size);
                return Status::ok();
              }).is_ok());
  EXPECT_EQ(parts, (std::vector<std::pair<HostPtr, int64_t>>{{kBase + 12, 8}, {kBase + 60, 8}}));
}

TEST(PrivateLayout, nothing_private_needs_nothing) {
  EXPECT_EQ(lay_out_private({item(kBase, kBase, 8, kTo), item(kBase, kBase, 8, kPrivate | kLiteral)}).size, 0);
}

TEST(PrivateLayout, each_is_as_aligned_as_on_the_host_up_to_16) {
  const MapItems items{item(HostPtr{0x1001}, HostPtr{0x1001}, 3, kPrivate | kTo),
                       item(HostPtr{0x1008}, HostPtr{0x1008}, 4, kPrivate | kTo),
                       item(HostPtr{0x1040}, HostPtr{0x1040}, 20, kPrivate | kTo)};
  const PrivateLayout layout = lay_out_private(items);
  EXPECT_EQ(layout.offsets[0], 0);
  EXPECT_EQ(layout.offsets[1], 8);
  EXPECT_EQ(layout.offsets[2], 16);
  EXPECT_EQ(layout.packed, 36);
  EXPECT_FALSE(layout.has_large);
}

TEST(PrivateLayout, small_ones_first_then_large_ones_then_those_without_a_value) {
  const MapItems items{item(kBase, kBase, 100, kPrivate), item(kBase, kBase, 5000, kPrivate | kTo),
                       item(kBase, kBase, 16, kPrivate | kTo)};
  const PrivateLayout layout = lay_out_private(items);
  EXPECT_EQ(layout.offsets[2], 0);
  EXPECT_EQ(layout.packed, 16);
  EXPECT_EQ(layout.offsets[1], 16);
  EXPECT_TRUE(layout.has_large);
  EXPECT_GE(layout.offsets[0], 5016);
  EXPECT_EQ(layout.offsets[0] % 16, 0);
  EXPECT_EQ(layout.size, layout.offsets[0] + 100);
}

TEST(PrivateLayout, a_private_pointer_has_its_value_at_its_base) {
  const MapItem pointer = item(kBase + 8, kBase + 4096, 24, kPrivate | kAttach);
  EXPECT_TRUE(is_first_private(pointer));
  EXPECT_EQ(private_source(pointer), kBase + 8);
}

TEST(AddCopy, ranges_that_touch_become_one) {
  Mapping one, another;
  const MappingRef mapping{&one, 2}, other{&another, 2};
  llvm::SmallVector<Copy, 4> copies;
  add_copy(copies, {mapping, kBase, 4, nullptr});
  add_copy(copies, {mapping, kBase + 4, 4, nullptr});
  add_copy(copies, {mapping, kBase + 2, 4, nullptr});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].size, 8);
  add_copy(copies, {mapping, kBase + -4, 4, nullptr});
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].host, kBase + -4);
  EXPECT_EQ(copies[0].size, 12);
  add_copy(copies, {mapping, kBase + 12, 4, nullptr}); // a gap
  add_copy(copies, {other, kBase + 16, 4, nullptr});
  EXPECT_EQ(copies.size(), 3u);
}

TEST(VariableName, parts_of_a_map_name) {
  const VariableName variable = parse_variable_name(";s.p[0:4];run.c;7;12;;");
  EXPECT_EQ(variable.name, "s.p[0:4]");
  EXPECT_EQ(variable.file, "run.c");
  EXPECT_EQ(variable.line, 7);
  EXPECT_EQ(variable.column, 12);
}

TEST(VariableName, missing_parts) {
  EXPECT_TRUE(parse_variable_name(nullptr).name.empty());
  EXPECT_EQ(parse_variable_name("global").name, "global");
  EXPECT_EQ(parse_variable_name(";a").name, "a");
  EXPECT_EQ(parse_variable_name(";").line, 0);
  EXPECT_EQ(variable_text(nullptr, 4), "");
  EXPECT_EQ(variable_text(";a;f.c;1;2;;", 4), "in the mapping of a (4 bytes) at f.c:1:2");
}

} // namespace
} // namespace omptarget
