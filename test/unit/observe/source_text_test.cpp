// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/source_text.h"

#include <gtest/gtest.h>

#include "omptarget/types.h"

namespace omptarget::observe {
namespace {

TEST(SourceText, places_of_constructs_are_read_without_folders) {
  const ident_t location{0, 0, 0, 0, ";/home/me/a.c;main;12;3;;"};
  const SourcePlace place = construct_place(&location);
  EXPECT_EQ(place.to_string(), "a.c:12:3");
  EXPECT_EQ(place.function, "main");
  EXPECT_TRUE(place.is_known());
}

TEST(SourceText, damaged_and_missing_places_are_unknown) {
  for (const char *text : {";unknown;unknown;0;0;;", "", ";", ";a.c;main", "a.c;main;1;2;;", ";a.c;main;x;y;;"})
    EXPECT_EQ(construct_place(text).to_string(), "unknown:0:0") << text;
  EXPECT_FALSE(construct_place(static_cast<const ident_t *>(nullptr)).is_known());
}

TEST(SourceText, names_of_variables_are_those_of_the_compiler_or_plain) {
  const VariableName variable = variable_name(";s.p[0:4];dir/b.c;7;9;;");
  EXPECT_EQ(variable.name, "s.p[0:4]");
  EXPECT_EQ(variable.place.to_string(), "b.c:7:9");
  const VariableName of_flang = variable_name(";/dir/heat.f90;u;5;28;;");
  EXPECT_EQ(of_flang.name, "u");
  EXPECT_EQ(of_flang.place.to_string(), "heat.f90:5:28");
  EXPECT_EQ(variable_name("global").name, "global");
  EXPECT_EQ(variable_name("global").place.to_string(), "unknown:0:0");
  EXPECT_EQ(variable_name(nullptr).name, "unknown");
  EXPECT_EQ(variable_name("").name, "unknown");
}

} // namespace
} // namespace omptarget::observe
