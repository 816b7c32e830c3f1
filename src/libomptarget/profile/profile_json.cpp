// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <set>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/dimensions.h"
#include "base/process_rank.h"
#include "base/text_output.h"
#include "base/version.h"
#include "observe/source_text.h"
#include "profile/profile_file.h"
#include "profile/profile_page.h"
#include "profile/profile_summary.h"

namespace omptarget::observe {

namespace {

using llvm::json::OStream;

// Tracks of the timeline: host threads are threads of one process, each device is a process of its own.
constexpr int kHostTrack = 1;
constexpr int kFirstDeviceTrack = 100;
enum DeviceLane { kKernelLane = 1, kToDeviceLane, kFromDeviceLane, kBetweenLane, kMemoryLane };

std::string valid(std::string_view text) { return llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size())); }

bool is_on_device(EventKind kind) { return kind >= EventKind::kKernel && kind <= EventKind::kFill; }

bool is_copy(EventKind kind) {
  return kind == EventKind::kToDevice || kind == EventKind::kFromDevice || kind == EventKind::kBetweenDevices;
}

int lane_of(EventKind kind) {
  switch (kind) {
  case EventKind::kKernel: return kKernelLane;
  case EventKind::kToDevice: return kToDeviceLane;
  case EventKind::kFromDevice: return kFromDeviceLane;
  case EventKind::kBetweenDevices: return kBetweenLane;
  default: return kMemoryLane;
  }
}

constexpr int64_t kRowStep = 10; ///< between the rows of a lane

std::string lane_name(int64_t lane) {
  constexpr const char *kNames[] = {"", "kernels", "to device", "from device", "from other devices", "memory"};
  const std::string name = kNames[lane % kRowStep];
  return lane < kRowStep ? name : name + ", row " + std::to_string(lane / kRowStep + 1);
}

bool is_shown(const Profile &profile, const ProfileEvent &event) {
  return event.duration() >= profile.granularity_ns || event.kind == EventKind::kHostFallback;
}

std::string title_of(const ProfileEvent &event) {
  if (event.kind == EventKind::kKernel)
    return valid(readable_name(event.name));
  if (is_on_device(event.kind) && event.name)
    return valid(std::string(event_kind_name(event.kind)) + " " + std::string(variable_name(event.name).name));
  return event_kind_name(event.kind);
}

void write_rows(OStream &json, const char *name, const std::vector<SummaryRow> &rows) {
  json.attributeArray(name, [&] {
    for (const SummaryRow &row : rows)
      json.object([&] {
        json.attribute("name", valid(row.name));
        json.attribute("place", valid(row.place));
        json.attribute("detail", valid(row.detail));
        json.attribute("count", static_cast<int64_t>(row.count));
        json.attribute("ns", static_cast<int64_t>(row.total_ns));
        json.attribute("longest", static_cast<int64_t>(row.longest_ns));
        json.attribute("bytes", static_cast<int64_t>(row.bytes));
        json.attribute("unchanged", static_cast<int64_t>(row.unchanged_count));
        json.attribute("unchangedBytes", static_cast<int64_t>(row.unchanged_bytes));
      });
  });
}

void write_summary(OStream &json, const Summary &summary) {
  json.object([&] {
    write_rows(json, "regions", summary.regions);
    write_rows(json, "kernels", summary.kernels);
    write_rows(json, "transfers", summary.transfers);
    write_rows(json, "variables", summary.variables);
    write_rows(json, "repeated", summary.repeated);
    write_rows(json, "fallbacks", summary.fallbacks);
    json.attribute("waitNs", static_cast<int64_t>(summary.wait_ns));
  });
}

/// The words that started the process, as a shell shows them; control characters in them are made visible.
std::string command_line() {
  std::string text;
  if (std::FILE *const file = std::fopen("/proc/self/cmdline", "re")) {
    char buffer[4096];
    text.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
    std::fclose(file);
  }
  while (text.ends_with('\0'))
    text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return printable_name(text);
}

/// "2026-11-25 16:30:12 +0000" by the clock of the day.
std::string date_text(int64_t ns) {
  constexpr int64_t kSecond = 1000000000;
  const time_t seconds = ns / kSecond;
  tm parts{};
  char text[64];
  return ::localtime_r(&seconds, &parts) && ::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &parts) ? text : "";
}

class TraceWriter {
public:
  TraceWriter(const Profile &profile, const ProfileSource &source, OStream &json)
      : profile_(profile), source_(source), json_(json), start_(first_time(profile)) {
    place_in_rows();
  }

