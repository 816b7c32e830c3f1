// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/launch_notes.h"

#include <gmock/gmock.h>

namespace omptarget::jit::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const LaunchCase kFirst{"k", 8, 128, {{1, 4, 1000}, {2, 8, 0x3ff0000000000000}}};
const LaunchCase kSecond{"k", 8, 128, {{1, 4, 1001}, {2, 8, 0x3ff0000000000000}}};
const LaunchCase kThird{"k", 8, 64, {{1, 4, 1000}, {2, 8, 0x3ff0000000000000}}};

TEST(LaunchCase, its_line_is_read_again) {
  EXPECT_EQ(text_of(kFirst), "k 8 128 1:4=3e8 2:8=3ff0000000000000");
  for (const LaunchCase &launch : {kFirst, kSecond, kThird, LaunchCase{"k"}, LaunchCase{"k", 4294967295, 1, {}}}) {
    const std::optional<LaunchCase> read = case_of(text_of(launch));
    ASSERT_TRUE(read) << text_of(launch);
    EXPECT_EQ(*read, launch);
  }
}

TEST(LaunchCase, other_lines_are_none) {
  for (const char *line : {"", " ", "k", "k 1", "k 1 2 ", "k  1 2", "k 1 2 x", "k 1 2 0:4", "k 1 2 0:0=1",
                           "k 1 2 0:9=1", "k 1 2 0:4=1 0:4=0", "k 1 2 1:4=1 0:4=0", "k 1 2 0:4=01", "k 1 2 0:4=A",
                           "k 4294967296 1", "k -1 2", "k 1 2 0:4=1  1:4=1", "k 1 2 0:8=11111111111111111"})
    EXPECT_FALSE(case_of(line)) << "'" << line << "'";
}

TEST(LaunchCase, a_variant_fits_launches_with_its_shape_and_values) {
  EXPECT_TRUE(kFirst.fits(kFirst));
  EXPECT_FALSE(kFirst.fits(kSecond));
  EXPECT_FALSE(kFirst.fits(kThird));
  const LaunchCase any_shape{"k", 0, 0, {{1, 4, 1000}}};
  EXPECT_TRUE(any_shape.fits(kFirst));
  EXPECT_TRUE(any_shape.fits(kThird));
  EXPECT_FALSE(any_shape.fits(kSecond));
  EXPECT_FALSE((LaunchCase{"k", 0, 0, {{1, 8, 1000}}}.fits(kFirst))); // another size
  EXPECT_FALSE((LaunchCase{"k", 0, 0, {{3, 4, 1000}}}.fits(kFirst))); // another parameter
  EXPECT_TRUE((LaunchCase{"k", 8, 128, {}}.fits(kFirst)));
  EXPECT_TRUE((LaunchCase{"k"}.is_any()));
  EXPECT_FALSE(any_shape.is_any());
}

TEST(LaunchCase, names_of_variants_differ) {
  EXPECT_EQ(variant_name(kFirst, 0), "k_omptarget_variant_0");
  EXPECT_NE(variant_name(kFirst, 1), variant_name(kFirst, 11));
}

TEST(LaunchNotes, the_last_case_has_what_all_others_have_in_common) {
  std::vector<LaunchCase> cases;
  EXPECT_TRUE(add_case(cases, kFirst, 2));
  EXPECT_FALSE(add_case(cases, kFirst, 2));
  EXPECT_TRUE(add_case(cases, kSecond, 2));
  EXPECT_THAT(cases, ElementsAre(kFirst, kSecond));
  EXPECT_TRUE(add_case(cases, kThird, 2));
  const LaunchCase common{"k", 0, 0, {{2, 8, 0x3ff0000000000000}}};
  EXPECT_THAT(cases, ElementsAre(kFirst, common));
  EXPECT_FALSE(add_case(cases, kSecond, 2));
  EXPECT_TRUE(add_case(cases, {"k"}, 2));
  EXPECT_THAT(cases, ElementsAre(kFirst, LaunchCase{"k"}));
  EXPECT_FALSE(add_case(cases, kThird, 2)); // at rest
}

TEST(LaunchNotes, one_case_has_what_all_launches_have_in_common) {
  std::vector<LaunchCase> cases;
  for (const LaunchCase &launch : {kFirst, kSecond, kFirst})
    add_case(cases, launch, 1);
  EXPECT_THAT(cases, ElementsAre(LaunchCase{"k", 8, 128, {{2, 8, 0x3ff0000000000000}}}));
}

TEST(LaunchNotes, their_text_is_read_again_and_damaged_text_is_none) {
  const std::vector<LaunchCase> cases{kFirst, kThird, {"other"}};
  const std::string text = text_of(cases);
  EXPECT_THAT(cases_of(text), testing::ElementsAreArray(cases));
  EXPECT_THAT(cases_of(text_of(std::vector<LaunchCase>())), IsEmpty());
  EXPECT_THAT(cases_of(text.substr(0, text.size() - 1)), IsEmpty());
  EXPECT_THAT(cases_of(text.substr(1)), IsEmpty());
  EXPECT_THAT(cases_of(text + "\n"), IsEmpty());
  EXPECT_THAT(cases_of(""), IsEmpty());
}

} // namespace
} // namespace omptarget::jit::test
