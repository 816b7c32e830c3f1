// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/checks.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <set>
#include <unistd.h>

#include "base/format.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/settings.h"
#include "observe/current_construct.h"
#include "observe/info.h"
#include "observe/profile_summary.h"
#include "observe/source_text.h"

namespace omptarget::observe {

namespace {

std::atomic<ContentsListener *> followers{nullptr};

bool is_wanted() {
  const char *const text = setting_text(SettingId::kCheck);
  const std::string_view checks = text ? text : "";
  if (!checks.empty() && checks != "mapping" && checks != "0")
    warn_about_setting(SettingId::kCheck, "'" + std::string(checks) + "' is no check; there is 'mapping'");
  return checks == "mapping";
}

Guarded<std::set<std::string>> &told() {
  static auto &texts = *new Guarded<std::set<std::string>>;
  return texts;
}

SourcePlace current_place() {
  const ConstructRecord *const construct = current_construct();
  return construct ? construct_place(construct->facts.location) : SourcePlace{};
}

/// One JSON object in a line, written at once, so that the lines of several processes do not mix.
void append_to_file(const Finding &finding) {
  static const char *const path = setting_text(SettingId::kCheckFile);
  if (!path)
    return;
  const SourcePlace place = current_place();
  std::string line;
  llvm::raw_string_ostream stream(line);
  llvm::json::OStream json(stream);
  json.object([&] {
    json.attribute("level", "note");
    json.attribute("rule", finding.rule);
    json.attribute("message", llvm::json::fixUTF8(finding.text));
    json.attribute("device", raw(finding.device));
    if (!place.is_known())
      return;
    json.attribute("file", llvm::json::fixUTF8(place.file));
    json.attribute("line", place.line);
    json.attribute("column", place.column);
  });
  stream << '\n';
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool is_written = file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (file >= 0)
    close(file);
  if (!is_written)
    warn_about_setting(SettingId::kCheckFile, format("'%s' cannot be written: %s", path, std::strerror(error)));
}

} // namespace

bool checks_mapping() {
  static const bool wanted = is_wanted();
  return wanted;
}

std::string construct_text() {
  const ConstructRecord *const construct = current_construct();
  if (!construct)
    return "the program";
  const SourcePlace place = current_place();
  const std::string kind = construct->facts.kind == ConstructKind::kTarget
                               ? "the target region"
                               : event_kind_name(static_cast<EventKind>(construct->facts.kind));
  return place.is_known() ? kind + " at " + place.to_string() : kind;
}

void report_finding(const Finding &finding) {
  if (!told().lock()->insert(finding.text).second)
    return;
  print_note(finding.text);
  append_to_file(finding);
}

std::mutex &findings_mutex_for_fork() { return told().mutex_for_fork(); }

void follow_contents(ContentsListener &listener) {
  followers.store(&listener, std::memory_order_release);
  set_listener(listener::kContents, true);
}

ContentsListener *contents_listener() { return followers.load(std::memory_order_acquire); }

} // namespace omptarget::observe
