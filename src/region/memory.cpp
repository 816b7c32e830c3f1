// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <llvm/ADT/SmallVector.h>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "device/runtime.h"
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
  }
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
  if (device) {
    const DataOperation operation({DataOperationKind::kDelete, device->id(), nullptr, pointer, 0, nullptr});
    return device->plugin_device().data_delete(pointer, kind);
  }
  std::free(pointer);
  return Status::ok();
}

namespace {

/// Copies between two places, any of which may be the host.
class Copier {
public:
  Copier(Device *to, Device *from) : to_(to), from_(from) {
    if (Device *const device = from ? from : to)
      queue_.emplace(device->plugin_device());
  }

  Status copy(void *destination, const void *source, int64_t bytes) {
    if (!to_ && !from_) {
      std::memmove(destination, source, static_cast<size_t>(bytes));
      return Status::ok();
    }
    if (!from_) {
      const DataOperation operation({DataOperationKind::kToDevice, to_->id(), source, destination, bytes, nullptr});
      return to_->plugin_device().data_submit(destination, source, bytes, queue());
    }
    if (!to_) {
      const DataOperation operation(
          {DataOperationKind::kFromDevice, from_->id(), destination, const_cast<void *>(source), bytes, nullptr});
      return from_->plugin_device().data_retrieve(destination, source, bytes, queue());
    }
    return between_devices(destination, source, bytes);
  }

  /// Waits for the copies, whether or not one of them failed when it was queued: then copied is that failure.
  Status finish(Status copied) {
    if (queue_)
      copied.keep_first(queue_->complete());
    return copied;
  }

private:
  Queue *queue() { return queue_ ? queue_->get() : nullptr; }

  Status between_devices(void *destination, const void *source, int64_t bytes) {
    const DataOperation operation(
        {DataOperationKind::kBetweenDevices, to_->id(), source, destination, bytes, nullptr, from_->id()});
    const PluginDevice &from = from_->plugin_device();
    if (from.can_exchange(to_->plugin_device()))
      return from.data_exchange(source, to_->plugin_device(), destination, bytes, queue());
    const std::unique_ptr<std::byte[]> buffer(new std::byte[static_cast<size_t>(bytes)]);
    OMPTARGET_TRY(from.data_retrieve(buffer.get(), source, bytes, nullptr));
    return to_->plugin_device().data_submit(destination, buffer.get(), bytes, nullptr);
  }

  Device *const to_;
  Device *const from_;
  std::optional<OwnedQueue> queue_; ///< of from_, or else of to_; none for copies on the host
};

/// A rectangle in bytes: blocks of equal size, nested. Distances are those of one index.
struct Strides {
  llvm::SmallVector<size_t, 8> distances; ///< outermost first
  size_t offset = 0;                      ///< of the first element
};

/// False if a size overflows.
bool strides_of(const Rectangle &rectangle, const RectangleShape &shape, Strides &result) {
  const auto count = static_cast<size_t>(shape.dimensions);
  result.distances.assign(count, 0);
  size_t distance = shape.element_size;
  for (size_t i = count; i-- > 0;) {
    result.distances[i] = distance;
    size_t extent;
    if (__builtin_mul_overflow(rectangle.offsets[i], distance, &extent) ||
        __builtin_add_overflow(result.offset, extent, &result.offset))
      return false;
    if (i > 0 && __builtin_mul_overflow(distance, rectangle.dimensions[i], &distance))
      return false;
  }
  return true;
}

struct RectangleCopy {
  Copier &copier;
  const size_t *volume;
  size_t levels; ///< how many of the outer dimensions are repeated; the rest is one block
  size_t block;
  Strides to;
  Strides from;

  Status run(size_t level, char *destination, const char *source) {
    if (level == levels)
      return copier.copy(destination, source, static_cast<int64_t>(block));
    for (size_t i = 0; i < volume[level]; ++i)
      OMPTARGET_TRY(run(level + 1, destination + i * to.distances[level], source + i * from.distances[level]));
    return Status::ok();
  }
};

bool is_complete(const Rectangle &rectangle) { return rectangle.array && rectangle.offsets && rectangle.dimensions; }

} // namespace

namespace {

/// Fails if the device has ended: what it held is lost.
Status check_not_lost(int32_t source) {
  if (!has_ended(source))
    return Status::ok();
  return Status::fatal(
      1, format("device %d has ended, since the program ends, and with it the data that were to be copied", source));
}

} // namespace

