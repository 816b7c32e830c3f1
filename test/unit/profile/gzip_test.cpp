// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace omptarget::observe {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string compressed(std::string_view text) {
  Result<std::string> result = compress_gzip(text);
  EXPECT_TRUE(result.is_ok());
  return result ? std::move(*result) : std::string();
}

std::string failure_of(std::string contents, size_t most = 1 << 20) {
  Result<std::string> result = decompress_gzip(std::move(contents), most);
  return result.is_ok() ? "decompressed" : result.take_status().to_string();
}

TEST(Gzip, gives_back_what_was_compressed) {
  std::string text;
  for (int i = 0; i < 50000; ++i)
    text += "{\"ph\":\"X\",\"ts\":" + std::to_string(i * 7919 % 100003) + "},";
  for (const std::string &each : {std::string(), std::string("{}"), text}) {
    Result<std::string> result = decompress_gzip(compressed(each), 1 << 24);
    ASSERT_TRUE(result.is_ok());
    EXPECT_TRUE(*result == each);
  }
  EXPECT_LT(compressed(text).size() * 5, text.size());
  EXPECT_THAT(compressed(""), StartsWith("\x1f\x8b"));
}

TEST(Gzip, other_contents_stay_as_they_are) {
  for (const char *text : {"", "{}", "\x1f", "OMPTJRN"}) {
    Result<std::string> result = decompress_gzip(text, 100);
    ASSERT_TRUE(result.is_ok());
    EXPECT_EQ(*result, text);
  }
}

TEST(Gzip, files_one_after_the_other_are_one) {
  Result<std::string> result = decompress_gzip(compressed("ab") + compressed("cd"), 100);
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(*result, "abcd");
}

TEST(Gzip, damage_is_refused) {
  const std::string good = compressed(std::string(1000, 'x') + "end");
  for (size_t size = 2; size < good.size(); ++size)
    EXPECT_THAT(failure_of(good.substr(0, size)), StartsWith("is damaged: ")) << size;
  EXPECT_EQ(failure_of(good.substr(0, 12)), "is damaged: it ends too early");
  for (size_t at = good.size() - 8; at < good.size(); ++at) { // the checksum and the length
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    EXPECT_THAT(failure_of(bad), StartsWith("is damaged: ")) << at;
  }
  EXPECT_THAT(failure_of(good + "more"), StartsWith("is damaged: "));
}

TEST(Gzip, more_than_the_limit_is_refused) {
  const std::string much = compressed(std::string(10 << 20, '\0'));
  EXPECT_LT(much.size(), 100000U);
  EXPECT_THAT(failure_of(much), HasSubstr("decompresses to more than 1048576 bytes"));
}

TEST(Gzip, names_tell) {
  EXPECT_TRUE(is_gzip_name("a.json.gz"));
  EXPECT_FALSE(is_gzip_name("a.json"));
  EXPECT_FALSE(is_gzip_name("gz"));
}

} // namespace
} // namespace omptarget::observe
