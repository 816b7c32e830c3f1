// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The findings of checks as JSON, for tools: LIBOMPTARGET_CHECK_FILE.
#pragma once

#include <cstdint>
#include <string>

namespace omptarget {

/// Something that a check has found. Empty and 0: not known.
struct Finding {
  const char *level; ///< "note", or "error": the program cannot go on rightly
  const char *rule;  ///< a short name, "mapping-absent"
  std::string message;
  int32_t device = -1;
  std::string file;
  uint32_t line = 0, column = 0;
};

/// Appends the finding to the file, as one JSON object in a line, if there is a file. Any thread, and any number of
/// processes.
void append_finding(const Finding &finding);

} // namespace omptarget