Status copy_memory(const Place &destination, const Place &source, size_t length) {
  OMPTARGET_TRY(check_not_lost(source.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse to, api_device(destination.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse from, api_device(source.device));
  if (length == 0)
    return Status::ok();
  if (!destination.address || !source.address)
    return Status::error(
        format("the %s of a copy of %zu bytes is null", destination.address ? "source" : "destination", length));
  OMPTARGET_TRACE(Topic::kTransfer, "copying %zu bytes from %p (device %d) to %p (device %d)", length, source.address,
                  source.device, destination.address, destination.device);
  Copier copier(to.get(), from.get());
  return copier.finish(copier.copy(destination.address, source.address, static_cast<int64_t>(length)));
}

Status copy_rectangle(const Rectangle &destination, const Rectangle &source, const RectangleShape &shape) {
  OMPTARGET_TRY(check_not_lost(source.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse to, api_device(destination.device));
  OMPTARGET_TRY_ASSIGN(const DeviceUse from, api_device(source.device));
  if (!is_complete(destination) || !is_complete(source) || !shape.volume || shape.element_size == 0 ||
      shape.dimensions < 1)
    return Status::error(format("a rectangle of %d dimensions of elements of %zu bytes, or with a null address, cannot "
                                "be copied",
                                shape.dimensions, shape.element_size));
  Copier copier(to.get(), from.get());
  RectangleCopy copy{copier, shape.volume, static_cast<size_t>(shape.dimensions), shape.element_size, {}, {}};
  if (!strides_of(destination, shape, copy.to) || !strides_of(source, shape, copy.from))
    return Status::error("a rectangle is larger than the address space");
  // Inner dimensions that are whole on both sides are one block.
  while (copy.levels > 0 && copy.to.distances[copy.levels - 1] == copy.block &&
         copy.from.distances[copy.levels - 1] == copy.block)
    if (__builtin_mul_overflow(copy.block, shape.volume[--copy.levels], &copy.block))
      return Status::error("a rectangle is larger than the address space");
  if (copy.block == 0)
    return Status::ok();
  return copier.finish(copy.run(0, static_cast<char *>(destination.array) + copy.to.offset,
                                static_cast<const char *>(source.array) + copy.from.offset));
}

Status fill_memory(void *pointer, uint8_t value, size_t length, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer || length == 0)
    return Status::ok();
  if (device) {
    const DataOperation operation(
        {DataOperationKind::kFill, device->id(), nullptr, pointer, static_cast<int64_t>(length), nullptr});
    return device->plugin_device().data_fill(pointer, value, static_cast<int64_t>(length), nullptr);
  }
  std::memset(pointer, value, length);
  return Status::ok();
}

Result<bool> is_accessible(const void *pointer, size_t /*size*/, int32_t device_number) {
  if (has_ended(device_number))
    return false;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer)
    return false;
  return !device || device->reaches_host_memory();
}

namespace {
/// The creator of associations, which tells them from global variables.
constexpr char kAssociated = 0;
} // namespace

Status associate(const void *host, const void *target, size_t size, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!device || !host || !target || size == 0)
    return Status::error(format("host address %p cannot be associated with %zu bytes at %p of device %d", host, size,
                                target, device_number));
  const HostPtr begin = host_ptr(host);
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
  if (found.is_contained && observe::reports_mappings()) [[unlikely]] {
    const Mapping &mapping = *found.ref.mapping;
    observe::mapping_looked_up(device.id(),
                               {mapping.base(), begin, mapping.target_of(begin), 1,
                                MappingState::reported_count(mapping.state()), mapping.hold_count(), nullptr});
  }
  return found;
}

/// The same, where nobody hears of it and it takes no search.
MappingRef guess_byte(Device &device, const void *pointer) {
  return observe::reports_mappings() ? MappingRef{} : device.map().guess_arrived(host_ptr(pointer), 1);
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
    if (!found.is_contained)
      return static_cast<void *>(nullptr);
    ref = found.ref;
  }
  const std::optional<DevicePtr> target = target_of(ref, host_ptr(pointer));
  return target ? raw(*target) : nullptr; // removed since it was found, or not there yet
}

Result<bool> is_present(const void *pointer, int32_t device_number) {
  if (Device *const ready = Runtime::get().ready_device(device_number)) [[likely]]
    return pointer && has_byte(*ready, pointer);
  if (has_ended(device_number))
    return false;
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, api_device(device_number));
  if (!pointer)
    return false;
  if (!device)
    return true;
  return has_byte(*device, pointer);
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
