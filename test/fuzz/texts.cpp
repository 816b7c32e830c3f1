// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that users and compilers write: values of settings, topics, lists of plugins, source positions.

#include <cstring>

#include "base/log.h"
#include "base/settings.h"
#include "device/call.h"
#include "plugin/plugin_candidates.h"
#include "target.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int, char **) {
  return {"1",
          "all",
          "mapping,plugin,foo",
          "true",
          "off",
          "-1",
          "0x1f",
          "1e400",
          "nan",
          "9223372036854775808",
          "a,b ",
          "/a:/b::/c",
          ";a.c;main;12;34;;",
          ";;;;;;;;",
          "libomptarget.rtl.cuda.nextgen.so"};
}

namespace {

void read_as_settings(const std::string &text) {
  for (uint32_t i = 0; i < static_cast<uint32_t>(SettingId::kCount); ++i) {
    const auto id = static_cast<SettingId>(i);
    setenv(setting_row(id).variable, text.c_str(), 1);
    (void)setting_flag(id);
    (void)setting_integer(id);
    (void)setting_number(id);
    unsetenv(setting_row(id).variable);
  }
}

} // namespace

} // namespace omptarget::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  const std::string text(reinterpret_cast<const char *>(data), strnlen(reinterpret_cast<const char *>(data), size));
  std::string unknown;
  fuzz::require(parse_topics(text.c_str(), unknown) <= ~log_internal::kUnread, "topics are topics");
  fuzz::read_as_settings(text);
  for (const char separator : {',', ':'})
    for (const std::string &part : split_list(text, separator))
      fuzz::require(!part.empty() && part.find(separator) == std::string::npos, "parts of lists are not empty");
  (void)plugin_name_of(text);
  const ident_t location{0, 0, 0, 0, text.c_str()};
  const SourcePosition position = source_position(&location);
  fuzz::require(!position || position.file + position.file_length <= text.data() + text.size(),
                "files lie in the text");
  return 0;
}
