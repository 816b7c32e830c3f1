// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of the plugin ABI (include/omptarget/plugin.h) of every plugin for GPUs: they find the device, make the
// thread ready for it, hand over and turn failures into return values. No logic.

#include "omptarget/plugin.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "base/no_memory.h"
#include "base/numa.h"
#include "common/boundary.h"
#include "gpu/device.h"
#include "gpu/devices.h"

using namespace omptarget;
using namespace omptarget::gpu;

namespace {

Status no_device(int32_t id) {
  return Status::error(format("the %s plugin has no device %d; there are %d", kVendor.plugin, id, number_of_devices()));
}

[[gnu::cold, gnu::noinline]] int32_t not_usable(int32_t id, Device *device) {
  Status status = device ? device->check_usable() : no_device(id);
  return status ? kFailure : finish_failed(std::move(status), device ? device->number() : -1);
}

// Runs an operation that needs no driver on a device that is ready. The operation returns a Status.
template <typename Operation> [[gnu::always_inline]] inline int32_t without_driver(int32_t id, Operation operation) {
  Device *const device = find_device(id);
  if (!device || !device->is_usable()) [[unlikely]]
    return not_usable(id, device);
  Status status = operation(*device);
  return status ? kSuccess : finish_failed(std::move(status), device->number());
}

// The same inside of a Scope.
template <typename Operation> Status in_scope(Device &device, Operation operation) {
  const Scope scope(device);
  return operation(device);
}
template <typename Operation> int32_t on_device(int32_t id, Operation operation) {
  return without_driver(id, [&](Device &device) { return in_scope(device, operation); });
}

// The same for a queue, or for none: the operation gets a Caller, too.
template <typename Operation>
[[gnu::always_inline]] inline int32_t on_queue(int32_t id, __tgt_async_info *async, Operation operation) {
  return without_driver(id, [&](Device &device) __attribute__((always_inline)) {
    const Scope scope(device);
    return operation(device, Caller(async, scope.thread()));
  });
}

[[gnu::cold, gnu::noinline]] Status no_range(int64_t size) {
  return Status::error(
      format("%llu bytes%s", static_cast<unsigned long long>(size), size < 0 ? "" : " at a null pointer"));
}

bool is_range(const void *pointer, int64_t size) { return size == 0 || (size > 0 && pointer); }

Status check_range(const void *pointer, int64_t size) {
  return is_range(pointer, size) ? Status::ok() : no_range(size);
}

uint64_t address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

int32_t submit(int32_t id, void *target, const void *host, int64_t size, __tgt_async_info *async) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    if (!is_range(target, size) || !is_range(host, size)) [[unlikely]]
      return no_range(size);
    return device.submit(address(target), host, static_cast<size_t>(size), caller);
  });
}

int32_t retrieve(int32_t id, void *host, const void *target, int64_t size, __tgt_async_info *async) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    if (!is_range(target, size) || !is_range(host, size)) [[unlikely]]
      return no_range(size);
    return device.retrieve(host, address(target), static_cast<size_t>(size), caller);
  });
}

struct Exchange {
  int32_t source_id;
  void *source;
  int32_t destination_id;
  void *destination;
  int64_t size;
};

int32_t exchange(const Exchange &copy, __tgt_async_info *async) {
  Device *other = find_device(copy.destination_id);
  if (!other)
    return finish(no_device(copy.destination_id));
  if (Status status = other->check_usable(); !status)
    return finish(std::move(status), other->number());
  return on_queue(copy.source_id, async, [&](Device &device, const Caller &caller) -> Status {
    OMPTARGET_TRY(check_range(copy.source, copy.size));
    OMPTARGET_TRY(check_range(copy.destination, copy.size));
    return device.copy_to(*other, address(copy.destination), address(copy.source), static_cast<size_t>(copy.size),
                          caller);
  });
}

Result<std::unique_ptr<ImageTarget>> target_of(const __tgt_device_image &image) {
  const char *begin = static_cast<const char *>(image.ImageStart);
  const char *end = static_cast<const char *>(image.ImageEnd);
  if (!begin || end < begin)
    return Status::error("image without bytes");
  return kVendor.read_image_target(begin, static_cast<size_t>(end - begin));
}

