// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_contents.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

#include "base/format.h"
#include "base/guarded.h"
#include "device/device.h"
#include "device/mapping_notes.h"
#include "device/runtime.h"
#include "mapping/variable_name.h"
#include "observe/checks.h"

namespace omptarget {

namespace {

using Bytes = std::vector<uint8_t>;
using observe::DataOperationFacts;
using observe::DataOperationKind;
using observe::MappedItem;
using observe::MappingFacts;

/// Knowledge of a byte on the device.
enum class Known : uint8_t {
  kNothing,
  kHosts, ///< host and device had the same value
  kOther, ///< it came from elsewhere, such as the address in an attached pointer
};

/// Mapped data as the device had them after the last copy.
struct Contents {
  HostPtr begin{};
  std::string name; ///< as compilers write it
  Bytes bytes;
  std::vector<Known> known; ///< of each byte
  int64_t size() const { return static_cast<int64_t>(bytes.size()); }
};

/// A part of mapped data.
struct Part {
  int64_t begin = 0, size = 0;
};

using Key = std::pair<int32_t, DevicePtr>; ///< device, and where the data begin there
using Records = std::map<Key, Contents>;

/// The record that holds the address; records.end() if none does.
Records::iterator find_record(Records &records, DeviceId device, DevicePtr target) {
  auto place = records.upper_bound({raw(device), target});
  if (place == records.begin())
    return records.end();
  --place;
  const bool is_inside = place->first.first == raw(device) && target - place->first.second < place->second.size();
  return is_inside ? place : records.end();
}

/// The host's bytes, or nothing: the program may have freed them.
std::optional<Bytes> read_host(HostPtr begin, int64_t size) {
  Bytes bytes(static_cast<size_t>(size));
  const iovec to{bytes.data(), bytes.size()}, from{raw(begin), bytes.size()};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != static_cast<ssize_t>(size))
    return std::nullopt;
  return bytes;
}

std::optional<Bytes> read_device(DeviceId id, DevicePtr begin, int64_t size) {
  const Device *const device = Runtime::get().known_device(raw(id));
  Bytes bytes(static_cast<size_t>(size));
  if (!device)
    return std::nullopt;
  if (Status status = device->plugin_device().data_retrieve(bytes.data(), raw(begin), size, nullptr); !status) {
    status.consume(); // the construct meets it as well
    return std::nullopt;
  }
  return bytes;
}

/// "bytes 8 to 15" from the first to the last byte that differs; empty if none does.
template <typename Differs> std::string range_text(Part part, Differs differs) {
  int64_t first = -1, last = -1;
  for (int64_t i = 0; i < part.size; ++i)
    if (differs(static_cast<size_t>(i))) {
      first = first < 0 ? i : first;
      last = i;
    }
  if (first < 0)
    return {};
  const auto from = static_cast<long long>(part.begin + first), to = static_cast<long long>(part.begin + last);
  return first == last ? format("byte %lld", from) : format("bytes %lld to %lld", from, to);
}

std::string text_of(const Contents &contents) {
  return mapped_data_text(contents.name.c_str(), contents.begin, contents.size());
}

/// The variable for a clause.
std::string clause_text(const Contents &contents) {
  const VariableName variable = parse_variable_name(contents.name.c_str());
  return is_unnamed(variable) ? "..." : std::string(variable.name);
}

class MappingContents final : public observe::ContentsListener {
public:
  void created(DeviceId device, const MappingFacts &facts) override {
    note_beyond_block(device, facts.name, facts.begin, facts.size);
    const auto size = static_cast<size_t>(facts.size);
    (*records_.lock())[{raw(device), facts.target}] = {facts.begin, facts.name ? facts.name : "", Bytes(size),
                                                       std::vector<Known>(size, Known::kNothing)};
  }

