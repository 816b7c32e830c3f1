// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/log.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"
#include "base/own_file.h"
#include "base/process_rank.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "base/version.h"

namespace omptarget {

namespace log_internal {
constinit std::atomic<uint32_t> topics{kUnread};
} // namespace log_internal

namespace {

constinit std::atomic<const char *> log_prefix{"Libomptarget"};
constinit std::atomic<int> log_file{STDERR_FILENO};

struct TopicName {
  std::string_view name;
  Topic topic;
};
constexpr TopicName kTopicNames[] = {
    {"registration", Topic::kRegistration},
    {"image", Topic::kImage},
    {"plugin", Topic::kPlugin},
    {"device", Topic::kDevice},
    {"mapping", Topic::kMapping},
    {"transfer", Topic::kTransfer},
    {"kernel", Topic::kKernel},
    {"indirect", Topic::kIndirect},
    {"api", Topic::kApi},
    {"setting", Topic::kSetting},
    {"tool", Topic::kTool},
};

const char *name_of(Topic topic) {
  for (const TopicName &entry : kTopicNames)
    if (entry.topic == topic)
      return entry.name.data();
  return "?";
}

uint32_t topic_bits(std::string_view word) {
  if (word == "all")
    return ~log_internal::kUnread;
  for (const TopicName &entry : kTopicNames)
    if (entry.name == word)
      return static_cast<uint32_t>(entry.topic);
  return 0;
}

uint64_t now_us() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000u + static_cast<uint64_t>(time.tv_nsec) / 1000u;
}

/// When the process began, to a hundredth of a second: the same for the host library and for every plugin, so that the
/// times in their lines can be compared. 0 if it cannot be told.
uint64_t process_start_us() {
  constexpr int kStartField = 22;
  std::FILE *file = std::fopen("/proc/self/stat", "re");
  if (!file)
    return 0;
  char text[1024];
  const size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[length] = '\0';
  const char *field = std::strrchr(text, ')'); // ends the second field, which may hold anything
  for (int i = 2; field && i < kStartField; ++i)
    field = std::strchr(field + 1, ' ');
  const long ticks = sysconf(_SC_CLK_TCK);
  return field && ticks > 0 ? std::strtoull(field, nullptr, 10) * 1000000u / static_cast<uint64_t>(ticks) : 0;
}

/// Waits for nobody: a FIFO that nobody reads is an error.
int open_log_file(const char *path) {
  const int file =
      above_standard_files(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
  if (file >= 0)
    ::fcntl(file, F_SETFL, O_APPEND); // lines must not get lost where a reader is slow
  return file;
}

/// Once for each copy of the trace: the host library's, and each plugin's.
void warn_about_lost_lines(int error) {
  const char *path = setting_text(SettingId::kDebugFile);
  warn_about_setting(SettingId::kDebugFile,
                     format("cannot write to '%s': %s; lines of the trace are lost",
                            path ? shown_value(file_name_of_process(path)).c_str() : "", std::strerror(error)));
}

} // namespace

void set_log_prefix(const char *prefix) { log_prefix.store(prefix, std::memory_order_relaxed); }

uint32_t parse_topics(const char *value, std::string &unknown) {
  char *end = nullptr;
  const long number = std::strtol(value, &end, 0);
  if (end != value && *end == '\0')
    return number != 0 ? ~log_internal::kUnread : 0;
  uint32_t bits = 0;
  std::string_view rest = value;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (word.empty())
      continue;
    const uint32_t found = topic_bits(word);
    bits |= found;
    if (found == 0)
      unknown.append(unknown.empty() ? "" : ",").append(word);
  }
  return bits;
}

uint32_t log_internal::read_topics() {
  uint32_t bits = 0;
  if (const char *value = setting_text(SettingId::kDebug)) {
    std::string unknown;
    bits = parse_topics(value, unknown);
    if (!unknown.empty())
      warn_about_setting(SettingId::kDebug,
                         format("no such topic: '%s'; there are: registration, image, plugin, device, mapping, "
                                "transfer, kernel, indirect, api, setting, tool, all",
                                shown_value(unknown).c_str()));
  }
  uint32_t unread = kUnread;
  if (bits != 0 && topics.load(std::memory_order_relaxed) == kUnread) {
    if (const char *path = setting_text(SettingId::kDebugFile)) {
      const std::string name = file_name_of_process(path);
      const int file = open_log_file(name.c_str());
      int unset = STDERR_FILENO;
      if (file >= 0 && !log_file.compare_exchange_strong(unset, file, std::memory_order_acq_rel))
        ::close(file); // another thread was first
      else if (const int error = errno; file < 0)
        warn_about_setting(SettingId::kDebugFile,
                           format("cannot open '%s': %s", shown_value(name).c_str(), std::strerror(error)));
    }
  }
  if (topics.compare_exchange_strong(unread, bits, std::memory_order_relaxed) && bits != 0)
    trace_line(Topic::kSetting, -1, "omptarget %s in process %ld, %s", version_text(), static_cast<long>(::getpid()),
               program_invocation_name);
  return bits;
}

void trace_settings() {
  if (!traces(Topic::kSetting))
    return;
  for (uint32_t i = 0; i < static_cast<uint32_t>(SettingId::kCount); ++i)
    if (const char *value = setting_text(static_cast<SettingId>(i)))
      OMPTARGET_TRACE(Topic::kSetting, "%s=%s", setting_row(static_cast<SettingId>(i)).variable, value);
}

void trace_line(Topic topic, int32_t device, const char *pattern, ...) {
  static const uint64_t start = process_start_us();
  const uint64_t elapsed = now_us() - start;
  va_list arguments;
  va_start(arguments, pattern);
  const std::string body = format_arguments(pattern, arguments);
  va_end(arguments);
  std::string line = line_prefix();
  line += format("%s --> [%llu.%03llu ms] [thread %ld] ", log_prefix.load(std::memory_order_relaxed),
                 static_cast<unsigned long long>(elapsed / 1000), static_cast<unsigned long long>(elapsed % 1000),
                 static_cast<long>(syscall(SYS_gettid)));
  if (device >= 0)
    line += format("[device %d] ", device);
  line += format("[%s] ", name_of(topic));
  line += printable(body);
  line += '\n';
  const int file = log_file.load(std::memory_order_acquire);
  if (!write_all(file, line) && file != STDERR_FILENO)
    warn_about_lost_lines(errno);
}

} // namespace omptarget