// The image itself decides, not its container, which says the same or nothing.
int32_t rank_on(const Device &device, const __tgt_device_image &image) {
  Result<std::unique_ptr<ImageTarget>> target = target_of(image);
  return target ? (*target)->rank(device) : 0;
}

int32_t is_valid(const __tgt_device_image &image) {
  Result<std::unique_ptr<ImageTarget>> target = target_of(image);
  if (!target) {
    OMPTARGET_TRACE(Topic::kImage, "no image for the %s plugin: %s", kVendor.plugin,
                    target.status().to_string().c_str());
    return 0;
  }
  std::string there;
  for (const auto &device : devices()) {
    if ((*target)->rank(*device) != 0)
      return 1;
    there += format("%sdevice %d is %s", there.empty() ? "" : ", ", device->number(), device->architecture().c_str());
  }
  OMPTARGET_TRACE(Topic::kImage, "image: built for %s, %s", (*target)->name().c_str(),
                  there.empty() ? "there are no devices" : there.c_str());
  return 0;
}

} // namespace

[[gnu::constructor]] static void prepare() { end_without_memory("the plugin for GPUs"); }

extern "C" {

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
  if (!info || info->size < sizeof(uint32_t))
    return kFailure;
  host_library_asks_for_errors();
  const __tgt_rtl_abi_info mine = {info->size, OMPTARGET_PLUGIN_ABI_VERSION,
                                   OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_TRAILING_ENVIRONMENT |
                                       OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT |
                                       (MappedRanges::is_wanted() ? 0u : uint64_t{OMPTARGET_PLUGIN_IGNORES_MAPPINGS})};
  std::memcpy(info, &mine, std::min<size_t>(info->size, sizeof(mine)));
  return kSuccess;
}

size_t __tgt_rtl_last_error(char *buffer, size_t size) { return plugin::copy_last_error(buffer, size); }

int32_t __tgt_rtl_init_plugin(void) {
  number_of_devices();
  return kSuccess;
}

int32_t __tgt_rtl_deinit_plugin(void) { return kSuccess; }

int32_t __tgt_rtl_number_of_devices(void) { return number_of_devices(); }

int64_t __tgt_rtl_init_requires(int64_t mask) {
  set_requirements(mask);
  return mask;
}

int32_t __tgt_rtl_supports_empty_images(void) { return 1; }

int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) { return image ? is_valid(*image) : 0; }

int32_t __tgt_rtl_is_valid_binary_info(__tgt_device_image *image, __tgt_image_info *) {
  return __tgt_rtl_is_valid_binary(image);
}

int32_t __tgt_rtl_is_device_compatible(int32_t id, __tgt_device_image *image, __tgt_image_info *) {
  const Device *device = find_device(id);
  return device && image ? rank_on(*device, *image) : 0;
}

int32_t __tgt_rtl_init_device(int32_t id) {
  Device *device = find_device(id);
  if (!device)
    return finish(no_device(id));
  return finish(device->is_ready() || is_forked() ? device->check_usable() : device->init(), id);
}

int32_t __tgt_rtl_deinit_device(int32_t id) {
  Device *device = find_device(id);
  if (!device)
    return finish(no_device(id));
  return finish(is_forked() ? Status::ok() : device->deinit(), id);
}

__tgt_target_table *__tgt_rtl_load_binary(int32_t id, __tgt_device_image *image) {
  __tgt_target_table *table = nullptr;
  on_device(id, [&](Device &device) -> Status {
    OMPTARGET_TRY_ASSIGN(table, device.load_image(*image));
    return Status::ok();
  });
  return table;
}

int32_t __tgt_rtl_unload_binary(int32_t id, __tgt_target_table *table) {
  return on_device(id, [&](Device &device) { return device.unload_image(table); });
}

/// Adds to the failure of an allocation how much memory the driver has left.
static Status with_free_memory(Device &device, Status failure, int32_t kind) {
  if (kind == OMPTARGET_ALLOC_HOST)
    return failure;
  Result<uint64_t> free = device.free_memory();
  if (free.is_ok())
    return std::move(failure).during(
        format("%.2f MB of the device's memory are free", static_cast<double>(*free) / 1e6));
  free.take_status().consume();
  return failure;
}