  void moved(const DataOperationFacts &facts) override {
    const bool is_to = facts.kind == DataOperationKind::kToDevice,
               is_from = facts.kind == DataOperationKind::kFromDevice;
    const bool is_ours = facts.kind == DataOperationKind::kFill || facts.kind == DataOperationKind::kBetweenDevices;
    if ((!is_to && !is_from && !is_ours) || facts.bytes <= 0)
      return;
    const DevicePtr target = device_ptr(facts.target);
    std::optional<Bytes> there;
    if (is_from)
      there = read_device(facts.device, target, facts.bytes);
    auto records = records_.lock();
    const auto place = find_record(*records, facts.device, target);
    if (place == records->end())
      return;
    Contents &contents = place->second;
    const int64_t offset = target - place->first.second;
    const auto size = static_cast<size_t>(std::min(facts.bytes, contents.size() - offset));
    const bool is_hosts = host_ptr(facts.host) == contents.begin + offset;
    const bool is_known = is_to || there;
    if (is_known)
      std::memcpy(&contents.bytes[static_cast<size_t>(offset)], is_to ? facts.host : there->data(), size);
    std::fill_n(contents.known.begin() + offset, size,
                !is_known || is_ours ? Known::kNothing
                : is_hosts           ? Known::kHosts
                                     : Known::kOther);
  }

  void used(DeviceId device, std::span<const MappedItem> items) override {
    for (const MappedItem &item : items)
      if ((item.type & map_type::kTo) || item.bytes == 0)
        look_for_older(device, item);
  }

  void removed(DeviceId device, const MappingFacts &facts) override {
    Records::node_type node = records_.lock()->extract({raw(device), facts.target});
    if (node.empty())
      return;
    const Contents &contents = node.mapped();
    if (std::ranges::find(contents.known, Known::kHosts) == contents.known.end())
      return;
    const auto there = read_device(device, facts.target, contents.size());
    const auto here = read_host(contents.begin, contents.size());
    if (!there || !here)
      return;
    const std::string range = range_text({0, contents.size()}, [&](size_t i) {
      return contents.known[i] == Known::kHosts && (*there)[i] != contents.bytes[i] && (*there)[i] != (*here)[i];
    });
    if (!range.empty())
      observe::report_finding("mapping-dropped",
                              format("%s drops what device %d wrote to %s of %s: nothing has copied that back. "
                                     "'map(tofrom: %s)' or 'target update from(%s)' does",
                                     observe::construct_text().c_str(), raw(device), range.c_str(),
                                     text_of(contents).c_str(), clause_text(contents).c_str(),
                                     clause_text(contents).c_str()),
                              device);
  }

  std::mutex &mutex_for_fork() { return records_.mutex_for_fork(); }

private:
  void look_for_older(DeviceId device, const MappedItem &item) {
    std::optional<Contents> copy;
    Part part;
    {
      auto records = records_.lock();
      const auto place = find_record(*records, device, item.target);
      if (place == records->end())
        return;
      copy = place->second;
      if (item.bytes == 0)
        part = {0, copy->size()};
      else
        part = {item.target - place->first.second, item.bytes};
      part.size = std::min(part.size, copy->size() - part.begin);
    }
    const auto here = read_host(copy->begin + part.begin, part.size);
    if (!here)
      return;
    const std::string range = range_text(part, [&](size_t i) {
      const size_t at = static_cast<size_t>(part.begin) + i;
      return copy->known[at] == Known::kHosts && copy->bytes[at] != (*here)[i];
    });
    if (!range.empty())
      observe::report_finding("mapping-older",
                              format("%s uses an older copy of %s of %s on device %d: the host has changed that since. "
                                     "'target update to(%s)' copies it",
                                     observe::construct_text().c_str(), range.c_str(), text_of(*copy).c_str(),
                                     raw(device), clause_text(*copy).c_str()),
                              device);
  }

  Guarded<Records> records_;
};

MappingContents &mapping_contents() {
  static MappingContents &contents = *new MappingContents; // used until the process ends
  return contents;
}

} // namespace

void follow_mapped_data() { observe::follow_contents(mapping_contents()); }

std::mutex &mapping_contents_mutex_for_fork() { return mapping_contents().mutex_for_fork(); }

} // namespace omptarget