  void write() {
    json_.object([&] {
      json_.attribute("displayTimeUnit", "ns");
      json_.attributeArray("traceEvents", [&] {
        write_tracks();
        for (const ProfileEvent &event : profile_.events)
          if (is_shown(profile_, event))
            write_event(event);
      });
      json_.attributeObject("otherData", [&] {
        json_.attribute("producer", "omptarget");
        json_.attribute("version", valid(source_.version));
        json_.attribute("pid", source_.pid);
        json_.attribute("node", valid(source_.node));
        if (source_.rank)
          json_.attribute("rank", *source_.rank);
        json_.attribute("program", valid(source_.program));
        json_.attribute("commandLine", valid(source_.command));
        json_.attribute("startNs", start_of_day_clock());
        json_.attribute("date", date_text(start_of_day_clock()));
        json_.attribute("lostEvents", static_cast<int64_t>(profile_.summed()));
        json_.attributeArray("memory", [&] { write_memory(); });
        json_.attributeBegin("summary");
        write_summary(json_, summarise(profile_));
        json_.attributeEnd();
      });
    });
  }

private:
  static uint64_t first_time(const Profile &profile) {
    uint64_t first = UINT64_MAX;
    for (const ProfileEvent &event : profile.events)
      first = std::min({first, event.begin_ns, event.queued_ns != 0 ? event.queued_ns : event.begin_ns});
    return profile.events.empty() ? 0 : first;
  }
  /// Gives events of a device that overlap in time rows of their own: viewers draw events of one row over one another.
  void place_in_rows() {
    std::map<std::pair<int, int64_t>, std::vector<uint64_t>> ends; // of each row of a lane
    for (const ProfileEvent &event : profile_.events) {
      rows_.push_back(0);
      if (!is_on_device(event.kind) || !is_shown(profile_, event))
        continue;
      std::vector<uint64_t> &rows = ends[{event.device, lane_of(event.kind)}];
      const auto free = std::find_if(rows.begin(), rows.end(), [&](uint64_t end) { return end <= event.begin_ns; });
      rows_.back() = static_cast<int>(free - rows.begin());
      if (free == rows.end())
        rows.push_back(event.end_ns);
      else
        *free = event.end_ns;
    }
  }
  /// The first event's time by the clock that processes share: nanoseconds since 1970.
  int64_t start_of_day_clock() const {
    return start_ == 0 ? source_.wall_ns : source_.wall_ns - static_cast<int64_t>(source_.clock_ns - start_);
  }
  void write_memory() {
    for (const DeviceMemory &memory : profile_.memory)
      json_.object([&] {
        json_.attribute("device", raw(memory.device));
        json_.attribute("allocations", static_cast<int64_t>(memory.allocations));
        json_.attribute("reused", static_cast<int64_t>(memory.reused));
        json_.attribute("fromDriver", static_cast<int64_t>(memory.driver_allocations));
        json_.attribute("keptBytes", static_cast<int64_t>(memory.kept_bytes));
        json_.attribute("usedBytes", static_cast<int64_t>(memory.used_bytes));
        json_.attribute("mostUsedBytes", static_cast<int64_t>(memory.most_used_bytes));
        json_.attribute("mappedData", mapped_data_text(memory.mapped));
      });
  }
  double microseconds(uint64_t ns) const { return static_cast<double>(ns) / 1000.0; }
  static int process_of(const ProfileEvent &event) {
    return is_on_device(event.kind) ? kFirstDeviceTrack + event.device : kHostTrack;
  }
  int64_t thread_of(const ProfileEvent &event) const {
    if (!is_on_device(event.kind))
      return event.thread;
    return lane_of(event.kind) + kRowStep * rows_[static_cast<size_t>(&event - profile_.events.data())];
  }

  void write_name(const char *what, int process, int64_t thread, const std::string &name) {
    json_.object([&] {
      json_.attribute("ph", "M");
      json_.attribute("name", what);
      json_.attribute("pid", process);
      json_.attribute("tid", thread);
      json_.attributeObject("args", [&] { json_.attribute("name", name); });
    });
  }

  void write_tracks() {
    std::set<int> processes;
    std::set<std::pair<int, int64_t>> threads;
    for (const ProfileEvent &event : profile_.events) {
      processes.insert(process_of(event));
      threads.insert({process_of(event), thread_of(event)});
    }
    for (const int process : processes)
      write_name("process_name", process, 0,
                 process == kHostTrack ? "host" : "device " + std::to_string(process - kFirstDeviceTrack));
    for (const auto &[process, thread] : threads)
      write_name("thread_name", process, thread,
                 process == kHostTrack ? "thread " + std::to_string(thread) : lane_name(thread));
  }

