// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.h"
#include "base/text_output.h"
#include "observe/demangle.h"
#include "profile/profile_summary.h"

namespace omptarget::observe {

namespace {

/// Columns of text, as wide as their widest cell; the first columns are flush left, numbers flush right.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) {
    for (std::string &cell : row)
      cell = printable_name(cell);
    rows_.push_back(std::move(row));
  }

  std::string text(size_t left_columns) const {
    std::vector<size_t> widths(rows_[0].size());
    for (const auto &row : rows_)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto &row : rows_) {
      std::string line = " ";
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - row[i].size(), ' ');
        line.append(" ").append(i < left_columns ? row[i] + space : space + row[i]).append(" ");
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    return text;
  }

private:
  std::vector<std::vector<std::string>> rows_;
};

constexpr std::string_view kLine = ", line ";

/// How short a kernel's name is made.
enum class NameLength { kFunction, kWithTemplateArguments, kWhole };

/// "f, line 12" of "void f<int>(int), line 12". Long names lose their middle.
std::string shortened(const std::string &name, NameLength length) {
  constexpr size_t kLongest = 48, kEnd = 16;
  const size_t line = name.rfind(kLine);
  if (line == std::string::npos)
    return name;
  std::string text = name.substr(0, line);
  if (length != NameLength::kWhole)
    text = short_symbol(text, length == NameLength::kWithTemplateArguments);
  if (text.size() > kLongest)
    text.replace(kLongest - kEnd, text.size() - kLongest, "...");
  return text + name.substr(line);
}

/// Shortens the kernels' names in a column, as far as rows can be told apart that have the same otherwise.
void shorten_names(std::vector<SummaryRow> &rows, std::string SummaryRow::*column) {
  const std::vector<SummaryRow> whole = rows;
  std::vector<size_t> left(rows.size());
  std::iota(left.begin(), left.end(), 0);
  const auto rest_of = [&](const SummaryRow &row) {
    return (column == &SummaryRow::name ? row.place : row.name) + "\n" + row.detail;
  };
  for (const NameLength length : {NameLength::kFunction, NameLength::kWithTemplateArguments, NameLength::kWhole}) {
    std::map<std::string, size_t> seen;
    for (const size_t i : left) {
      rows[i].*column = shortened(whole[i].*column, length);
      ++seen[rows[i].*column + "\n" + rest_of(rows[i])];
    }
    std::erase_if(left, [&](size_t i) { return seen[rows[i].*column + "\n" + rest_of(rows[i])] == 1; });
  }
  for (const size_t i : left)
    rows[i].*column = whole[i].*column;
}

std::string timed(const char *title, std::vector<SummaryRow> rows, std::string SummaryRow::*column) {
  if (rows.empty())
    return {};
  shorten_names(rows, column);
  TextTable table({"name", "place", "count", "total", "average", "longest"});
  for (const SummaryRow &row : rows)
    table.add({row.name, row.place, std::to_string(row.count), time_text(row.total_ns),
               time_text(row.total_ns / row.count), time_text(row.longest_ns)});
  return std::string(title) + "\n" + table.text(2);
}

std::string copied(const char *title, const std::vector<SummaryRow> &rows) {
  if (rows.empty())
    return {};
  TextTable table({"what", "place", "direction", "count", "bytes", "time", "rate"});
  for (const SummaryRow &row : rows)
    table.add({row.name, row.place, row.detail, std::to_string(row.count), bytes_text(row.bytes),
               time_text(row.total_ns), rate_text(row.bytes, row.total_ns)});
  return std::string(title) + "\n" + table.text(3);
}

} // namespace

std::string profile_as_text(const Profile &profile) {
  Summary summary = summarise(profile);
  std::string text = format("omptarget profile: %zu events", profile.events.size());
  if (const uint64_t summed = profile.summed(); summed != 0)
    text = format("omptarget profile: %llu events", static_cast<unsigned long long>(profile.events.size() + summed));
  text += "\n";
  text += timed("Constructs", summary.regions, &SummaryRow::place) +
          timed("Kernels", summary.kernels, &SummaryRow::name) + copied("Copies", summary.transfers) +
          copied("Copies by variable", summary.variables);
  if (!summary.repeated.empty()) {
    TextTable table({"variable", "place", "direction", "unchanged", "of", "bytes"});
    for (const SummaryRow &row : summary.repeated)
      table.add({row.name, row.place, row.detail, std::to_string(row.unchanged_count), std::to_string(row.count),
                 bytes_text(row.unchanged_bytes)});
    text += "Copied although nothing had changed (by samples of the data)\n" + table.text(3);
  }
  if (!summary.fallbacks.empty()) {
    shorten_names(summary.fallbacks, &SummaryRow::name);
    TextTable table({"region", "place", "why", "count"});
    for (const SummaryRow &row : summary.fallbacks)
      table.add({row.name, row.place, row.detail, std::to_string(row.count)});
    text += "Regions that ran on the host\n" + table.text(3);
  }
  if (!profile.memory.empty()) {
    TextTable table({"device", "allocations", "of kept memory", "from the driver", "most in use", "in use at the end",
                     "kept at the end"});
    for (const DeviceMemory &memory : profile.memory)
      table.add({std::to_string(raw(memory.device)), std::to_string(memory.allocations), std::to_string(memory.reused),
                 std::to_string(memory.driver_allocations), bytes_text(memory.most_used_bytes),
                 bytes_text(memory.used_bytes), bytes_text(memory.kept_bytes)});
    text += "Device memory\n" + table.text(1);
    for (const DeviceMemory &memory : profile.memory)
      if (memory.mapped != MappedData::kCopied)
        text += format("Mapped data of device %d: %s\n", raw(memory.device), mapped_data_text(memory.mapped));
  }
  if (summary.wait_ns != 0)
    text += "Waiting for devices: " + time_text(summary.wait_ns) + "\n";
  text.pop_back();
  return text;
}

} // namespace omptarget::observe
