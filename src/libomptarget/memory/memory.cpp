// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "memory/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "device/missing_variables.h"
#include "device/runtime.h"
#include "device/shared_blocks.h"
#include "memory/allocated_memory.h"
#include "memory/memory_spaces.h"
#include "observe/construct_events.h"

namespace omptarget {

using observe::DataOperation;
using observe::DataOperationKind;

namespace {

/// Nothing can be present or pinned there any more.
bool has_ended(int32_t number) { return Runtime::get().ended_device(number) != nullptr; }

Status out_of_range(int32_t number, int32_t count) {
  return Status::fatal(number, format("Device number '%d' out of range, only %d devices available", number, count));
}

std::string owner_text(int32_t owner) { return owner == kHostOwner ? "the host" : format("device %d", owner); }

/// Fails, and nothing has changed, if another device has allocated the block.
Status take_from_owner(const void *block, int32_t owner) {
  const std::optional<int32_t> other = remove_owner(block, owner);
  if (!other || has_ended(*other))
    return Status::ok();
  return Status::error(format("the memory at %p is that of %s, and cannot be freed on %s", block,
                              owner_text(*other).c_str(), owner_text(owner).c_str()));
}

} // namespace

Result<DeviceUse> api_device(int32_t number) {
  Runtime &runtime = Runtime::get();
  const int32_t count = runtime.number_of_devices();
  if (number == -1 || number == count)
    return DeviceUse();
  if (number < 0 || number > count)
    return out_of_range(number, count);
  auto device = runtime.device(static_cast<DeviceId>(number));
  if (device.is_ok() && !*device && has_ended(number))
    return Status::error(format("device %d has ended, since the program ends", number));
  return device;
}

Result<void *> allocate_memory(size_t size, int32_t device_number, int32_t kind) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (size == 0)
    return static_cast<void *>(nullptr);
  if (!fits_in_memory(nullptr, size))
    return Status::error(
        format("device %d cannot allocate %zu bytes: that is more than an address space has", device_number, size));
  void *memory = nullptr;
  if (!device) {
    memory = std::malloc(size);
    if (!memory)
      return Status::error(format("%zu bytes of host memory could not be allocated", size));
  } else {
    DataOperation operation(
        {DataOperationKind::kAllocate, device->id(), nullptr, nullptr, static_cast<int64_t>(size), nullptr});
    OMPTARGET_TRY_ASSIGN(memory, device->allocate(static_cast<int64_t>(size), nullptr, kind));
    operation.set_target(memory);
    note_allocated(device->id(), memory, size);
  }
  add_owner(memory, device ? device_number : kHostOwner);
  if (kind == OMPTARGET_ALLOC_HOST || kind == OMPTARGET_ALLOC_SHARED)
    add_shared_block({memory, size, device_number});
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_number, "allocated %zu bytes of kind %d at %p", size, kind, memory);
  return memory;
}

Status free_memory(void *pointer, int32_t device_number, int32_t kind) {
  if (!pointer)
    return Status::ok();
  if (has_ended(device_number))
    return Status::ok(); // the memory has gone with the device
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_number, "freeing %p", pointer);
  OMPTARGET_TRY(take_from_owner(pointer, device ? device_number : kHostOwner));
  remove_shared_block(pointer); // first: once it is free another thread may get it
  if (device) {
    const DataOperation operation({DataOperationKind::kDelete, device->id(), nullptr, pointer, 0, nullptr});
    forget_allocated(device->id(), pointer);
    return device->plugin_device().data_delete(pointer, kind);
  }
  std::free(pointer);
  return Status::ok();
}

Result<bool> is_accessible(const void *pointer, size_t size, int32_t device_number) {
  if (has_ended(device_number))
    return false;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer || !fits_in_memory(pointer, size))
    return false;
  return !device || device->reaches_host_memory() || is_shared_with(*device, pointer, size);
}

namespace {
/// The creator of associations, which tells them from global variables.
constexpr char kAssociated = 0;
} // namespace

