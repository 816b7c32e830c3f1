// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/recording_choice.h"

#include <atomic>
#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/process_rank.h"
#include "base/result_file.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "generations/names.h"
#include "observe/listener_table.h"

namespace omptarget::observe {

namespace {

constexpr int64_t kMost = INT64_MAX;
constexpr int64_t kAny = -1;

struct Choice {
  std::string file;   ///< of the one launch; empty: one launch of each kind is recorded
  std::string folder; ///< otherwise; as the user gave it until start_recording has made it
  std::string kernel; ///< a part of the kernel's name; empty: any kernel
  int64_t launch = 1;
  int64_t device = kAny;
  std::string report; ///< its file; "-": stderr; empty: none
};

std::string text_or(SettingId id, const char *otherwise) {
  const char *const text = setting_text(id);
  return text ? text : otherwise;
}

Choice &choice() {
  static auto *const made = [] {
    auto *const read = new Choice;
    const std::string setting = text_or(SettingId::kRecord, "");
    if (!flag_of(setting.c_str()))
      read->file = file_name_of_rank(setting);
    read->folder = text_or(SettingId::kRecordDir, ".");
    read->kernel = text_or(SettingId::kRecordKernel, "");
    read->launch = setting_in(SettingId::kRecordLaunch, 1, kMost);
    read->device = setting_or(SettingId::kRecordDevice, 0, kMaxDevices, kAny);
    read->report = text_or(SettingId::kRecordReportFilename, setting_flag(SettingId::kRecordReport) ? "-" : "");
    return read;
  }();
  return *made;
}

/// The launches of one kind so far.
struct KindRow {
  const LaunchKind *kind;
  int64_t count = 0;
  std::string file; ///< empty: none was recorded yet
  std::string failure;
};

struct Kinds {
  std::mutex mutex;
  std::map<LaunchKind, KindRow> rows;
  std::vector<KindRow *> recorded; ///< in this order
};
/// Never destroyed: threads may come late.
Kinds &kinds() {
  static auto *const all = new Kinds;
  return *all;
}

constinit std::atomic<int64_t> counted{0};
constinit std::atomic<bool> is_started{false};

/// A child of a fork would write to its parent's files.
void leave_to_parent() { set_listener(listener::kRecord, false); }

void warn(Status failure) {
  warn_about_setting(SettingId::kRecord, failure.to_string());
  failure.consume();
}

/// Makes the folder, and those that it lies in. Keeps its full path: the program may change its directory.
Status make_folder(std::string &folder) {
  const std::string path = file_name_of_process(folder);
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    (void)::mkdir(path.substr(0, end).c_str(), 0777);
  (void)::mkdir(path.c_str(), 0777);
  char full[PATH_MAX];
  struct stat facts{};
  if (!::realpath(path.c_str(), full) || ::stat(full, &facts) != 0 || ::access(full, W_OK | X_OK) != 0)
    return Status::error(format("nothing is recorded: the folder '%s' cannot be made or written: %s",
                                shown_value(path).c_str(), std::strerror(errno)));
  if (!S_ISDIR(facts.st_mode))
    return Status::error(format("nothing is recorded: '%s' is no folder", shown_value(path).c_str()));
  folder = full;
  return Status::ok();
}

/// A name in the folder. pattern: ranks may share the folder, unless its name has their number.
std::string file_in_folder(const std::string &name) {
  const std::string pattern = text_or(SettingId::kRecordDir, "");
  const bool is_own = pattern.find("%p") != std::string::npos || pattern.find("%r") != std::string::npos;
  return choice().folder + "/" + (is_own ? name : file_name_of_rank(name));
}

/// "main_l12.1.rec": the function and the line of the region, and the number of the recording.
std::string name_of_recording(const std::string &kernel, size_t number) {
  constexpr size_t kLongest = 100;
  std::string name = kernel;
  if (const std::optional<KernelSource> source = source_of_kernel(kernel))
    name = kernel.substr(static_cast<size_t>(source->function.data() - kernel.data()));
  for (char &byte : name)
    if (!std::isalnum(static_cast<unsigned char>(byte)))
      byte = '_';
  if (name.size() > kLongest)
    name.erase(kLongest / 2, name.size() - kLongest);
  return format("%s.%zu.rec", name.c_str(), number);
}

std::string shape_text(const uint32_t (&counts)[3]) {
  const auto text = [](uint32_t count) { return count == 0 ? std::string("-") : std::to_string(count); };
  if (counts[1] <= 1 && counts[2] <= 1)
    return text(counts[0]);
  return text(counts[0]) + "x" + text(counts[1]) + "x" + text(counts[2]);
}

std::string report_text() {
  Kinds &all = kinds();
  const std::lock_guard lock(all.mutex);
  std::string text = "file, kernel, device, teams, threads, shared memory, launches, result\n";
  for (const KindRow *row : all.recorded) {
    const LaunchKind &kind = *row->kind;
    text += format("%s, %s, %d, %s, %s, %u, %" PRId64 ", %s\n", row->file.substr(row->file.rfind('/') + 1).c_str(),
                   printable_name(kind.kernel).c_str(), raw(kind.device), shape_text(kind.teams).c_str(),
                   shape_text(kind.threads).c_str(), kind.group_memory, row->count,
                   row->failure.empty() ? "recorded" : printable_name(row->failure).c_str());
  }
  return text;
}

void write_report() {
  const std::string &report = choice().report;
  if (report.empty())
    return;
  if (report == "-") {
    (void)write_all(STDERR_FILENO, "omptarget recordings in " + choice().folder + "\n" + report_text());
    return;
  }
  const bool is_path = report.find('/') != std::string::npos;
  if (Status status = replace_result_file(
          is_path ? file_name_of_rank(report) : file_in_folder(file_name_of_process(report)), report_text());
      !status)
    warn(std::move(status));
}

/// Claims one launch of each kind.
std::optional<RecordedLaunch> claim_of_kind(const LaunchKind &kind) {
  Kinds &all = kinds();
  const std::lock_guard lock(all.mutex);
  const auto [at, is_new] = all.rows.try_emplace(kind);
  KindRow &row = at->second;
  row.kind = &at->first;
  if (++row.count != choice().launch)
    return std::nullopt;
  all.recorded.push_back(&row);
  row.file = file_in_folder(name_of_recording(kind.kernel, all.recorded.size()));
  return RecordedLaunch{row.file, row.count};
}

void report_missing_recording() {
  const Choice &chosen = choice();
  const std::string of_kernel =
      chosen.kernel.empty() ? "" : format(" of kernels with '%s' in their names", shown_value(chosen.kernel).c_str());
  const std::string of_device = chosen.device == kAny ? "its devices" : format("device %" PRId64, chosen.device);
  warn(Status::error(format("nothing is recorded: launch %" PRId64 "%s was wanted, and the program had "
                            "%" PRId64 " on %s",
                            chosen.launch, of_kernel.c_str(), counted.load(std::memory_order_relaxed),
                            of_device.c_str())));
}

} // namespace

/// Returns whether this process is to record launches.
static bool start_recording() {
  const char *const setting = setting_text(SettingId::kRecord);
  if (!setting || flag_of(setting) == false)
    return false;
  if (const int64_t rank = setting_or(SettingId::kRecordRank, 0, kMost, kAny);
      rank != kAny && rank != process_rank().rank.value_or(0))
    return false;
  Choice &chosen = choice(); // what cannot be written is reported at once, not after hours
  Status status = chosen.file.empty() ? make_folder(chosen.folder) : check_result_file(chosen.file);
  if (!status) {
    warn(std::move(status));
    return false;
  }
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  is_started.store(true, std::memory_order_relaxed);
  return true;
}

std::optional<RecordedLaunch> claim_launch(const LaunchKind &kind) {
  const Choice &chosen = choice();
  if ((chosen.device != kAny && chosen.device != raw(kind.device)) ||
      (!chosen.kernel.empty() && kind.kernel.find(chosen.kernel) == std::string::npos))
    return std::nullopt;
  const int64_t number = counted.fetch_add(1, std::memory_order_relaxed) + 1;
  if (chosen.file.empty())
    return claim_of_kind(kind);
  if (number != chosen.launch)
    return std::nullopt;
  set_listener(listener::kRecord, false);
  return RecordedLaunch{chosen.file, number};
}

uint64_t most_recorded_bytes() { return static_cast<uint64_t>(setting_or(SettingId::kRecordMemsize, 1, kMost, kMost)); }

bool records_results() { return setting_flag(SettingId::kRecordOutput); }

bool has_recording() {
  (void)listeners(); // has the environment been read?
  return is_started.load(std::memory_order_relaxed);
}

void note_recording_failure(const RecordedLaunch &launch, Status failure) {
  const std::string text = failure.to_string();
  if (choice().file.empty()) { // each is reported: the others are recorded
    write_error_line(format("omptarget warning: %s: %s", setting_row(SettingId::kRecord).variable, text.c_str()));
    Kinds &all = kinds();
    const std::lock_guard lock(all.mutex);
    for (KindRow *row : all.recorded)
      if (row->file == launch.file)
        row->failure = text;
    failure.consume();
    return;
  }
  warn(std::move(failure));
}

static void finish_recording() {
  set_listener(listener::kRecord, false);
  const Choice &chosen = choice();
  bool is_missing = true;
  if (chosen.file.empty()) {
    write_report();
    const std::lock_guard lock(kinds().mutex);
    is_missing = kinds().recorded.empty();
  }
  if (is_missing)
    report_missing_recording();
}

constinit const Listener recording_listener{.bits = listener::kRecord,
                                            .start =
                                                [] {
                                                  static const bool is_to_record = start_recording();
                                                  return is_to_record;
                                                },
                                            .write = finish_recording};

} // namespace omptarget::observe
