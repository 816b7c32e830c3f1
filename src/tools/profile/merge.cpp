// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/profile/merge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text_output.h"

namespace omptarget::profile_tool {

namespace {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// Tracks of one process have numbers below this; those of the next process follow.
constexpr int64_t kTracksOfProcess = 100000;
constexpr int64_t kFlowsOfProcess = int64_t{1} << 32;
constexpr const char *kTables[] = {"regions", "kernels", "transfers", "variables", "repeated", "fallbacks"};
constexpr const char *kSums[] = {"count", "ns", "bytes", "unchanged", "unchangedBytes"};

/// Returns whether no value lies so deep in others that reading it takes too much stack.
bool is_flat(std::string_view json) {
  constexpr int kDeepest = 32;
  int depth = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char byte = json[i];
    if (is_in_string) {
      if (byte == '\\')
        ++i;
      else
        is_in_string = byte != '"';
    } else if (byte == '"') {
      is_in_string = true;
    } else if (byte == '[' || byte == '{') {
      if (++depth > kDeepest)
        return false;
    } else if (byte == ']' || byte == '}') {
      --depth;
    }
  }
  return true;
}

/// Returns whether all numbers are finite: JSON has no others, but one such as 1e999 is read as infinity.
bool is_finite(const Value &value) {
  if (const std::optional<double> number = value.getAsNumber())
    return std::isfinite(*number);
  if (const Array *const array = value.getAsArray())
    return std::all_of(array->begin(), array->end(), is_finite);
  const Object *const object = value.getAsObject();
  return !object ||
         std::all_of(object->begin(), object->end(), [](const auto &field) { return is_finite(field.second); });
}

/// Where the elements of the array "traceEvents" lie in a profile, whose values are flat. Empty without it.
std::string_view events_of(std::string_view json) {
  constexpr std::string_view kKey = "\"traceEvents\"", kBlanks = " \t\r\n:";
  int depth = 0;
  size_t begin = std::string_view::npos;
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '"') {
      const size_t key = i;
      while (++i < json.size() && json[i] != '"')
        i += json[i] == '\\';
      const size_t value = json.find_first_not_of(kBlanks, i + 1);
      if (depth == 1 && json.substr(key).starts_with(kKey) && value < json.size() && json[value] == '[') {
        begin = value + 1;
        i = value - 1;
      }
    } else if (json[i] == '[' || json[i] == '{') {
      ++depth;
    } else if ((json[i] == ']' || json[i] == '}') && --depth == 1 && begin != std::string_view::npos) {
      return json.substr(begin, i - begin);
    }
  }
  return {};
}

