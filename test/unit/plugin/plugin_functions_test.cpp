// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of plugin_functions.def beside the public header and the guide for authors.

#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

std::string contents_of(const char *file) {
  std::ifstream in(std::string(OMPTARGET_SOURCE_DIR) + "/" + file);
  std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_FALSE(text.empty()) << file;
  return text;
}

std::set<std::string> rows() {
  return {
#define PLUGIN_REQUIRED(name, check) #name,
#define PLUGIN_OPTIONAL(name, check, without) #name,
#include "plugin/plugin_functions.def"
  };
}

std::set<std::string> all_matches(const std::string &text, const char *pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

TEST(PluginFunctions, rows_are_what_the_public_header_declares) {
  const std::string header = contents_of("include/omptarget/plugin.h");
  EXPECT_THAT(rows(), testing::ContainerEq(all_matches(header, R"(OMPTARGET_PLUGIN_API[^;]*?__tgt_rtl_(\w+)\()")));
}

TEST(PluginFunctions, the_guide_for_authors_has_the_same_rows) {
  const std::string guide = contents_of("docs/extend/plugins-reference.md");
  const auto expect_row = [&](const std::string &name, const std::string &without) {
    EXPECT_THAT(guide, testing::HasSubstr("\n| `" + name + "` | " + without + " |\n"));
  };
#define PLUGIN_REQUIRED(name, check) expect_row(#name, "required");
#define PLUGIN_OPTIONAL(name, check, without) expect_row(#name, without);
#include "plugin/plugin_functions.def"
}

} // namespace