void *__tgt_rtl_data_alloc(int32_t id, int64_t size, void *, int32_t kind) {
  void *memory = nullptr;
  without_driver(id, [&](Device &device) -> Status {
    if (size < 0)
      return Status::error(format("cannot allocate %llu bytes", static_cast<unsigned long long>(size)));
    memory = device.memory().try_allocate(static_cast<size_t>(size), kind);
    if (!memory)
      OMPTARGET_TRY(in_scope(device, [&](Device &) -> Status {
        auto allocated = device.memory().allocate(static_cast<size_t>(size), kind);
        if (!allocated.is_ok())
          return with_free_memory(device, allocated.take_status(), kind);
        memory = *allocated;
        return Status::ok();
      }));
    device.allocations().allocated(memory, static_cast<uint64_t>(size));
    OMPTARGET_TRACE_DEVICE(Topic::kTransfer, device.number(), "allocated %llu bytes of kind %d at %p",
                           static_cast<unsigned long long>(size), kind, memory);
    return Status::ok();
  });
  return memory;
}

int32_t __tgt_rtl_data_delete(int32_t id, void *memory, int32_t) {
  return without_driver(id, [&](Device &device) -> Status {
    OMPTARGET_TRY(device.allocations().freeing(memory));
    if (device.memory().try_release(memory))
      return Status::ok();
    OMPTARGET_TRY_DURING(in_scope(device, [&](Device &) { return device.memory().release(memory); }),
                         "while freeing device memory at %p", memory);
    return Status::ok();
  });
}

int32_t __tgt_rtl_data_submit(int32_t id, void *target, void *host, int64_t size) {
  return submit(id, target, host, size, nullptr);
}

int32_t __tgt_rtl_data_submit_async(int32_t id, void *target, void *host, int64_t size, __tgt_async_info *async) {
  return submit(id, target, host, size, async);
}

int32_t __tgt_rtl_data_retrieve(int32_t id, void *host, void *target, int64_t size) {
  return retrieve(id, host, target, size, nullptr);
}

int32_t __tgt_rtl_data_retrieve_async(int32_t id, void *host, void *target, int64_t size, __tgt_async_info *async) {
  return retrieve(id, host, target, size, async);
}

int32_t __tgt_rtl_data_fill(int32_t id, void *target, int32_t value, int64_t size, __tgt_async_info *async) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    OMPTARGET_TRY(check_range(target, size));
    return device.fill(address(target), static_cast<uint8_t>(value), static_cast<size_t>(size), caller);
  });
}

int32_t __tgt_rtl_is_data_exchangable(int32_t source, int32_t destination) {
  const Device *from = find_device(source);
  const Device *to = find_device(destination);
  return from && to && from->can_copy_to(*to) && to->can_copy_to(*from) ? 1 : 0;
}

int32_t __tgt_rtl_data_exchange(int32_t source_id, void *source, int32_t destination_id, void *destination,
                                int64_t size) {
  return exchange({source_id, source, destination_id, destination, size}, nullptr);
}

int32_t __tgt_rtl_data_exchange_async(int32_t source_id, void *source, int32_t destination_id, void *destination,
                                      int64_t size, __tgt_async_info *async) {
  return exchange({source_id, source, destination_id, destination, size}, async);
}

int32_t __tgt_rtl_launch_kernel(int32_t id, void *entry, void **arguments, ptrdiff_t *offsets, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    if (!entry)
      return Status::error("the image that was loaded has no such kernel");
    return device.launch({*static_cast<Kernel *>(entry), arguments, offsets, *args}, caller);
  });
}

int32_t __tgt_rtl_synchronize(int32_t id, __tgt_async_info *async) {
  const int32_t result =
      on_queue(id, async, [](Device &device, const Caller &caller) { return device.queues().synchronize(caller); });
  if (result != kSuccess)
    async->Queue = nullptr;
  return result;
}

