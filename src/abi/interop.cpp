// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interoperability objects (OpenMP 5.2, sections 14.1 and 18.12): the native handles of a device and a queue of it,
// as far as the device's plugin has them. Both forms that compilers call, and the routines that read the properties.

#include <cstring>
#include <memory>
#include <string>

#include "abi/boundary.h"
#include "device/libomp.h"
#include "device/runtime.h"
#include "omptarget/compiler.h"

using namespace omptarget;

namespace {

enum Property : int {
  kForeignRuntime = -1,
  kForeignRuntimeName = -2,
  kVendor = -3,
  kVendorName = -4,
  kDeviceNumber = -5,
  kPlatform = -6,
  kDevice = -7,
  kDeviceContext = -8,
  kTargetSync = -9,
  kLastProperty = -9
};
enum ReturnCode : int {
  kNoValue = 1,
  kSuccess = 0,
  kEmpty = -1,
  kOutOfRange = -2,
  kTypeIsInt = -3,
  kTypeIsPointer = -4,
  kTypeIsText = -5,
};
constexpr int32_t kTargetSyncType = 2;

/// Names of a plugin's runtime and its vendor. The host CPU has none.
struct ForeignRuntime {
  const char *plugin;
  intptr_t id;
  const char *name;
  intptr_t vendor;
  const char *vendor_name;
};
constexpr ForeignRuntime kForeignRuntimes[] = {
    {"cuda", 2, "cuda_driver", 11, "nvidia"},
    {"amdgpu", 7, "hsa", 1, "amd"},
};

/// One interoperability object. Used by one thread at a time.
struct Interop {
  Device *device = nullptr;
  const ForeignRuntime *runtime = nullptr;
  __tgt_device_info handles{};
  bool has_handles = false;
  __tgt_async_info *queue = nullptr;
};

void set_code(int *place, int code) {
  if (place)
    *place = code;
}

/// Returns whether the property can be read; otherwise the code says why not.
bool is_readable(const Interop *interop, int property, int wanted, int *code) {
  if (property >= 0 || property < kLastProperty) {
    set_code(code, kOutOfRange);
    return false;
  }
  if (!interop) {
    set_code(code, kEmpty);
    return false;
  }
  const bool is_text = property == kForeignRuntimeName || property == kVendorName;
  const bool is_pointer = property <= kPlatform;
  const int type = is_text ? kTypeIsText : is_pointer ? kTypeIsPointer : kTypeIsInt;
  if (type != wanted) {
    set_code(code, type);
    return false;
  }
  return true;
}

Result<Interop *> make_interop(int32_t type, int64_t device_number) {
  OMPTARGET_TRY_ASSIGN(const DeviceUse device, device_for(device_number));
  if (!device)
    return static_cast<Interop *>(nullptr); // omp_interop_none: the host has no foreign runtime
  auto interop = std::make_unique<Interop>();
  interop->device = device.get();
  const Plugin &plugin = device->plugin();
  for (const ForeignRuntime &runtime : kForeignRuntimes)
    if (plugin.name() == runtime.plugin)
      interop->runtime = &runtime;
  Status handles = device->plugin_device().init_device_info(&interop->handles);
  interop->has_handles = handles.is_ok();
  handles.consume(); // a plugin without them
  if (type == kTargetSyncType) {
    auto queue = device->plugin_device().init_async_info();
    if (queue)
      interop->queue = *queue;
    else if (interop->has_handles)
      return queue.take_status();
    else
      queue.take_status().consume(); // a plugin without interoperability
  }
  if (!interop->runtime && !interop->has_handles && !interop->queue)
    return static_cast<Interop *>(nullptr); // omp_interop_none: the device has no foreign runtime
  return interop.release();
}

/// Compilers pass the address of the program's variable.
Status check_place(Interop *const *interop) {
  return interop ? Status::ok() : Status::error("the variable of an interoperability object is at a null pointer");
}

/// All work of the object's queue is done before the construct's dependences are fulfilled.
Status synchronise(const Interop &interop) {
  if (!interop.queue || !interop.queue->Queue)
    return Status::ok();
  const DeviceUse use(*interop.device);
  if (!use)
    return Status::error(format("device %d has ended, since the program ends", raw(interop.device->id())));
  const PluginDevice &device = interop.device->plugin_device();
  Queue queue{*interop.queue};
  if (!device.plugin().has_events()) {
    Status status = device.synchronize(queue);
    *interop.queue = queue.info;
    return status;
  }
  // Waits by an event: synchronising would end the queue, which the program still has.
  OMPTARGET_TRY_ASSIGN(void *const event, device.create_event());
  Status status = device.record_event(event, queue);
  if (status.is_ok())
    status = device.sync_event(event);
  device.destroy_event(event);
  return status;
}

Status destroy_interop(Interop *interop) {
  if (!interop)
    return Status::ok();
  const std::unique_ptr<Interop> own(interop);
  const DeviceUse use(*own->device);
  return own->queue && use ? own->device->plugin_device().release_async_info(own->queue) : Status::ok();
}

} // namespace