/// Calls with the text of each element of an array. One at a time is parsed: values take many times the memory of
/// their text.
template <typename Function> void for_each_element(std::string_view elements, Function function) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == '"') {
      while (++i < elements.size() && elements[i] != '"')
        i += elements[i] == '\\';
    } else if (elements[i] == '[' || elements[i] == '{') {
      ++depth;
    } else if (elements[i] == ']' || elements[i] == '}') {
      --depth;
    } else if (elements[i] == ',' && depth == 0) {
      function(elements.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (elements.find_first_not_of(" \t\r\n", begin) != std::string_view::npos)
    function(elements.substr(begin));
}

/// The needed parts of one profile.
struct Process {
  std::string label; ///< "rank 3 (node7)"
  int64_t rank = 0;  ///< or its place in the list
  std::string node;
  int64_t start_ns = 0; ///< of its first event, by the clock of the day
  std::optional<int64_t> pid;
  int64_t lost = 0;
  std::string_view events; ///< as Parts has them
  Object summary;
  Array memory;
  Object about; ///< program, command line, date and version, as far as the profile has them
};

constexpr const char *kAbout[] = {"program", "commandLine", "date", "version"};

Status damaged(const ProfileText &text, const char *what) {
  return Status::error(format("%s: %s", text.name.c_str(), what));
}

template <typename T> T taken(T *value) { return value ? std::move(*value) : T(); }

/// A profile without its events, and their text.
struct Parts {
  Value rest;
  std::string_view events; ///< in the profile's text, found to be right
};

Result<Parts> read_parts(const ProfileText &text) {
  if (!is_flat(text.json))
    return damaged(text, "is no profile: its values are nested too deeply");
  const std::string_view events = events_of(text.json);
  std::string rest = text.json;
  if (!events.empty())
    rest.erase(static_cast<size_t>(events.data() - text.json.data()), events.size());
  llvm::Expected<Value> value = llvm::json::parse(rest);
  if (!value)
    return damaged(text, ("is no JSON: " + llvm::toString(value.takeError())).c_str());
  bool is_sound = is_finite(*value);
  std::string failure;
  for_each_element(events, [&](std::string_view element) {
    llvm::Expected<Value> event = failure.empty() ? llvm::json::parse(element) : Value(nullptr);
    if (!event)
      failure = "is no JSON: " + llvm::toString(event.takeError());
    else
      is_sound = is_sound && is_finite(*event);
  });
  if (!failure.empty())
    return damaged(text, failure.c_str());
  if (!is_sound)
    return damaged(text, "is no profile: one of its numbers is too large");
  return Parts{std::move(*value), events};
}

Result<Process> read_process(const ProfileText &text, size_t place) {
  OMPTARGET_TRY_ASSIGN(Parts parts, read_parts(text));
  Object *const root = parts.rest.getAsObject();
  Object *const other = root ? root->getObject("otherData") : nullptr;
  if (!other || other->getString("producer") != "omptarget" || !root->getArray("traceEvents"))
    return damaged(text, "is no profile that omptarget has written in Chrome's trace-event format");
  if (const Object *const summary = other->getObject("summary"); summary && summary->getArray("ranks"))
    return damaged(text, "has been merged already; give the profiles that it was made of");
  const std::optional<int64_t> start = other->getInteger("startNs");
  if (!other->getObject("summary") || !start)
    return damaged(text, "was written by an omptarget that could not be merged yet, or is cut off");
  Process process;
  process.rank = other->getInteger("rank").value_or(static_cast<int64_t>(place));
  process.node = other->getString("node").value_or("").str();
  process.label = format("rank %lld", static_cast<long long>(process.rank)) +
                  (process.node.empty() ? "" : " (" + process.node + ")");
  process.start_ns = *start;
  process.pid = other->getInteger("pid");
  process.lost = other->getInteger("lostEvents").value_or(0);
  process.events = parts.events;
  process.summary = taken(other->getObject("summary"));
  process.memory = taken(other->getArray("memory"));
  for (const char *key : kAbout)
    if (const auto text = other->getString(key))
      process.about[key] = text->str();
  return process;
}

int64_t number(const Object &object, llvm::StringRef key) { return object.getInteger(key).value_or(0); }

/// Sums and spans stay at the largest number that there is.
int64_t added(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}
int64_t nanoseconds(double us) { return static_cast<int64_t>(std::clamp(us * 1000, 0.0, 9e18)); }

class Merger {
public:
  /// The process begins so many microseconds after the first one.
  void add(Process process, double shift_us) {
    const int64_t index = count_++;
    if (index == 0)
      about_ = std::move(process.about);
    double end_us = 0;
    llvm::raw_string_ostream stream(events_);
    for_each_element(process.events, [&](std::string_view element) {
      llvm::Expected<Value> value = llvm::json::parse(element);
      Object *const event = value ? value->getAsObject() : nullptr;
      if (!value)
        llvm::consumeError(value.takeError()); // it was right when it was read
      if (!event)
        return;
      end_us = std::max(end_us, event->getNumber("ts").value_or(0) + event->getNumber("dur").value_or(0));
      move_event(*event, index, shift_us, process.label);
      stream << (events_.empty() ? "" : ",") << *value;
      stream.flush();
    });
    for (Value &value : process.memory)
      if (Object *const row = value.getAsObject()) {
        (*row)["rank"] = process.rank;
        memory_.push_back(std::move(value));
      }
    for (const char *table : kTables)
      if (const Array *const rows = process.summary.getArray(table))
        for (const Value &row : *rows)
          if (const Object *const fields = row.getAsObject())
            add_row(tables_[table], *fields);
    wait_ns_ = added(wait_ns_, number(process.summary, "waitNs"));
    lost_ = added(lost_, process.lost);
    ranks_.push_back(row_of(process, end_us));
  }

  std::string take() {
    std::stable_sort(ranks_.begin(), ranks_.end(), [](const Value &a, const Value &b) {
      return number(*a.getAsObject(), "span") > number(*b.getAsObject(), "span");
    });
    Object summary;
    for (const char *table : kTables)
      summary[table] = sorted(std::move(tables_[table]), table);
    summary["waitNs"] = wait_ns_;
    summary["ranks"] = std::move(ranks_);
    Object other = std::move(about_);
    other["producer"] = "omptarget";
    other["lostEvents"] = lost_;
    other["memory"] = std::move(memory_);
    other["summary"] = std::move(summary);
    std::string tail = "],\"otherData\":";
    llvm::raw_string_ostream(tail) << Value(std::move(other));
    events_.insert(0, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    return std::move(events_.append(tail).append("}"));
  }

private:
  using Key = std::tuple<std::string, std::string, std::string>;
  using Table = std::map<Key, Object>;

  static void move_event(Object &event, int64_t index, double shift_us, const std::string &label) {
    event["pid"] = added(number(event, "pid"), index * kTracksOfProcess);
    if (event.getString("ph") == "M") {
      Object *const arguments = event.getObject("args");
      if (arguments && event.getString("name") == "process_name")
        (*arguments)["name"] = label + ", " + arguments->getString("name").value_or("").str();
      return;
    }
    event["ts"] = std::min(event.getNumber("ts").value_or(0) + shift_us, std::numeric_limits<double>::max());
    if (event.getInteger("id"))
      event["id"] = added(number(event, "id"), index * kFlowsOfProcess);
    if (Object *const arguments = event.getObject("args"))
      (*arguments)["process"] = label;
  }

  static void add_row(Table &table, const Object &row) {
    const auto text = [&](const char *key) { return row.getString(key).value_or("").str(); };
    const auto [place, is_new] = table.try_emplace(Key{text("name"), text("place"), text("detail")}, row);
    if (is_new)
      return;
    Object &sum = place->second;
    for (const char *key : kSums)
      sum[key] = added(number(sum, key), number(row, key));
    sum["longest"] = std::max(number(sum, "longest"), number(row, "longest"));
  }

  /// As in the profile of one process: by falling time, those of unchanged copies by bytes, those on the host by
  /// number.
  static Array sorted(Table table, std::string_view name) {
    const char *const key = name == "repeated" ? "unchangedBytes" : name == "fallbacks" ? "count" : "ns";
    Array rows;
    for (auto &[fields, row] : table)
      rows.push_back(std::move(row));
    std::stable_sort(rows.begin(), rows.end(), [key](const Value &a, const Value &b) {
      return number(*a.getAsObject(), key) > number(*b.getAsObject(), key);
    });
    return rows;
  }

  static int64_t sum_of(const Object &summary, const char *table, const char *key) {
    int64_t sum = 0;
    if (const Array *const rows = summary.getArray(table))
      for (const Value &row : *rows)
        if (const Object *const fields = row.getAsObject())
          sum = added(sum, number(*fields, key));
    return sum;
  }

  static Value row_of(const Process &process, double end_us) {
    const Object &summary = process.summary;
    return Object{{"rank", process.rank},
                  {"node", process.node},
                  {"span", nanoseconds(end_us)},
                  {"constructs", sum_of(summary, "regions", "ns")},
                  {"kernels", sum_of(summary, "kernels", "ns")},
                  {"copies", sum_of(summary, "transfers", "ns")},
                  {"bytes", sum_of(summary, "transfers", "bytes")},
                  {"waitNs", number(summary, "waitNs")},
                  {"fallbacks", sum_of(summary, "fallbacks", "count")},
                  {"lost", process.lost}};
  }

  int64_t count_ = 0;
  Object about_;       ///< of the first process
  std::string events_; ///< as text, separated by commas
  Array memory_;
  Array ranks_;
  std::map<std::string_view, Table> tables_;
  int64_t wait_ns_ = 0;
  int64_t lost_ = 0;
};

} // namespace

/// Fails if two profiles are of one process: its events would count twice. The profiles of the processes have these
/// names.
static Status check_all_differ(const std::vector<Process> &processes, const std::vector<ProfileText> &profiles) {
  std::map<std::tuple<std::string, int64_t, int64_t>, size_t> known;
  for (size_t i = 0; i < processes.size(); ++i) {
    const Process &process = processes[i];
    if (!process.pid) // its omptarget did not tell it yet
      continue;
    const auto [first, is_new] = known.try_emplace({process.node, *process.pid, process.start_ns}, i);
    if (is_new)
      continue;
    const std::string &name = profiles[i].name, &first_name = profiles[first->second].name;
    if (name == first_name)
      return Status::error(format("%s is given twice", name.c_str()));
    return Status::error(format("%s and %s are profiles of one process, %lld on %s: give one of them",
                                first_name.c_str(), name.c_str(), static_cast<long long>(*process.pid),
                                printable_name(process.node).c_str()));
  }
  return Status::ok();
}

Result<std::string> merge_profiles(const std::vector<ProfileText> &profiles, Timeline timeline) {
  std::vector<Process> processes;
  int64_t earliest_ns = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < profiles.size(); ++i) {
    OMPTARGET_TRY_ASSIGN(Process process, read_process(profiles[i], i));
    earliest_ns = std::min(earliest_ns, process.start_ns);
    processes.push_back(std::move(process));
  }
  OMPTARGET_TRY(check_all_differ(processes, profiles));
  std::stable_sort(processes.begin(), processes.end(),
                   [](const Process &a, const Process &b) { return a.rank < b.rank; });
  Merger merger;
  for (Process &process : processes) {
    const uint64_t shift_ns = timeline == Timeline::kClocks
                                  ? static_cast<uint64_t>(process.start_ns) - static_cast<uint64_t>(earliest_ns)
                                  : 0;
    merger.add(std::move(process), static_cast<double>(shift_ns) / 1000.0);
  }
  return merger.take();
}

