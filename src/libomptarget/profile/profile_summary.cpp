// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "profile/profile_summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format.h"
#include "generations/names.h"
#include "observe/demangle.h"
#include "observe/source_text.h"
#include "profile/profile_sums.h"

namespace omptarget::observe {

namespace {

std::string place_text(const char *psource) {
  const SourcePlace place = construct_place(psource);
  return place.is_known() ? place.to_string() : std::string();
}

/// Rows by key, in the order of their first event.
class Table {
public:
  SummaryRow &row(const std::string &name, const std::string &place, const std::string &detail) {
    const auto [at, is_new] = index_.try_emplace({name, place, detail}, rows_.size());
    if (is_new)
      rows_.push_back({{}, name, place, detail});
    return rows_[at->second];
  }

  template <typename Key> std::vector<SummaryRow> by(Key key) {
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&](const SummaryRow &a, const SummaryRow &b) { return key(a) > key(b); });
    return std::move(rows_);
  }

private:
  std::map<std::tuple<std::string, std::string, std::string>, size_t> index_;
  std::vector<SummaryRow> rows_;
};

void add(SummaryRow &row, const EventSum &sum) {
  row.count += sum.count;
  row.total_ns += sum.total_ns;
  row.longest_ns = std::max(row.longest_ns, sum.longest_ns);
  row.bytes += sum.bytes;
}

bool is_host_copy(const ProfileEvent &event) {
  return event.kind == EventKind::kToDevice || event.kind == EventKind::kFromDevice;
}

class Summariser {
public:
  void add_event(const ProfileEvent &event) {
    EventSum sum{{1, event.duration(), event.duration(), event.bytes}, event};
    if (is_host_copy(event) && history_.is_unchanged(event)) {
      sum.unchanged_count = 1;
      sum.unchanged_bytes = event.bytes;
    }
    add_sum(sum);
  }

  void add_sum(const EventSum &sum) {
    const ProfileEvent &event = sum.event;
    switch (event.kind) {
    case EventKind::kTarget:
    case EventKind::kEnterData:
    case EventKind::kExitData:
    case EventKind::kUpdate: return add(regions_.row(event_kind_name(event.kind), place_of_region(event), ""), sum);
    case EventKind::kKernel: return add(kernels_.row(readable_name(event.name), place_text(event.place), ""), sum);
    case EventKind::kToDevice:
    case EventKind::kFromDevice: return add_copy(sum);
    case EventKind::kBetweenDevices:
      return add(transfers_.row(format("device %d", event.device), "", format("from device %d", event.source_device)),
                 sum);
    case EventKind::kFill: return add(transfers_.row(format("device %d", event.device), "", "filled"), sum);
    case EventKind::kWait: wait_ns_ += sum.total_ns; return;
    case EventKind::kHostFallback:
      return add(fallbacks_.row(readable_name(event.name), place_text(event.place), event.reason ? event.reason : ""),
                 sum);
    case EventKind::kAllocate:
    case EventKind::kDelete:
    case EventKind::kAssociate:
    case EventKind::kDisassociate: return;
    }
  }

  /// Kernels tell where regions are that have no place: those of flang 22.
  void note_kernel(const ProfileEvent &event) {
    if (event.kind == EventKind::kKernel && event.region != 0)
      kernel_of_region_.try_emplace(event.region, event.name);
  }

  Summary take() {
    const auto by_time = [](const SummaryRow &row) { return row.total_ns; };
    Summary summary;
    summary.regions = regions_.by(by_time);
    summary.kernels = kernels_.by(by_time);
    summary.transfers = transfers_.by(by_time);
    summary.variables = variables_.by(by_time);
    for (const SummaryRow &row : summary.variables)
      if (row.unchanged_count != 0)
        summary.repeated.push_back(row);
    std::stable_sort(summary.repeated.begin(), summary.repeated.end(),
                     [](const SummaryRow &a, const SummaryRow &b) { return a.unchanged_bytes > b.unchanged_bytes; });
    summary.fallbacks = fallbacks_.by([](const SummaryRow &row) { return row.count; });
    summary.wait_ns = wait_ns_;
    return summary;
  }

private:
  std::string place_of_region(const ProfileEvent &event) const {
    std::string place = place_text(event.place);
    if (const auto kernel = kernel_of_region_.find(event.region); place.empty() && kernel != kernel_of_region_.end())
      place = readable_name(kernel->second);
    return place.empty() && event.name ? readable_name(event.name) : place;
  }

  std::map<uint64_t, const char *> kernel_of_region_;
  void add_copy(const EventSum &sum) {
    const ProfileEvent &event = sum.event;
    const bool to_device = event.kind == EventKind::kToDevice;
    const std::string direction = to_device ? "to device" : "from device";
    add(transfers_.row(format("device %d", event.device), "", direction), sum);
    const VariableName variable = variable_name(event.name);
    SummaryRow &row =
        variables_.row(std::string(variable.name),
                       variable.place.is_known() ? variable.place.to_string() : place_text(event.place), direction);
    add(row, sum);
    row.unchanged_count += sum.unchanged_count;
    row.unchanged_bytes += sum.unchanged_bytes;
  }

  Table regions_, kernels_, transfers_, variables_, fallbacks_;
  CopyHistory history_;
  uint64_t wait_ns_ = 0;
};

} // namespace

Summary summarise(const Profile &profile) {
  Summariser summariser;
  for (const ProfileEvent &event : profile.events)
    summariser.note_kernel(event);
  for (const ProfileEvent &event : profile.events)
    summariser.add_event(event);
  for (const EventSum &sum : profile.sums)
    summariser.add_sum(sum);
  return summariser.take();
}

const char *mapped_data_text(MappedData mapped) {
  switch (mapped) {
  case MappedData::kCopied: return "copied";
  case MappedData::kUnified: return "used in place, as the program requires unified_shared_memory";
  case MappedData::kInPlace: return "used in place, as the plugin says";
  }
  return "";
}

std::string time_text(uint64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1000)
    return format("%.0f ns", value);
  if (ns < 1000000)
    return format("%.2f us", value / 1e3);
  if (ns < 1000000000)
    return format("%.2f ms", value / 1e6);
  return format("%.2f s", value / 1e9);
}

std::string bytes_text(uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < 1000)
    return format("%.0f B", value);
  if (bytes < 1000000)
    return format("%.2f kB", value / 1e3);
  if (bytes < 1000000000)
    return format("%.2f MB", value / 1e6);
  return format("%.2f GB", value / 1e9);
}

std::string rate_text(uint64_t bytes, uint64_t ns) {
  return ns == 0 ? "-" : format("%.2f GB/s", static_cast<double>(bytes) / static_cast<double>(ns));
}

const char *event_kind_name(EventKind kind) {
  switch (kind) {
  case EventKind::kTarget:
  case EventKind::kEnterData:
  case EventKind::kExitData:
  case EventKind::kUpdate: return construct_name(static_cast<ConstructKind>(kind));
  case EventKind::kKernel: return "kernel";
  case EventKind::kAllocate: return "allocate";
  case EventKind::kToDevice: return "copy to device";
  case EventKind::kFromDevice: return "copy from device";
  case EventKind::kDelete: return "free";
  case EventKind::kAssociate: return "associate";
  case EventKind::kDisassociate: return "disassociate";
  case EventKind::kBetweenDevices: return "copy between devices";
  case EventKind::kFill: return "fill";
  case EventKind::kWait: return "wait";
  case EventKind::kHostFallback: return "run on the host";
  }
  return "?";
}

} // namespace omptarget::observe