Status associate(const void *host, const void *target, size_t offset, size_t size, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  size_t end = 0;
  if (!device || !host || !target || size == 0)
    return Status::error(format("host address %p cannot be associated with %zu bytes at %p of device %d", host, size,
                                target, device_number));
  if (!fits_in_memory(host, size))
    return Status::error(
        format("%zu bytes at host address %p, which are to be associated, reach out of the address space", size, host));
  if (__builtin_add_overflow(offset, size, &end) || !fits_in_memory(target, end))
    return Status::error(
        format("%zu bytes at offset %zu of %p of device %d, which are to be associated, reach out of the "
               "address space",
               size, offset, target, device_number));
  target = static_cast<const char *>(target) + offset;
  const HostPtr begin = host_ptr(host);
  OMPTARGET_TRY(check_variable(*device, begin));
  const NewRange range{begin, begin + static_cast<int64_t>(size), begin, nullptr, &kAssociated, Counter::kDynamic};
  const DataOperation operation({DataOperationKind::kAssociate, device->id(), host, const_cast<void *>(target),
                                 static_cast<int64_t>(size), nullptr});
  if (device->map().insert_infinite(range, device_ptr(target)))
    return Status::ok();
  const Found found = device->map().find(begin, static_cast<int64_t>(size));
  if (found.is_contained && found.ref.mapping->is_created_by(&kAssociated) &&
      MappingState::count(found.state) == MappingState::kInfinite && target_of(found.ref, begin) == device_ptr(target))
    return Status::ok(); // the same once more, or a part of it
  return Status::error(
      format("host address %p (%zu bytes) is present on device %d already", host, size, device_number));
}

Status disassociate(const void *host, int32_t device_number) {
  if (has_ended(device_number))
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (device && host) {
    const DataOperation operation({DataOperationKind::kDisassociate, device->id(), host, nullptr, 0, nullptr});
    if (device->map().remove_infinite(host_ptr(host), &kAssociated).is_removed)
      return Status::ok();
  }
  // Held by a construct whose map clause says so (ompx_hold): it goes with that.
  const Found found = device && host ? device->map().find(host_ptr(host), 1) : Found{};
  const bool is_held = found.is_contained && found.begin == host_ptr(host) &&
                       found.ref.mapping->is_created_by(&kAssociated) && (found.state & MappingState::kHeld) != 0;
  return Status::error(format(is_held ? "host address %p is associated with memory of device %d and held by a construct"
                                      : "host address %p is not associated with memory of device %d",
                              host, device_number));
}

Result<void *> lock_memory(void *pointer, size_t size, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer || size == 0)
    return static_cast<void *>(nullptr);
  if (!fits_in_memory(pointer, size))
    return Status::error(
        format("%zu bytes at host address %p, which are to be pinned, reach out of the address space", size, pointer));
  return device ? device->plugin_device().data_lock(pointer, static_cast<int64_t>(size)) : pointer;
}

Status unlock_memory(void *pointer, int32_t device_number) {
  if (has_ended(device_number))
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  return device && pointer ? device->plugin_device().data_unlock(pointer) : Status::ok();
}

namespace {

/// One byte: a lookup of size 0 would also find storage that only has this pointer as its base.
Found find_byte(Device &device, const void *pointer) {
  const HostPtr begin = host_ptr(pointer);
  const Found found = device.map().find(begin, 1);
  if (found.is_contained && observe::reports_mappings()) {
    observe::mapping_looked_up(device.id(), facts_of(*found.ref.mapping, begin, 1, nullptr));
  }
  return found;
}

/// The same, where nobody hears of it and it takes no search.
MappingRef guess_byte(Device &device, const void *pointer) {
  return observe::reports_mappings() ? MappingRef{} : device.map().guess_arrived(host_ptr(pointer), 1);
}

/// Returns false. Where offloading is mandatory, fails for a variable whose image is not on the device. The cause was
/// told when the image was to be loaded.
Result<bool> absent(Device &device, const void *pointer) {
  Status status = check_variable(device, host_ptr(pointer));
  if (!status && Runtime::get().is_mandatory())
    return Status::fatal(1, status.to_string());
  status.consume();
  return false;
}

bool has_byte(Device &device, const void *pointer) {
  return guess_byte(device, pointer) || find_byte(device, pointer).is_contained;
}

} // namespace

