// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/checks.h"

#include <atomic>
#include <set>

#include "base/finding.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/settings.h"
#include "observe/current_construct.h"
#include "observe/info.h"
#include "observe/source_text.h"

namespace omptarget::observe {

namespace {

std::atomic<ContentsListener *> follower{nullptr};

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
  const std::string kind = construct->facts.kind == ConstructKind::kTarget ? "the target region"
                           : construct->facts.kind == ConstructKind::kExitData
                               ? "target exit data (or the end of target data)"
                               : construct_name(construct->facts.kind);
  return place.is_known() ? kind + " at " + place.to_string() : kind;
}

void report_finding(const char *rule, const std::string &text, DeviceId device) {
  if (!told().lock()->insert(text).second)
    return;
  print_note(text);
  const SourcePlace place = current_place();
  append_finding({"note", rule, text, raw(device), std::string(place.is_known() ? place.file : ""),
                  static_cast<uint32_t>(place.line), static_cast<uint32_t>(place.column)});
}

std::mutex &findings_mutex_for_fork() { return told().mutex_for_fork(); }

void follow_contents(ContentsListener &listener) {
  follower.store(&listener, std::memory_order_release);
  set_listener(listener::kContents, true);
}

ContentsListener *contents_listener() { return follower.load(std::memory_order_acquire); }

} // namespace omptarget::observe
