// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_contents.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/guarded.h"
#include "base/thread_object.h"
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
  kHosts,   ///< host and device had the same value
  kDevices, ///< the same, and a kernel has written another one since
  kOther,   ///< it came from elsewhere, such as the address in an attached pointer
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

/// The attached pointers in mapped data.
std::vector<AttachedPointer> pointers_in(DeviceId id, HostPtr begin, int64_t size) {
  Device *const device = Runtime::get().known_device(raw(id));
  const Found found = device ? device->map().find(begin, size) : Found{};
  if (!found.is_contained || !found.ref.mapping->has_attached_pointers())
    return {};
  return device->map().attached_pointers().in(found.ref, begin, size);
}

bool was_hosts(Known known) { return known == Known::kHosts || known == Known::kDevices; }

/// The bytes on the device that were the host's, with nothing between them: nobody may have written the others. Nothing
/// if there are none.
std::optional<Bytes> read_known(DeviceId id, DevicePtr target, const Contents &contents) {
  Bytes bytes(contents.bytes.size());
  bool has_some = false;
  for (auto at = contents.known.begin(); at != contents.known.end();) {
    const auto first = std::find_if(at, contents.known.end(), was_hosts);
    at = std::find_if_not(first, contents.known.end(), was_hosts);
    if (first == at)
      continue;
    const auto offset = first - contents.known.begin();
    const auto part = read_device(id, target + offset, at - first);
    if (!part)
      return std::nullopt;
    std::ranges::copy(*part, bytes.begin() + offset);
    has_some = true;
  }
  return has_some ? std::optional(std::move(bytes)) : std::nullopt;
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
    if (static_cast<const void *>(raw(facts.begin)) == raw(facts.target))
      return; // the host's memory itself
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
    std::vector<AttachedPointer> pointers; // which keep the host's values
    if (is_from) {
      there = read_device(facts.device, target, facts.bytes);
      pointers = pointers_in(facts.device, host_ptr(facts.host), facts.bytes);
    }
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
    for (const AttachedPointer &pointer : pointers) {
      const int64_t begin = std::max<int64_t>(pointer.host_address - contents.begin, offset);
      const int64_t end =
          std::min<int64_t>(pointer.host_address - contents.begin + static_cast<int64_t>(sizeof pointer.host_value),
                            offset + static_cast<int64_t>(size));
      if (begin < end)
        std::fill(contents.known.begin() + begin, contents.known.begin() + end, Known::kOther);
    }
  }

  void used(DeviceId device, std::span<const MappedItem> items) override {
    suspects().clear();
    for (const MappedItem &item : items)
      if ((item.type & map_type::kTo) || item.bytes == 0)
        look_for_older(device, item);
  }

  void ran(DeviceId device) override {
    for (const Suspect &suspect : std::exchange(suspects(), {}))
      look_at_suspect(device, suspect);
  }

  void removed(DeviceId device, const MappingFacts &facts) override {
    Records::node_type node = records_.lock()->extract({raw(device), facts.target});
    if (node.empty())
      return;
    const Contents &contents = node.mapped();
    const auto there = read_known(device, facts.target, contents);
    const auto here = read_host(contents.begin, contents.size());
    if (!there || !here)
      return;
    const std::string range = range_text({0, contents.size()}, [&](size_t i) {
      return was_hosts(contents.known[i]) && (*there)[i] != contents.bytes[i] && (*there)[i] != (*here)[i];
    });
    if (!range.empty() && is_news("dropped", contents))
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
  /// Data that a region gets although the host has changed them since they were copied.
  struct Suspect {
    Key key;
    Part part;
    Bytes here; ///< the host's, of the part
  };
  /// Those of the region that the calling thread carries out.
  static std::vector<Suspect> &suspects() { return ThreadObject<std::vector<Suspect>, MappingContents>::get(); }

  static bool is_older(const Contents &copy, const Suspect &suspect, size_t i) {
    const size_t at = static_cast<size_t>(suspect.part.begin) + i;
    return copy.known[at] == Known::kHosts && copy.bytes[at] != suspect.here[i];
  }

  /// Returns whether the region has changed more of the older words than it has left alone. A new value may be the same
  /// as the old one.
  static bool is_overwritten(const Contents &copy, const Suspect &suspect, const Bytes &there) {
    constexpr size_t kWord = 4;
    const auto begin = static_cast<size_t>(suspect.part.begin), size = static_cast<size_t>(suspect.part.size);
    size_t changed = 0, kept = 0;
    for (size_t first = 0; first < size; first += kWord) {
      bool is_changed = false, is_old = false;
      for (size_t i = first; i < std::min(first + kWord, size); ++i) {
        is_changed |= there[begin + i] != copy.bytes[begin + i];
        is_old |= is_older(copy, suspect, i);
      }
      (is_changed ? changed : kept) += is_old;
    }
    return changed > kept;
  }

  /// Tells a construct and a variable once, whatever bytes it is about.
  bool is_news(const char *what, const Contents &contents) {
    return told_.lock()->insert(what + (" " + observe::construct_text()) + " " + text_of(contents)).second;
  }

  void look_for_older(DeviceId device, const MappedItem &item) {
    auto records = records_.lock();
    const auto place = find_record(*records, device, item.target);
    if (place == records->end())
      return;
    const Contents &copy = place->second;
    Part part{0, copy.size()};
    if (item.bytes != 0)
      part = {item.target - place->first.second, item.bytes};
    part.size = std::min(part.size, copy.size() - part.begin);
    auto here = read_host(copy.begin + part.begin, part.size);
    if (!here)
      return;
    Suspect suspect{place->first, part, std::move(*here)};
    if (!range_text(part, [&](size_t i) { return is_older(copy, suspect, i); }).empty())
      suspects().push_back(std::move(suspect));
  }

  /// The region has not used an older copy of what it has overwritten.
  void look_at_suspect(DeviceId device, const Suspect &suspect) {
    std::optional<Contents> copy;
    {
      auto records = records_.lock();
      const auto place = records->find(suspect.key);
      if (place != records->end())
        copy = place->second;
    }
    const auto there = copy ? read_known(device, suspect.key.second, *copy) : std::nullopt;
    if (!there || copy->size() < suspect.part.begin + suspect.part.size)
      return;
    const bool is_gone = is_overwritten(*copy, suspect, *there);
    note_written(suspect, *copy, *there, is_gone);
    const std::string range = range_text(suspect.part, [&](size_t i) { return is_older(*copy, suspect, i); });
    if (!is_gone && is_news("older", *copy))
      observe::report_finding("mapping-older",
                              format("%s uses an older copy of %s of %s on device %d: the host has changed that since. "
                                     "'target update to(%s)' copies it",
                                     observe::construct_text().c_str(), range.c_str(), text_of(*copy).c_str(),
                                     raw(device), clause_text(*copy).c_str()),
                              device);
  }

  /// Notes bytes that the kernel has written, which are no older copy from now on: all, or those that differ.
  void note_written(const Suspect &suspect, const Contents &before, const Bytes &there, bool is_all) {
    auto records = records_.lock();
    const auto place = records->find(suspect.key);
    if (place == records->end() || place->second.size() != before.size())
      return;
    std::vector<Known> &known = place->second.known;
    const auto begin = static_cast<size_t>(suspect.part.begin);
    for (size_t i = 0; i < suspect.here.size(); ++i)
      if (is_older(before, suspect, i) && (is_all || there[begin + i] != before.bytes[begin + i]))
        known[begin + i] = Known::kDevices;
  }

  Guarded<std::set<std::string>> told_;
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