int32_t __tgt_rtl_query_async(int32_t id, __tgt_async_info *async) {
  const int32_t result = on_queue(
      id, async, [](Device &device, const Caller &caller) { return device.queues().query(caller).take_status(); });
  if (result != kSuccess)
    async->Queue = nullptr;
  return result;
}

int32_t __tgt_rtl_init_async_info(int32_t id, __tgt_async_info **async) {
  return on_device(id, [&](Device &device) -> Status {
    OMPTARGET_TRY_ASSIGN(*async, device.queues().create_info());
    return Status::ok();
  });
}

int32_t __tgt_rtl_release_async_info(int32_t id, __tgt_async_info *async) {
  return on_device(id, [&](Device &device) { return device.queues().release_info(async); });
}

int32_t __tgt_rtl_create_event(int32_t id, void **event) {
  return without_driver(id, [&](Device &device) -> Status {
    *event = device.queues().take_event();
    return *event ? Status::ok() : in_scope(device, [&](Device &) -> Status {
      OMPTARGET_TRY_ASSIGN(*event, device.queues().create_event());
      return Status::ok();
    });
  });
}

int32_t __tgt_rtl_record_event(int32_t id, void *event, __tgt_async_info *async) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    OMPTARGET_TRY_ASSIGN(Stream *const stream, device.queues().stream_for(caller));
    return device.queues().record(event, *stream);
  });
}

int32_t __tgt_rtl_wait_event(int32_t id, void *event, __tgt_async_info *async) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    OMPTARGET_TRY_ASSIGN(Stream *const stream, device.queues().stream_for(caller));
    return device.queues().wait_for(event, *stream);
  });
}

int32_t __tgt_rtl_sync_event(int32_t id, void *event) {
  return on_device(id, [&](Device &device) { return device.queues().wait_for(event); });
}

int32_t __tgt_rtl_destroy_event(int32_t id, void *event) {
  return without_driver(id, [&](Device &device) {
    device.queues().destroy_event(event);
    return Status::ok();
  });
}

int32_t __tgt_rtl_start_timing(int32_t id, __tgt_async_info *async, void **timing) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    OMPTARGET_TRY_ASSIGN(*timing, device.queues().start_timing(caller));
    return Status::ok();
  });
}

int32_t __tgt_rtl_stop_timing(int32_t id, __tgt_async_info *async, void *timing) {
  return on_queue(id, async, [&](Device &device, const Caller &caller) -> Status {
    OMPTARGET_TRY_ASSIGN(Stream *const stream, device.queues().stream_for(caller));
    return device.queues().stop_timing(*stream, timing);
  });
}

int32_t __tgt_rtl_read_timing(int32_t id, void *timing, uint64_t *begin_ns, uint64_t *end_ns) {
  Device *device = find_device(id);
  if (!device)
    return finish(no_device(id));
  if (!begin_ns || !end_ns || !device->check_usable()) { // what is kept for the timing is given back without the driver
    Status status = begin_ns ? device->check_usable() : Status::ok();
    device->queues().drop_timing(timing);
    return finish(std::move(status), device->number());
  }
  return on_device(id, [&](Device &one) -> Status {
    OMPTARGET_TRY_ASSIGN(const Times times, one.queues().read_timing(timing));
    *begin_ns = times.begin;
    *end_ns = times.end;
    return Status::ok();
  });
}

int32_t __tgt_rtl_data_lock(int32_t id, void *host, int64_t size, void **accessible) {
  return on_device(id, [&](Device &device) -> Status {
    OMPTARGET_TRY(check_range(host, size));
    OMPTARGET_TRY_ASSIGN(*accessible, device.memory().lock(host, static_cast<size_t>(size)));
    return Status::ok();
  });
}

int32_t __tgt_rtl_data_unlock(int32_t id, void *host) {
  return on_device(id, [&](Device &device) { return device.memory().unlock(host); });
}

int32_t __tgt_rtl_data_notify_mapped(int32_t id, void *host, int64_t size) {
  return without_driver(id, [&](Device &device) -> Status {
    if (!is_range(host, size)) [[unlikely]]
      return no_range(size);
    if (!device.memory().pins_mapped()) [[likely]]
      return Status::ok();
    return in_scope(device, [&](Device &) { return device.memory().notify_mapped(host, static_cast<size_t>(size)); });
  });
}

