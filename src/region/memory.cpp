// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/memory.h"

#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/log.h"
#include "device/runtime.h"

namespace omptarget {

Result<Device *> api_device(int32_t number) {
  Runtime &runtime = Runtime::get();
  const int32_t count = runtime.number_of_devices();
  if (number == -1 || number == count)
    return static_cast<Device *>(nullptr);
  if (number < 0 || number > count)
    return Status::fatal(number, format("Device number '%d' out of range, only %d devices available", number, count));
  return runtime.device(static_cast<DeviceId>(number));
}

Result<void *> allocate_memory(size_t size, int32_t device_number, int32_t kind) {
  OMPTARGET_TRY_ASSIGN(Device *const device, api_device(device_number));
  if (size == 0)
    return static_cast<void *>(nullptr);
  void *memory = nullptr;
  if (!device) {
    memory = std::malloc(size);
    if (!memory)
      return Status::error(format("%zu bytes of host memory could not be allocated", size));
  } else {
    OMPTARGET_TRY_ASSIGN(memory,
                         device->plugin().data_alloc(device->local_id(), static_cast<int64_t>(size), nullptr, kind));
  }
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_number, "allocated %zu bytes of kind %d at %p", size, kind, memory);
  return memory;
}

Status free_memory(void *pointer, int32_t device_number, int32_t kind) {
  if (!pointer)
    return Status::ok();
  if (Runtime::get().has_ended())
    return Status::ok(); // the devices are gone, and so is their memory
  OMPTARGET_TRY_ASSIGN(Device *const device, api_device(device_number));
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device_number, "freeing %p", pointer);
  if (device)
    return device->plugin().data_delete(device->local_id(), pointer, kind);
  std::free(pointer);
  return Status::ok();
}

namespace {

Status copy_between_devices(Device &to, void *destination, Device &from, const void *source, int64_t length) {
  const Plugin &plugin = from.plugin();
  if (&plugin == &to.plugin() && plugin.can_exchange(from.local_id(), to.local_id()))
    return plugin.data_exchange(from.local_id(), source, to.local_id(), destination, length, nullptr);
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(length));
  OMPTARGET_TRY(plugin.data_retrieve(from.local_id(), buffer.get(), source, length, nullptr));
  return to.plugin().data_submit(to.local_id(), destination, buffer.get(), length, nullptr);
}

} // namespace

Status copy_memory(const Place &destination, const Place &source, size_t length) {
  OMPTARGET_TRY_ASSIGN(Device *const to, api_device(destination.device));
  OMPTARGET_TRY_ASSIGN(Device *const from, api_device(source.device));
  if (length == 0)
    return Status::ok();
  if (!destination.address || !source.address)
    return Status::error(format("the %s of a copy of %zu bytes is null", destination.address ? "source" : "destination",
                                length));
  OMPTARGET_TRACE(Topic::kTransfer, "copying %zu bytes from %p (device %d) to %p (device %d)", length, source.address,
                  source.device, destination.address, destination.device);
  const auto bytes = static_cast<int64_t>(length);
  if (!to && !from) {
    std::memmove(destination.address, source.address, length);
    return Status::ok();
  }
  if (!from)
    return to->plugin().data_submit(to->local_id(), destination.address, source.address, bytes, nullptr);
  if (!to)
    return from->plugin().data_retrieve(from->local_id(), destination.address, source.address, bytes, nullptr);
  return copy_between_devices(*to, destination.address, *from, source.address, bytes);
}

Result<void *> mapped_address(const void *pointer, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(Device *const device, api_device(device_number));
  if (!pointer || !device)
    return const_cast<void *>(pointer);
  const Found found = device->map().find(host_ptr(pointer), 1);
  if (!found.is_contained)
    return Runtime::get().uses_unified_shared_memory() ? const_cast<void *>(pointer) : static_cast<void *>(nullptr);
  return raw(found.ref.mapping->target_of(host_ptr(pointer)));
}

Result<bool> is_present(const void *pointer, int32_t device_number) {
  OMPTARGET_TRY_ASSIGN(Device *const device, api_device(device_number));
  if (!pointer)
    return false;
  if (!device)
    return true;
  // One byte: a lookup of size 0 would also find storage that only has this pointer as its base.
  return device->map().find(host_ptr(pointer), 1).is_contained || Runtime::get().uses_unified_shared_memory();
}

} // namespace omptarget
