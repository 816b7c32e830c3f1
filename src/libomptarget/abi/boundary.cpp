// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "abi/boundary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

#include "base/finding.h"
#include "base/log.h"
#include "base/process_rank.h"
#include "base/version.h"
#include "device/runtime.h"
#include "observe/code_places.h"
#include "observe/device_events.h"
#include "observe/info.h"
#include "plugin/own_folder.h"

namespace omptarget {

namespace {

void print_lines(const Failure &failure) {
  for (const FailureLine &line : failure.lines)
    line.kind == FailureLine::Kind::kMessage ? print_message(line.text) : print_error(line.text);
  if (!failure.about.empty())
    print_error(failure.about);
}

/// "target enter data at f.c:3:1", or who called it, as far as debug information and symbols tell.
std::string describe(const Call &call) {
  const ident_t *const location = call.location ? call.location : observe::location_of(call.code);
  if (const SourcePosition position = source_position(location))
    return format("%s at %.*s:%d:%d", call.construct, position.file_length, position.file, position.line,
                  position.column);
  Dl_info caller{};
  if (!call.code || dladdr(call.code, &caller) == 0 || !caller.dli_fname)
    return call.construct;
  const auto offset = [&](const void *base) {
    return static_cast<size_t>(static_cast<const char *>(call.code) - static_cast<const char *>(base));
  };
  return caller.dli_sname
             ? format("%s, called in %s of %s", call.construct, caller.dli_sname, caller.dli_fname)
             : format("%s, called at offset 0x%zx of %s", call.construct, offset(caller.dli_fbase), caller.dli_fname);
}

/// Which library this is, and the page that lists its messages, if it is installed.
std::string describe_library() {
  const std::string page = own_folder().substr(0, own_folder().rfind('/')) + "/share/doc/omptarget/use/errors.md";
  return format("omptarget %s; causes and remedies are in %s", version_text(),
                ::access(page.c_str(), R_OK) == 0 ? page.c_str() : "docs/use/errors.md");
}

void report_failure(const Failure &failure, const Call &call) {
  std::string text;
  for (const FailureLine &line : failure.lines)
    text += (text.empty() ? "" : "; ") + line.text;
  const SourcePosition position = source_position(call.location);
  append_finding({"error", "failure", std::string(call.construct) + ": " + text, -1,
                  position ? std::string(position.file, static_cast<size_t>(position.file_length)) : "",
                  static_cast<uint32_t>(position ? position.line : 0),
                  static_cast<uint32_t>(position ? position.column : 0)});
}

} // namespace

void end_with(const Failure &failure, const Call &call) {
  print_lines(failure);
  print_error("in " + describe(call));
  if (process_rank().rank)
    print_error("in " + describe_process());
  print_error(describe_library());
  observe::flush_reports();
  report_failure(failure, call);
  if (!failure.fatal.empty()) {
    print_line(format("omptarget fatal error %d: %s", failure.code, failure.fatal.c_str()));
    std::abort();
  }
  std::string place;
  if (const SourcePosition position = source_position(call.location))
    place = format("%.*s:%d:%d: ", position.file_length, position.file, position.line, position.column);
  else
    print_error("Source location information not present. Compile with -g or -gline-tables-only.");
  print_line(place + format("omptarget fatal error %d: failure of target construct while offloading is mandatory",
                            failure.code));
  std::abort();
}

bool succeeded(Status status, const Call &call) {
  if (status.is_ok())
    return true;
  const Failure &failure = status.failure();
  if (Runtime::get().is_mandatory() && !failure.fatal.empty())
    end_with(failure, call);
  print_lines(failure);
  if (!failure.fatal.empty())
    print_error(failure.fatal);
  print_error("in " + describe(call));
  return false;
}

void finish_unreported(Status status, const Call &call) {
  if (!status.is_ok() && Runtime::get().is_mandatory())
    end_with(status.failure(), call);
  (void)succeeded(std::move(status), call);
}

void report_unsupported(const char *function, std::atomic_flag &is_reported) {
  if (!is_reported.test_and_set(std::memory_order_relaxed))
    print_error(format("%s is not supported by this library", function));
}

} // namespace omptarget