Result<void *> mapped_address(const void *pointer, int32_t device_number) {
  if (has_ended(device_number))
    return static_cast<void *>(nullptr);
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer || !device)
    return const_cast<void *>(pointer);
  MappingRef ref = guess_byte(*device, pointer);
  if (!ref) {
    const Found found = find_byte(*device, pointer);
    if (!found.is_contained) {
      OMPTARGET_TRY(absent(*device, pointer).take_status());
      return static_cast<void *>(nullptr);
    }
    ref = found.ref;
  }
  const std::optional<DevicePtr> target = target_of(ref, host_ptr(pointer));
  return target ? raw(*target) : nullptr; // removed since it was found, or not there yet
}

Result<bool> is_present(const void *pointer, int32_t device_number) {
  if (Device *const prepared = Runtime::get().prepared_device(device_number))
    if (const DeviceUse device(*prepared); device)
      if (const bool is_there = pointer && has_byte(*device, pointer); is_there || !device->lacks_images())
        return is_there;
  if (has_ended(device_number))
    return false;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer)
    return false;
  if (!device || has_byte(*device, pointer))
    return true;
  return absent(*device, pointer);
}

namespace {

constexpr int32_t kInvalidDevice = -2; // omp_invalid_device
constexpr const char *kHostUid = "HOST";

/// The names that were given out, which must live for ever. No lock: a fork may come at any time.
constinit std::atomic<const std::string *> known_uids[kMaxDevices] = {};

std::string make_uid(const Device &device) {
  std::string uid = device.plugin_device().device_uid();
  return uid.empty() ? format("%s-%d", device.plugin().name().c_str(), device.local_id()) : uid;
}

} // namespace

const char *uid_of_device(int32_t device_number) {
  auto device = api_device(device_number);
  if (!device) {
    device.take_status().consume();
    return nullptr;
  }
  if (!*device)
    return kHostUid;
  auto &known = known_uids[raw((*device)->id())];
  const std::string *uid = known.load(std::memory_order_acquire);
  if (!uid) {
    auto made = std::make_unique<const std::string>(make_uid(**device));
    if (known.compare_exchange_strong(uid, made.get(), std::memory_order_acq_rel, std::memory_order_acquire))
      uid = made.release();
  }
  return uid->c_str();
}

int32_t device_of_uid(const char *uid) {
  if (!uid)
    return kInvalidDevice;
  const int32_t count = Runtime::get().number_of_devices();
  if (std::strcmp(uid, kHostUid) == 0)
    return count;
  for (int32_t i = 0; i < count; ++i)
    if (const char *known = uid_of_device(i); known && std::strcmp(uid, known) == 0)
      return i;
  return kInvalidDevice;
}

Result<size_t> group_memory_limit(int32_t device_number, int32_t group) {
  constexpr int32_t kContentionGroup = 0;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!device || group != kContentionGroup)
    return size_t{0};
  return device->plugin_device().group_memory_limit();
}

Status trim_memory(int32_t device_number) {
  Runtime &runtime = Runtime::get();
  const bool are_all = device_number == kAllDevices;
  const int32_t count = are_all ? runtime.number_of_devices_so_far() : runtime.number_of_devices();
  if (!are_all && (device_number < -1 || device_number > count))
    return out_of_range(device_number, count);
  Status status;
  for (int32_t i = 0; i < count; ++i) {
    Device *const device = are_all || i == device_number ? runtime.known_device(i) : nullptr;
    if (!device || !device->is_initialised())
      continue;
    if (const DeviceUse use(*device); use)
      status.keep_first(use->trim_memory());
  }
  return status;
}

} // namespace omptarget
