// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/call_stack.h"

#include <gtest/gtest.h>

#include "base/line_table.h"

namespace omptarget {
namespace {

[[gnu::noinline]] CallStack take_here() {
  CallStack stack = take_call_stack();
  asm volatile("" : "+m"(stack)); // no call at the end
  return stack;
}

TEST(CallStack, names_the_functions_that_called) {
  const CallStack stack = take_here();
  ASSERT_GE(stack.size(), 3u);
  const std::vector<CallPlace> places = places_of(stack);
  ASSERT_EQ(places.size(), stack.size());
  EXPECT_NE(places[1].function.find("take_here()"), std::string::npos) << places[1].function;
  EXPECT_NE(places[2].function.find("names_the_functions_that_called"), std::string::npos) << places[2].function;
  EXPECT_NE(places[1].module.find("unit_base"), std::string::npos) << places[1].module;
  EXPECT_NE(stack_text(stack).find("main"), std::string::npos) << stack_text(stack);
}

int numbers[4] = {1, 2, 3, 4};

TEST(CallStack, names_the_variable_at_an_address) {
  int local = numbers[0];
  EXPECT_NE(variable_at(reinterpret_cast<uintptr_t>(&numbers[3])).find("numbers"), std::string::npos);
  EXPECT_EQ(variable_at(reinterpret_cast<uintptr_t>(&local)), "");
  EXPECT_EQ(variable_at(reinterpret_cast<uintptr_t>(&take_here)), "");
  EXPECT_EQ(variable_at(0), "");
}

TEST(CallStack, addresses_without_a_module_have_no_names) {
  const CallStack stack{1, 0};
  EXPECT_EQ(stack_text(stack), "  #0 ?\n  #1 ?");
  EXPECT_EQ(stack_text({}), "");
}

/// The table of a unit whose lengths are filled in.
std::string table(uint16_t version, std::string_view before_header, std::string_view header, std::string_view program) {
  const auto number = [](uint64_t value, size_t size) {
    return std::string(reinterpret_cast<const char *>(&value), size);
  };
  const std::string rest =
      std::string(before_header) + number(header.size(), 4) + std::string(header) + std::string(program);
  return number(rest.size() + 2, 4) + number(version, 2) + rest;
}

using namespace std::string_view_literals;

// Lines from 1 by special operations: address + 1 per 14 steps, line -5 to 8; 12 standard operations.
constexpr std::string_view kNumbers4 = "\x01\x01\x01\xfb\x0e\x0d\0\1\1\1\1\0\0\0\1\0\0\1"sv;
// Address 0x1000; line + 9, copy; 13 + 4 * 14 + 6: address + 4, line + 1; address + 2; end.
constexpr std::string_view kProgram = "\0\x09\x02\0\x10\0\0\0\0\0\0"
                                      "\3\x09\1"
                                      "\x4b"
                                      "\2\2"
                                      "\0\1\1"sv;

void expect_lines(const LineSections &sections, const std::string &file) {
  const uint64_t addresses[] = {0xfff, 0x1000, 0x1003, 0x1004, 0x1005, 0x1006};
  const std::vector<SourceLine> lines = find_source_lines(sections, addresses);
  ASSERT_EQ(lines.size(), 6u);
  const uint32_t expected[] = {0, 10, 10, 11, 11, 0};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(lines[i].line, expected[i]) << i;
    EXPECT_EQ(lines[i].file, expected[i] == 0 ? "" : file) << i;
  }
}

TEST(LineTable, reads_version_4) {
  const std::string header = std::string(kNumbers4) + std::string("src\0\0a.c\0\1\0\0\0"sv);
  const std::string lines = table(4, {}, header, kProgram);
  expect_lines({lines, {}, {}}, "src/a.c");
}

TEST(LineTable, reads_version_5) {
  // Folders: one column, in .debug_line_str; files: name and number of the folder.
  const std::string header = std::string(kNumbers4) + std::string("\1\1\x1f\1\0\0\0\0"
                                                                  "\2\1\x1f\2\x0b\2\5\0\0\0\0\5\0\0\0\0"sv);
  const std::string lines = table(5, "\x08\0"sv, header, kProgram);
  expect_lines({lines, "/src\0a.c\0"sv, {}}, "/src/a.c");
}

TEST(LineTable, survives_what_is_cut) {
  const std::string header = std::string(kNumbers4) + std::string("src\0\0a.c\0\1\0\0\0"sv);
  const std::string lines = table(4, {}, header, kProgram);
  const uint64_t addresses[] = {0x1000};
  for (size_t size = 0; size < lines.size(); ++size)
    EXPECT_EQ(find_source_lines({std::string_view(lines).substr(0, size), {}, {}}, addresses).size(), 1u);
  for (size_t i = 0; i < lines.size(); ++i)
    for (const int byte : {0, 0x7f, 0xff}) {
      std::string damaged = lines;
      damaged[i] = static_cast<char>(byte);
      EXPECT_EQ(find_source_lines({damaged, {}, {}}, addresses).size(), 1u);
    }
}

} // namespace
} // namespace omptarget
