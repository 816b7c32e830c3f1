// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "report.h"

#include <cstdarg>
#include <unistd.h>

namespace omptarget::check {

void Report::write(char kind, const std::string &text) {
  std::string line(1, kind);
  for (const char c : text)
    line += c == '\n' ? ' ' : c;
  line += '\n';
  // One call, so that lines of several threads do not mix.
  [[maybe_unused]] const ssize_t written = ::write(file_, line.data(), line.size());
}

void Report::tries(const char *function, const char *what) { write('T', std::string(function) + " " + what); }

void Report::uses(const char *function, const char *what) { write('U', std::string(function) + " " + what); }

#define OMPTARGET_WRITE_FORMATTED(kind)                                                                                \
  va_list arguments;                                                                                                   \
  va_start(arguments, pattern);                                                                                        \
  write(kind, format_arguments(pattern, arguments));                                                                   \
  va_end(arguments)

void Report::fail(const char *pattern, ...) { OMPTARGET_WRITE_FORMATTED('F'); }
void Report::leave_out(const char *pattern, ...) { OMPTARGET_WRITE_FORMATTED('L'); }
void Report::note(const char *pattern, ...) { OMPTARGET_WRITE_FORMATTED('N'); }

void add_line(Outcome &outcome, const std::string &line) {
  if (line.empty())
    return;
  const std::string text = line.substr(1);
  switch (line[0]) {
  case 'F': outcome.failures.push_back(text); break;
  case 'L': outcome.left_out.push_back(text); break;
  case 'N': outcome.notes.push_back(text); break;
  case 'T':
  case 'U': {
    const size_t space = text.find(' ');
    outcome.has_tried |= line[0] == 'T';
    outcome.tried.emplace_back(text.substr(0, space), space == std::string::npos ? "" : text.substr(space + 1));
    break;
  }
  default: break;
  }
}

} // namespace omptarget::check
