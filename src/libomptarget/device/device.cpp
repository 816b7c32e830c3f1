// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/device.h"

#include <utility>

#include "base/kept_memory.h"
#include "base/log.h"
#include "base/sched_point.h"
#include "device/mapping_contents.h"
#include "observe/checks.h"
#include "observe/device_events.h"

namespace omptarget {

Device::Device(ModuleRegistry &modules, DeviceId id, const Plugin &plugin, int32_t local_id)
    : modules_(modules), id_(id), plugin_device_(plugin, local_id), lasts_(plugin.lasts()) {
  int64_t most_dormant_bytes = largest_kept_memory();
  if (observe::checks_mapping()) {
    follow_mapped_data();
    most_dormant_bytes = 0;
  }
  map_.dormant().limit(most_dormant_bytes);
}

Device::Loading::Loading(Device &device) : device_(device) {
  OMPTARGET_SCHED_POINT("load: about to lock");
  device_.load_mutex_.lock();
  OMPTARGET_SCHED_POINT("load: locked");
}

Device::Loading::~Loading() {
  OMPTARGET_SCHED_POINT("load: about to unlock");
  device_.load_mutex_.unlock();
  OMPTARGET_SCHED_POINT("load: unlocked");
  if (!OMPTARGET_PLANTED("closed-left-behind"))
    device_.unload_pending_if_free();
}

void Device::load_images(const Loading &) {
  const uint32_t generation = modules_.generation();
  // In this order: where one of these lies, a closed one may have lain, which was noted before.
  std::vector<std::shared_ptr<OffloadLibrary>> libraries = modules_.libraries();
  unload_pending();
  OMPTARGET_SCHED_POINT("load: old ones are gone");
  if (OMPTARGET_PLANTED("listed-late"))
    libraries = modules_.libraries();
  images_.load_new(libraries, uses_zero_copy());
  if (!has_ended())
    prepared_generation_.store(generation, std::memory_order_release);
}

Status Device::initialise(const Loading &) {
  const auto failed = [&] {
    return Status::error(initialisation_failure_).during(format("device %d cannot be initialised", raw(id_)));
  };
  if (!initialisation_failure_.empty()) // plugins are asked once
    return failed();
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, id_, "initialising device %d of plugin %s", local_id(),
                         plugin().name().c_str());
  if (Status status = plugin_device_.init_device(static_cast<int64_t>(modules_.requires_mask())); !status) {
    initialisation_failure_ = status.to_string();
    return failed();
  }
  uses_zero_copy_.store(plugin_device_.use_auto_zero_copy(), std::memory_order_relaxed);
  if (uses_zero_copy())
    OMPTARGET_TRACE_DEVICE(Topic::kDevice, id_, "mapped data is used in place, as the plugin says");
  is_initialised_.store(true, std::memory_order_release);
  const std::string arch = plugin_device_.device_arch();
  observe::report_memory_at_end(id_, [this] { return memory_use(); });
  observe::device_initialised(id_, arch.empty() ? plugin().name().c_str() : arch.c_str());
  return Status::ok();
}

std::optional<observe::DeviceMemory> Device::memory_use() const {
  const auto statistics = plugin_device_.memory_statistics();
  if (!statistics)
    return std::nullopt;
  return observe::DeviceMemory{id_,
                               statistics->allocations,
                               statistics->reused,
                               statistics->driver_allocations,
                               statistics->kept_bytes,
                               statistics->used_bytes,
                               statistics->most_used_bytes,
                               modules_.requires_unified_shared_memory() ? observe::MappedData::kUnified
                               : uses_zero_copy()                        ? observe::MappedData::kInPlace
                                                                         : observe::MappedData::kCopied};
}

/// The library's memory goes. Its global variables are looked for one by one, unless they are much of what is present.
void Device::forget_names(const OffloadLibrary &library) {
  const AddressRange &range = library.range;
  if (range.end == 0 || !is_initialised())
    return;
  const bool has_many = library.entries.size() > map_.size() / 16;
  map_.forget_names(range.begin, range.end, has_many);
  if (has_many)
    return;
  for (const Entry &entry : library.entries)
    if (entry.kind == EntryKind::kVariable || entry.kind == EntryKind::kLinkVariable)
      map_.forget_name_of_global(entry.address, range.begin, range.end);
}

void Device::unload(std::shared_ptr<OffloadLibrary> library) {
  forget_names(*library);
  pending_unloads_.lock()->push_back(std::move(library));
  OMPTARGET_SCHED_POINT("unload: noted");
  unload_pending_if_free();
}

/// Only the thread that holds the lock handles pending unloads. A thread that does not get it leaves them to the
/// holder, which looks again after giving it back (~Loading).
void Device::unload_pending_if_free() {
  while (!pending_unloads_.lock()->empty()) {
    std::unique_lock load(load_mutex_, std::try_to_lock);
    if (!load)
      return;
    OMPTARGET_SCHED_POINT("unload: locked");
    unload_pending();
  }
}

/// Takes them one at a time: unloading may open the lock, and the thread that gets it meanwhile must find what is
/// left before it loads anything.
void Device::unload_pending() {
  if (OMPTARGET_PLANTED("closed-taken-together"))
    for (const auto &library : std::exchange(*pending_unloads_.lock(), {}))
      images_.unload(*library, has_ended());
  const auto next = [this]() -> std::shared_ptr<OffloadLibrary> {
    auto pending = pending_unloads_.lock();
    if (pending->empty())
      return nullptr;
    std::shared_ptr<OffloadLibrary> library = std::move(pending->front());
    pending->erase(pending->begin());
    return library;
  };
  while (const std::shared_ptr<OffloadLibrary> library = next())
    images_.unload(*library, has_ended());
}

std::string Device::load_failure(const OffloadLibrary &library) {
  const Loading loading(*this);
  return images_.failure_of(library);
}

} // namespace omptarget
