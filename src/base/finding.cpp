// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/finding.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/format.h"
#include "base/own_file.h"
#include "base/settings.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

/// The text as JSON, without control characters and bytes that are no UTF-8.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char letter : printable_name(text)) {
    if (letter == '"' || letter == '\\')
      result += '\\';
    result += letter;
  }
  return result + '"';
}

} // namespace

void append_finding(const Finding &finding) {
  static const char *const path = setting_text(SettingId::kCheckFile);
  if (!path)
    return;
  std::string line =
      format(R"({"level":"%s","rule":"%s","message":)", finding.level, finding.rule) + quoted(finding.message);
  if (finding.device >= 0)
    line += format(R"(,"device":%d)", finding.device);
  if (!finding.file.empty() && finding.line != 0)
    line += R"(,"file":)" + quoted(finding.file) + format(R"(,"line":%u)", finding.line);
  if (finding.column != 0)
    line += format(R"(,"column":%u)", finding.column);
  const int file = above_standard_files(open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  const bool is_written = file >= 0 && write_all(file, line + "}\n");
  const int error = errno;
  if (file >= 0)
    close(file);
  if (!is_written)
    warn_about_setting(SettingId::kCheckFile,
                       format("'%s' cannot be written: %s", shown_value(path).c_str(), std::strerror(error)));
}

} // namespace omptarget