int32_t __tgt_rtl_data_notify_unmapped(int32_t id, void *host) {
  return without_driver(id, [&](Device &device) {
    const auto notify = [&](Device &) { return device.memory().notify_unmapped(host); };
    return device.memory().pins_mapped() ? in_scope(device, notify) : Status::ok();
  });
}

int32_t __tgt_rtl_use_auto_zero_copy(int32_t id) {
  const Device *device = find_device(id);
  return device && device->uses_zero_copy() ? 1 : 0;
}

int32_t __tgt_rtl_host_memory_access(int32_t id) {
  const Device *device = find_device(id);
  return device ? device->host_memory_access().how : OMPTARGET_HOST_MEMORY_NOT_REACHED;
}

void __tgt_rtl_set_info_flag(uint32_t flag) { set_info_bits(flag); }

void __tgt_rtl_set_host_call(__tgt_host_call call) { set_host_call(call); }

int32_t __tgt_rtl_set_device_offset(int32_t first) {
  set_device_offset(first);
  return kSuccess;
}

int32_t __tgt_rtl_set_device_number(int32_t id, int32_t number) {
  Device *device = find_device(id);
  if (!device)
    return finish(no_device(id));
  device->set_number(number);
  return kSuccess;
}

void __tgt_rtl_print_device_info(int32_t id) {
  if (const Device *device = find_device(id))
    device->print_info();
}

int32_t __tgt_rtl_init_device_info(int32_t id, __tgt_device_info *info, const char **error) {
  const int32_t result = on_device(id, [&](Device &device) {
    device.describe(*info);
    return Status::ok();
  });
  if (result != kSuccess && error)
    *error = "the device is not initialised or failed";
  return result;
}

size_t __tgt_rtl_device_arch(int32_t id, char *buffer, size_t size) {
  const Device *device = find_device(id);
  return device ? plugin::copy_text(device->architecture(), buffer, size) : 0;
}

int32_t __tgt_rtl_memory_statistics(int32_t id, __tgt_memory_statistics *statistics) {
  Device *device = find_device(id);
  if (!device)
    return finish(no_device(id));
  if (!copy_statistics(device->memory().statistics(), statistics))
    return finish(Status::error("the record for the statistics of memory has no size"));
  return kSuccess;
}

int32_t __tgt_rtl_trim_memory(int32_t id) {
  return on_device(id, [](Device &device) { return device.trim_memory(); });
}

int32_t __tgt_rtl_launch_shape(int32_t id, void *entry, const __tgt_kernel_args *args, __tgt_launch_shape *shape) {
  return on_device(id, [&](Device &device) -> Status {
    if (!entry)
      return Status::error("the image that was loaded has no such kernel");
    return device.shape_of({*static_cast<Kernel *>(entry), nullptr, nullptr, *args}, *shape);
  });
}

uint64_t __tgt_rtl_group_memory_limit(int32_t id) {
  const Device *device = find_device(id);
  return device ? device->shared_memory_limit() : 0;
}

int32_t __tgt_rtl_device_numa_domain(int32_t id) {
  const Device *device = find_device(id);
  return device ? numa_domain_of_pci(device->pci_address()) : -1;
}

size_t __tgt_rtl_device_uid(int32_t id, char *buffer, size_t size) {
  const Device *device = find_device(id);
  const std::string uid = device ? device->uid() : std::string();
  return uid.empty() ? 0 : plugin::copy_text(uid, buffer, size);
}

int32_t __tgt_rtl_set_function_ptr_map(int32_t id, uint64_t count, __omp_offloading_fptr_map_ty *table) {
  return on_device(id, [&](Device &device) { return device.functions().set(count, table); });
}

int32_t __tgt_rtl_set_image_functions(int32_t id, __tgt_target_table *image, const __tgt_image_functions *functions) {
  return on_device(id, [&](Device &device) { return device.set_image_functions(image, *functions); });
}

} // extern "C"
