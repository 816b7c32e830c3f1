// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/mapping_notes.h"

#include <dlfcn.h>

#include "device/device.h"
#include "mapping/variable_name.h"
#include "observe/checks.h"

namespace omptarget {

namespace {

/// Returns how often the data were entered and not left; 0 of global variables, and of what the program associated.
uint32_t references(const HostDataToTargetMap::Snapshot &entry) {
  return (entry.dynamic_count == UINT32_MAX ? 0 : entry.dynamic_count) + entry.hold_count;
}

} // namespace

std::string mapped_data_text(const char *name, HostPtr begin, int64_t size) {
  const VariableName variable = parse_variable_name(name);
  if (is_unnamed(variable))
    return format("the %lld bytes at %p", static_cast<long long>(size), raw(begin));
  const std::string place = place_text(variable);
  return format("%.*s (%lld bytes)", static_cast<int>(variable.name.size()), variable.name.data(),
                static_cast<long long>(size)) +
         (place.empty() ? "" : ", declared" + place);
}

void note_absent(Device &device, const MapItems &items) {
  constexpr uint64_t kNoData =
      map_type::kLiteral | map_type::kPrivate | map_type::kAttach | map_type::kNonContiguous | map_type::kImplicit;
  for (const MapItem &item : items) {
    if (item.has(kNoData) || item.argument < 0 || item.size == 0 || device.uses_host_memory())
      continue;
    const Found found = device.map().find(item.begin, item.size);
    if (found.is_contained)
      continue;
    observe::report_finding("mapping-absent",
                            format("%s copies and releases nothing of %s on device %d: %s",
                                   observe::construct_text().c_str(),
                                   mapped_data_text(item.name, item.begin, item.size).c_str(), raw(device.id()),
                                   found.is_overlapped ? "only a part of it is mapped" : "it is not mapped"),
                            device.id());
  }
}

void note_beyond_block(DeviceId device, const char *name, HostPtr begin, int64_t size) {
  using FindBlock = bool(const void *address, const void **begin, size_t *size);
  static auto *const find_block = reinterpret_cast<FindBlock *>(dlsym(RTLD_DEFAULT, "omptarget_heap_block"));
  const void *block = nullptr;
  size_t block_size = 0;
  if (!find_block || !find_block(raw(begin), &block, &block_size))
    return;
  const int64_t present = static_cast<const char *>(block) + block_size - static_cast<const char *>(raw(begin));
  if (present < size)
    observe::report_finding("mapping-beyond",
                            format("%s maps %s to device %d, and the block of the host's memory at %p, of %zu bytes, "
                                   "ends %lld bytes earlier",
                                   observe::construct_text().c_str(), mapped_data_text(name, begin, size).c_str(),
                                   raw(device), block, block_size, static_cast<long long>(size - present)),
                            device);
}

void keep_names(Device &device, DataNames &names) {
  for (const HostDataToTargetMap::Snapshot &entry : device.map().snapshot())
    if (entry.name && references(entry) != 0)
      names[entry.begin] = mapped_data_text(entry.name, entry.begin, entry.end - entry.begin);
}

void note_never_released(Device &device, const DataNames &names) {
  for (const HostDataToTargetMap::Snapshot &entry : device.map().snapshot()) {
    const uint32_t count = references(entry);
    if (count == 0)
      continue;
    const auto kept = names.find(entry.begin);
    const std::string text = entry.name || kept == names.end()
                                 ? mapped_data_text(entry.name, entry.begin, entry.end - entry.begin)
                                 : kept->second;
    observe::report_finding("mapping-never-released",
                            format("%s is still mapped when device %d ends: it was entered %u time%s more often than "
                                   "left. 'target exit data map(release: ...)' leaves it",
                                   text.c_str(), raw(device.id()), count, count == 1 ? "" : "s"),
                            device.id());
  }
}

} // namespace omptarget
