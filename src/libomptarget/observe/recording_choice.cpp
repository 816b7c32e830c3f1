// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/recording_choice.h"

#include <atomic>
#include <cinttypes>
#include <cstring>
#include <pthread.h>

#include "base/process_rank.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "observe/listeners.h"
#include "observe/profile_file.h"

namespace omptarget::observe {

namespace {

constexpr int64_t kMost = INT64_MAX;

struct Choice {
  std::string file;
  std::string kernel; ///< a part of the kernel's name; empty: any kernel
  int64_t launch = 1;
};

const Choice &choice() {
  static const auto *const made = [] {
    auto *const read = new Choice;
    if (const char *const setting = setting_text(SettingId::kRecord))
      read->file = file_name_of_rank(setting);
    if (const char *const kernel = setting_text(SettingId::kRecordKernel))
      read->kernel = kernel;
    read->launch = setting_in(SettingId::kRecordLaunch, 1, kMost);
    return read;
  }();
  return *made;
}

constinit std::atomic<int64_t> counted{0};
constinit std::atomic<bool> is_started{false};

/// A child of a fork would write to its parent's file.
void leave_to_parent() { set_listener(listener::kRecord, false); }

} // namespace

bool start_recording() {
  constexpr int64_t kAnyRank = -1;
  if (!setting_text(SettingId::kRecord))
    return false;
  if (const int64_t rank = setting_or(SettingId::kRecordRank, 0, kMost, kAnyRank);
      rank != kAnyRank && rank != process_rank().rank.value_or(0))
    return false;
  if (Status status = check_result_file(choice().file); !status) { // told at once, not after hours
    warn_about_recording(std::move(status));
    return false;
  }
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  is_started.store(true, std::memory_order_relaxed);
  return true;
}

bool claims_launch(const char *kernel) {
  const Choice &chosen = choice();
  if (!chosen.kernel.empty() && !std::strstr(kernel, chosen.kernel.c_str()))
    return false;
  if (counted.fetch_add(1, std::memory_order_relaxed) + 1 != chosen.launch)
    return false;
  set_listener(listener::kRecord, false);
  return true;
}

const std::string &recording_file() { return choice().file; }
int64_t recorded_launch() { return choice().launch; }

bool has_recording() {
  (void)listeners(); // has the environment been read?
  return is_started.load(std::memory_order_relaxed);
}

void warn_about_recording(Status failure) {
  warn_about_setting(SettingId::kRecord, failure.to_string());
  failure.consume();
}

void report_missing_recording() {
  set_listener(listener::kRecord, false);
  const Choice &chosen = choice();
  const std::string of_kernel =
      chosen.kernel.empty() ? "" : format(" of kernels with '%s' in their names", shown_value(chosen.kernel).c_str());
  warn_about_recording(
      Status::error(format("nothing is recorded: launch %" PRId64 "%s was wanted, and the program had "
                           "%" PRId64 " on its devices",
                           chosen.launch, of_kernel.c_str(), counted.load(std::memory_order_relaxed))));
}

} // namespace omptarget::observe