  void write_head(const char *phase, const ProfileEvent &event, uint64_t at) {
    json_.attribute("ph", phase);
    json_.attribute("pid", process_of(event));
    json_.attribute("tid", thread_of(event));
    json_.attribute("ts", microseconds(at - start_));
  }

  void write_event(const ProfileEvent &event) {
    json_.object([&] {
      const bool is_instant = event.kind == EventKind::kHostFallback;
      write_head(is_instant ? "i" : "X", event, event.begin_ns);
      if (is_instant)
        json_.attribute("s", "t");
      else
        json_.attribute("dur", microseconds(event.duration()));
      json_.attribute("name", title_of(event));
      json_.attribute("cat", event_kind_name(event.kind));
      json_.attributeObject("args", [&] { write_details(event); });
    });
    write_flow(event);
  }

  void write_details(const ProfileEvent &event) {
    if (event.region != 0)
      json_.attribute("region", static_cast<int64_t>(event.region));
    if (event.device >= 0)
      json_.attribute("device", event.device);
    if (const SourcePlace place = construct_place(event.place); place.is_known())
      json_.attribute("source", valid(place.to_string()));
    if (event.kind == EventKind::kKernel && event.name)
      json_.attribute("kernel", valid(event.name));
    write_counts("teams", event.shape.teams);
    write_counts("threads", event.shape.threads);
    if (const VariableName variable = variable_name(event.name); event.host && event.name)
      json_.attribute("variable", valid(variable.name));
    if (event.bytes != 0) {
      json_.attribute("bytes", static_cast<int64_t>(event.bytes));
      if (event.kind == EventKind::kBetweenDevices)
        json_.attribute("from device", event.source_device);
      if (is_copy(event.kind))
        json_.attribute("GB/s", event.duration() == 0
                                    ? 0.0
                                    : static_cast<double>(event.bytes) / static_cast<double>(event.duration()));
    }
    if (event.reason)
      json_.attribute("reason", event.reason);
  }

  void write_counts(const char *name, const uint32_t (&counts)[3]) {
    if (counts[0] != 0)
      json_.attribute(name, dimensions_text(counts[0], counts[1], counts[2]));
  }

  /// An arrow from the region on its thread to what it does on the device.
  void write_flow(const ProfileEvent &event) {
    if (!is_on_device(event.kind) || event.region == 0)
      return;
    const int64_t id = ++last_flow_;
    json_.object([&] {
      json_.attribute("ph", "s");
      json_.attribute("pid", kHostTrack);
      json_.attribute("tid", static_cast<int64_t>(event.thread));
      json_.attribute("ts", microseconds((event.queued_ns != 0 ? event.queued_ns : event.begin_ns) - start_));
      write_flow_tail(id);
    });
    json_.object([&] {
      write_head("f", event, event.begin_ns);
      json_.attribute("bp", "e");
      write_flow_tail(id);
    });
  }

  void write_flow_tail(int64_t id) {
    json_.attribute("id", id);
    json_.attribute("name", "work");
    json_.attribute("cat", "flow");
  }

  const Profile &profile_;
  const ProfileSource &source_;
  OStream &json_;
  const uint64_t start_;
  std::vector<int> rows_; ///< of the events
  int64_t last_flow_ = 0;
};

constexpr std::string_view kTraceMark = "@TRACE@";
static_assert(kProfilePage.find(kTraceMark) != std::string_view::npos);

/// Text that cannot end the script element that it stands in.
std::string in_page(std::string text) {
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

/// Appends the page up to a mark, and the text in the mark's place; only the template is searched, never what is put
/// in.
void append_to_mark(std::string &page, std::string_view &rest, std::string_view mark, const std::string &text) {
  const size_t at = rest.find(mark);
  page.append(rest.substr(0, at)).append(text);
  rest.remove_prefix(at + mark.size());
}

} // namespace

std::string page_of_profile(const std::string &json) {
  std::string page;
  std::string_view rest = kProfilePage;
  append_to_mark(page, rest, kTraceMark, in_page(json));
  return page.append(rest);
}

ProfileSource own_profile_source() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return {.pid = getpid(),
          .rank = process_rank().rank,
          .wall_ns = static_cast<int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec,
          .clock_ns = now_ns(),
          .version = version_text(),
          .node = machine_name(),
          .program = program_invocation_short_name,
          .command = command_line()};
}

std::string profile_as_json(const Profile &profile, const ProfileSource &source) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  TraceWriter(profile, source, json).write();
  return text;
}

} // namespace omptarget::observe
