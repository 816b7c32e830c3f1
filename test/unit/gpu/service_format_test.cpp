// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/service_format.h"

#include <cstdio>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service_data.h"

namespace omptarget::gpu {
namespace {

std::string text_of(const std::string &data) {
  Result<std::string> text = format_print(data);
  return text ? *text : "refused: " + text.status().to_string();
}

TEST(ServiceFormat, prints_as_the_host_does) {
  char expected[256];
  std::snprintf(expected, sizeof(expected), "a %d|%-5i|%05u|%#x|%lld|%c|%s|%.2f|%10.3s|%p%%\n", -3, 4, 5u, 0xab, -7ll,
                'z', "text", 2.345, "abcdef", reinterpret_cast<void *>(0x1234));
  const std::string data = format_bytes("a %d|%-5i|%05u|%#x|%lld|%c|%s|%.2f|%10.3s|%p%%\n") + int32_value(-3) +
                           int32_value(4) + int32_value(5) + int32_value(0xab) + int64_value(-7) + int32_value('z') +
                           string_value("text") + double_value(2.345) + string_value("abcdef") + int64_value(0x1234);
  EXPECT_EQ(text_of(data), expected);
}

TEST(ServiceFormat, widths_and_precisions_come_as_values) {
  const std::string data = format_bytes("%*d|%.*f|%*s|%.*s") + int32_value(6) + int32_value(42) + int32_value(1) +
                           double_value(2.25) + int32_value(-6) + string_value("ab") + int32_value(-1) +
                           string_value("abc");
  EXPECT_EQ(text_of(data), "    42|2.2|ab    |abc");
}

TEST(ServiceFormat, short_lengths_cut_values) {
  EXPECT_EQ(text_of(format_bytes("%hhd %hu %hhx") + int32_value(0x1ff) + int32_value(0x12345) + int32_value(0x1ff)),
            "-1 9029 ff");
}

TEST(ServiceFormat, a_null_string_is_told) {
  EXPECT_EQ(text_of(format_bytes("%s.") + std::string(1, OMPTARGET_SERVICE_VALUE_NULL)), "(null).");
}

TEST(ServiceFormat, what_printf_on_a_device_does_not_have_is_refused_by_name) {
  const struct {
    const char *format, *why;
  } rows[] = {{"%n", "%n, which writes to memory"},    {"%hhn", "%n, which writes to memory"},
              {"%y", "%y is no conversion"},           {"%ls", "%ls is no conversion"},
              {"%lc", "%lc is no conversion"},         {"%m", "%m is no conversion"},
              {"%1$d", "%1$ is no conversion"},        {"%99999999999d", "the most is 65536"},
              {"%.99999999999d", "the most is 65536"}, {"abc%", "ends within a conversion"},
              {"%-08.3ll", "ends within a conversion"}};
  for (const auto &row : rows)
    EXPECT_THAT(text_of(format_bytes(row.format) + int64_value(1)), testing::HasSubstr(row.why)) << row.format;
}

TEST(ServiceFormat, values_that_do_not_fit_their_conversion_are_refused) {
  const struct {
    std::string data;
    const char *why;
  } rows[] = {
      {std::string("%d"), "the format that was sent has no end"},
      {format_bytes("%d"), "no value was sent for %d"},
      {format_bytes("%s") + int64_value(16), "%s wants a string, and a long or a pointer was sent"},
      {format_bytes("%f") + int64_value(16), "%f wants a double"},
      {format_bytes("%ld") + int32_value(16), "%ld wants a long"},
      {format_bytes("%d") + int32_value(16).substr(0, 3), "the value that was sent for %d is cut off"},
      {format_bytes("%s") + string_value("ab").substr(0, 3), "the string that was sent for %s has no end"},
      {format_bytes("%d") + std::string(5, '\x77'), "nothing that is known was sent"},
      {format_bytes("%*d") + int32_value(70000) + int32_value(1), "a width of 70000"},
      {format_bytes("%*d") + int32_value(INT32_MIN) + int32_value(1), "a width of -2147483648"},
      {format_bytes("x") + int32_value(1), "5 bytes of values were sent for which the format has no conversion"}};
  for (const auto &row : rows)
    EXPECT_THAT(text_of(row.data), testing::HasSubstr(row.why));
}

TEST(ServiceFormat, text_has_an_end) {
  std::string format, values;
  for (int i = 0; i < 300; ++i) {
    format += "%65536d";
    values += int32_value(1);
  }
  EXPECT_THAT(text_of(format_bytes(format) + values), testing::HasSubstr("the text is longer"));
}

// Garbage from device code gets an answer, without a crash or a sanitizer's report.
TEST(ServiceFormat, garbage_is_answered) {
  std::mt19937 random(7);
  const std::string letters("%%%%dsfpnxclhzL*.-+ #0123456789\0\1\2\3\4\5", 38);
  for (int i = 0; i < 20000; ++i) {
    std::string data;
    for (size_t length = random() % 40; length > 0; --length)
      data += letters[random() % letters.size()];
    const Result<std::string> text = format_print(data);
    EXPECT_TRUE(text.is_ok() || !text.status().is_ok());
  }
}

} // namespace
} // namespace omptarget::gpu