extern "C" {

OMPTARGET_API void __tgt_interop_init(ident_t *loc, int32_t, Interop **interop, int32_t type, int32_t device,
                                      int32_t ndeps, void *deps, int32_t) {
  const Call call{"interop init", loc, device, __builtin_return_address(0)};
  finish(check_place(interop), call);
  libomp::wait_for_dependences(loc, ndeps, deps, 0, nullptr);
  *interop = finish(make_interop(type, device), call);
}

OMPTARGET_API void __tgt_interop_use(ident_t *loc, int32_t, Interop **interop, int32_t device, int32_t ndeps,
                                     void *deps, int32_t) {
  const Call call{"interop use", loc, device, __builtin_return_address(0)};
  finish(check_place(interop), call);
  libomp::wait_for_dependences(loc, ndeps, deps, 0, nullptr);
  if (*interop)
    finish(synchronise(**interop), call);
}

OMPTARGET_API void __tgt_interop_destroy(ident_t *loc, int32_t, Interop **interop, int32_t device, int32_t ndeps,
                                         void *deps, int32_t) {
  const Call call{"interop destroy", loc, device, __builtin_return_address(0)};
  finish(check_place(interop), call);
  libomp::wait_for_dependences(loc, ndeps, deps, 0, nullptr);
  finish(destroy_interop(*interop), call);
  *interop = nullptr;
}

/// Dependences in the form of OpenMP 6.0.
struct OmptargetDependences {
  int32_t count;
  void *list;
  int32_t count_no_alias;
  void *no_alias;
};

OMPTARGET_API Interop *__tgt_interop_get(ident_t *loc, int32_t type, int64_t device, int32_t, void *, void *,
                                         OmptargetDependences *deps) {
  const Call call{"interop init", loc, device, __builtin_return_address(0)};
  if (deps)
    libomp::wait_for_dependences(loc, deps->count, deps->list, deps->count_no_alias, deps->no_alias);
  return finish(make_interop(type, device), call);
}

OMPTARGET_API int __tgt_interop_use60(ident_t *loc, Interop *interop, void *, OmptargetDependences *deps) {
  const Call call{"interop use", loc, -1, __builtin_return_address(0)};
  if (deps)
    libomp::wait_for_dependences(loc, deps->count, deps->list, deps->count_no_alias, deps->no_alias);
  return interop && succeeded(synchronise(*interop), call) ? 0 : -1;
}

OMPTARGET_API int __tgt_interop_release(ident_t *loc, Interop *interop, void *, OmptargetDependences *deps) {
  const Call call{"interop destroy", loc, -1, __builtin_return_address(0)};
  if (deps)
    libomp::wait_for_dependences(loc, deps->count, deps->list, deps->count_no_alias, deps->no_alias);
  return interop && succeeded(destroy_interop(interop), call) ? 0 : -1;
}

/// Called at once: what use and release wait for is complete when they return.
OMPTARGET_API int ompx_interop_add_completion_callback(Interop *interop, void (*callback)(Interop *, void *),
                                                       void *data) {
  if (!interop || !callback)
    return kEmpty;
  const Call call{"ompx_interop_add_completion_callback", nullptr, -1, __builtin_return_address(0)};
  if (!succeeded(synchronise(*interop), call))
    return kEmpty;
  callback(interop, data);
  return kSuccess;
}

/// libomp 23 calls this at barriers, taskwait and the end of taskgroups and tasks, also while the process ends, so that
/// the work of interoperability objects is complete there. None has any left: use and release wait for it themselves.
OMPTARGET_API int __tgt_target_sync(ident_t *, int32_t /*thread*/, void * /*task*/, void * /*event*/) { return 0; }

OMPTARGET_API intptr_t omp_get_interop_int(const Interop *interop, int property, int *code) {
  if (!is_readable(interop, property, kTypeIsInt, code))
    return 0;
  set_code(code, kSuccess);
  if (property == kDeviceNumber)
    return raw(interop->device->id());
  if (interop->runtime)
    return property == kForeignRuntime ? interop->runtime->id : interop->runtime->vendor;
  set_code(code, kNoValue);
  return 0;
}

OMPTARGET_API void *omp_get_interop_ptr(const Interop *interop, int property, int *code) {
  if (!is_readable(interop, property, kTypeIsPointer, code))
    return nullptr;
  void *value = nullptr;
  if (property == kDevice && interop->has_handles)
    value = interop->handles.Device;
  else if (property == kDeviceContext && interop->has_handles)
    value = interop->handles.Context;
  else if (property == kTargetSync && interop->queue)
    value = interop->queue->Queue;
  set_code(code, value ? kSuccess : kNoValue);
  return value;
}

OMPTARGET_API const char *omp_get_interop_str(const Interop *interop, int property, int *code) {
  if (!is_readable(interop, property, kTypeIsText, code))
    return nullptr;
  if (!interop->runtime) {
    set_code(code, kNoValue);
    return nullptr;
  }
  set_code(code, kSuccess);
  return property == kForeignRuntimeName ? interop->runtime->name : interop->runtime->vendor_name;
}

OMPTARGET_API const char *omp_get_interop_name(const Interop *, int property) {
  static constexpr const char *kNames[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                           "platform", "device",  "device_context", "targetsync"};
  return property < 0 && property >= kLastProperty ? kNames[-property - 1] : nullptr;
}

OMPTARGET_API const char *omp_get_interop_type_desc(const Interop *interop, int property) {
  static constexpr const char *kTypes[] = {"intptr_t", "const char *", "intptr_t", "const char *", "intptr_t",
                                           "void *",   "void *",       "void *",   "void *"};
  return interop && property < 0 && property >= kLastProperty ? kTypes[-property - 1] : nullptr;
}
}