/// A text for a cell: in quotes, which are doubled inside.
static std::string quoted(llvm::StringRef text) {
  std::string cell = "\"";
  for (const char byte : text)
    cell += byte == '"' ? std::string("\"\"") : std::string(1, byte);
  return cell + "\"";
}

Result<std::string> summary_of_profile(const ProfileText &profile, bool as_json) {
  OMPTARGET_TRY_ASSIGN(const Parts parts, read_parts(profile));
  const Object *const root = parts.rest.getAsObject();
  const Object *const other = root ? root->getObject("otherData") : nullptr;
  const Object *const summary = other ? other->getObject("summary") : nullptr;
  if (!summary || other->getString("producer") != "omptarget")
    return damaged(profile, "is no profile that omptarget has written in Chrome's trace-event format");
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (as_json) {
    stream << llvm::formatv("{0:2}", Value(Object(*summary))) << "\n";
    return text;
  }
  stream << "table,name,place,detail,count,ns,longest,bytes,unchanged,unchangedBytes\n";
  for (const char *table : kTables)
    if (const Array *const rows = summary->getArray(table))
      for (const Value &row : *rows)
        if (const Object *const fields = row.getAsObject()) {
          stream << table;
          for (const char *key : {"name", "place", "detail"})
            stream << ',' << quoted(fields->getString(key).value_or(""));
          for (const char *key : {"count", "ns", "longest", "bytes", "unchanged", "unchangedBytes"})
            stream << ',' << number(*fields, key);
          stream << '\n';
        }
  return text;
}

} // namespace omptarget::profile_tool
