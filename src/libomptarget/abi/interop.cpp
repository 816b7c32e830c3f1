// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interoperability objects (OpenMP 6.0, section 16.1 and chapter 26). Here are both forms of the construct, the hook of
// libomp 23, and the routines that read the properties; device/interop.h has the objects.

#include <vector>

#include "abi/boundary.h"
#include "device/interop.h"
#include "device/libomp.h"
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
  kOther = -6,
};
constexpr int32_t kTargetSyncType = 2;

bool is_property(int property) { return property < 0 && property >= kLastProperty; }

void set_code(int *place, int code) {
  if (place)
    *place = code;
}

/// The object whose property can be read, or null: then the code says why not. A wrong property comes first, as in
/// LLVM's runtimes; OpenMP does not say which error wins.
std::shared_ptr<Interop> readable(const void *handle, int property, int wanted, int *code) {
  if (!is_property(property)) {
    set_code(code, kOutOfRange);
    return nullptr;
  }
  if (!handle) {
    set_code(code, kEmpty);
    return nullptr;
  }
  const bool is_text = property == kForeignRuntimeName || property == kVendorName;
  const int type = is_text ? kTypeIsText : property <= kPlatform ? kTypeIsPointer : kTypeIsInt;
  std::shared_ptr<Interop> object = find_interop(handle);
  set_code(code, !object ? kOther : type != wanted ? type : kSuccess);
  return type == wanted ? object : nullptr;
}

/// Compilers pass the address of the program's variable.
Status check_place(const InteropHandle *place) {
  return place ? Status::ok() : Status::error("the variable of an interoperability object is at a null pointer");
}

/// Without nowait the construct's task is an included one, so that its thread waits. With depend it waits, too,
/// whatever nowait permits. Native work that comes behind the construct may not begin before the task is complete
/// (OpenMP 6.0, section 16.1). No queue of a device waits for tasks of the host. Other tasks may depend on this one, of
/// which libomp knows nothing. So it is complete at the end of the call. Only nowait alone is left to libomp, if it
/// calls __tgt_target_sync.
InteropUser user_of(int32_t thread, bool is_nowait, int32_t dependences) {
  return {thread, is_nowait && dependences <= 0 && libomp::calls_target_sync()};
}

/// omp_interop_none if the object cannot be made, which is reported (OpenMP 6.0, section 16.1: init).
InteropHandle make(Device &device, int32_t type, std::span<const int32_t> preferences, int32_t owner,
                   const Call &call) {
  Result<std::shared_ptr<Interop>> object = Interop::make(device, type == kTargetSyncType, preferences, owner);
  if (!object.is_ok()) {
    (void)succeeded(object.take_status(), call);
    return nullptr;
  }
  return add_interop(std::move(*object));
}

/// OpenMP 6.0's form of dependences, of a preference and of what else compilers tell.
struct OmptargetDependences {
  int32_t count;
  void *list;
  int32_t count_no_alias;
  void *no_alias;
};
struct OmptargetPreference {
  int32_t runtime;
  int32_t attributes; // queues are in order, whatever is preferred
  int64_t own_attributes;
};
struct OmptargetInteropContext {
  uint32_t version;
  uint32_t flags;
  int32_t thread;
};
constexpr uint32_t kIsImplicit = 1, kIsNowait = 2;

bool is_implicit(const OmptargetInteropContext *context) { return context && context->flags & kIsImplicit; }

InteropUser user_of(const OmptargetInteropContext *context, const OmptargetDependences *dependences) {
  if (!context)
    return {0, false};
  const int32_t count = dependences ? dependences->count : 0;
  const int32_t more = dependences ? dependences->count_no_alias : 0;
  return user_of(context->thread, context->flags & kIsNowait, count > 0 ? count : more);
}

void wait_for(ident_t *loc, const OmptargetDependences *dependences) {
  if (dependences)
    libomp::wait_for_dependences(loc, dependences->count, dependences->list, dependences->count_no_alias,
                                 dependences->no_alias);
}

} // namespace

extern "C" {

OMPTARGET_API void __tgt_interop_init(ident_t *loc, int32_t, InteropHandle *interop, int32_t type, int32_t device,
                                      int32_t ndeps, void *deps, int32_t) {
  const Call call{"interop init", loc, device, __builtin_return_address(0)};
  finish(check_place(interop), call);
  libomp::wait_for_dependences(loc, ndeps, deps, 0, nullptr);
  const DeviceUse use = finish(device_for(device), call);
  *interop = use ? make(*use, type, {}, Interop::kExplicit, call) : nullptr; // the host has no foreign runtime
}

OMPTARGET_API void __tgt_interop_use(ident_t *loc, int32_t thread, InteropHandle *interop, int32_t device,
                                     int32_t ndeps, void *deps, int32_t nowait) {
  const Call call{"interop use", loc, device, __builtin_return_address(0)};
  finish(check_place(interop), call);
  libomp::wait_for_dependences(loc, ndeps, deps, 0, nullptr);
  if (*interop)
    finish(use_interop(*interop, user_of(thread, nowait != 0, ndeps)), call);
}

OMPTARGET_API void __tgt_interop_destroy(ident_t *loc, int32_t thread, InteropHandle *interop, int32_t device,
                                         int32_t ndeps, void *deps, int32_t nowait) {
  const Call call{"interop destroy", loc, device, __builtin_return_address(0)};
  finish(check_place(interop), call);
  libomp::wait_for_dependences(loc, ndeps, deps, 0, nullptr);
  if (*interop)
    finish(destroy_interop(*interop, user_of(thread, nowait != 0, ndeps)), call);
  *interop = nullptr;
}

/// An implicit object, of a function variant with append_args, is the thread's own and used again.
OMPTARGET_API InteropHandle __tgt_interop_get(ident_t *loc, int32_t type, int64_t device, int32_t count,
                                              const OmptargetPreference *list, const OmptargetInteropContext *context,
                                              const OmptargetDependences *deps) {
  const Call call{"interop init", loc, device, __builtin_return_address(0)};
  wait_for(loc, deps);
  const DeviceUse use = finish(device_for(device), call);
  if (!use)
    return nullptr;
  std::vector<int32_t> preferences;
  for (int32_t i = 0; list && i < count; ++i)
    preferences.push_back(list[i].runtime);
  if (!is_implicit(context))
    return make(*use, type, preferences, Interop::kExplicit, call);
  InteropHandle handle = reuse_implicit_interop(*use, context->thread, preferences);
  if (!handle)
    handle = make(*use, type, preferences, context->thread, call);
  if (handle && libomp::calls_target_sync())
    expect_implicit_work(handle, context->thread);
  return handle;
}

OMPTARGET_API int __tgt_interop_use60(ident_t *loc, InteropHandle interop, const OmptargetInteropContext *context,
                                      const OmptargetDependences *deps) {
  const Call call{"interop use", loc, -1, __builtin_return_address(0)};
  wait_for(loc, deps);
  return interop && succeeded(use_interop(interop, user_of(context, deps)), call) ? 0 : -1;
}

OMPTARGET_API int __tgt_interop_release(ident_t *loc, InteropHandle interop, const OmptargetInteropContext *context,
                                        const OmptargetDependences *deps) {
  const Call call{"interop destroy", loc, -1, __builtin_return_address(0)};
  wait_for(loc, deps);
  if (!interop)
    return -1;
  const InteropUser user = user_of(context, deps);
  return succeeded(is_implicit(context) ? use_interop(interop, user) : destroy_interop(interop, user), call) ? 0 : -1;
}

/// Called at once, by the calling thread, which waits for what is in the queue.
OMPTARGET_API int ompx_interop_add_completion_callback(InteropHandle interop, void (*callback)(InteropHandle, void *),
                                                       void *data) {
  if (!interop || !callback)
    return kEmpty;
  const Call call{"ompx_interop_add_completion_callback", nullptr, -1, __builtin_return_address(0)};
  if (!succeeded(use_interop(interop, {0, false}), call))
    return kOther;
  callback(interop, data);
  return kSuccess;
}

/// libomp 23 calls this in every thread that comes to a barrier, a taskwait or the end of a taskgroup, also while the
/// process ends. The tasks of interop constructs with nowait are complete behind these (OpenMP 6.0, section 16.1 and
/// chapter 17). So is what was put into the queues of implicit objects.
OMPTARGET_API int __tgt_target_sync(ident_t *loc, int32_t thread, void * /*task*/, void * /*event*/) {
  const Call call{"interop use", loc, -1, __builtin_return_address(0)};
  finish(finish_interop_work(thread), call);
  return 0;
}

OMPTARGET_API intptr_t omp_get_interop_int(const void *interop, int property, int *code) {
  const std::shared_ptr<Interop> object = readable(interop, property, kTypeIsInt, code);
  if (!object)
    return 0;
  if (property == kDeviceNumber)
    return raw(object->device().id());
  if (const ForeignRuntime *const runtime = object->runtime())
    return property == kForeignRuntime ? runtime->id : runtime->vendor;
  set_code(code, kNoValue);
  return 0;
}

OMPTARGET_API void *omp_get_interop_ptr(const void *interop, int property, int *code) {
  const std::shared_ptr<Interop> object = readable(interop, property, kTypeIsPointer, code);
  if (!object)
    return nullptr;
  void *value = nullptr;
  if (property == kDevice) {
    value = object->device_handle();
  } else if (property == kDeviceContext) {
    value = object->context_handle();
  } else if (property == kTargetSync) {
    Result<void *> queue = object->queue_handle();
    if (!queue.is_ok()) {
      (void)succeeded(queue.take_status(),
                      Call{"omp_get_interop_ptr", nullptr, raw(object->device().id()), __builtin_return_address(0)});
      set_code(code, kOther);
      return nullptr;
    }
    value = *queue;
  }
  set_code(code, value ? kSuccess : kNoValue);
  return value;
}

OMPTARGET_API const char *omp_get_interop_str(const void *interop, int property, int *code) {
  const std::shared_ptr<Interop> object = readable(interop, property, kTypeIsText, code);
  if (!object)
    return nullptr;
  if (const ForeignRuntime *const runtime = object->runtime())
    return property == kForeignRuntimeName ? runtime->name : runtime->vendor_name;
  set_code(code, kNoValue);
  return nullptr;
}

OMPTARGET_API const char *omp_get_interop_name(const void *, int property) {
  static constexpr const char *kNames[] = {"fr_id",    "fr_name", "vendor",         "vendor_name", "device_num",
                                           "platform", "device",  "device_context", "targetsync"};
  return is_property(property) ? kNames[-property - 1] : nullptr;
}

OMPTARGET_API const char *omp_get_interop_type_desc(const void *interop, int property) {
  static constexpr const char *kTypes[] = {"intptr_t", "const char *", "intptr_t", "const char *", "intptr_t",
                                           "void *",   "void *",       "void *",   "void *"};
  return interop && is_property(property) ? kTypes[-property - 1] : nullptr;
}

OMPTARGET_API const char *omp_get_interop_rc_desc(const void *, int code) {
  static constexpr const char *kTexts[] = {
      "the property has no value",      "success",
      "the object is omp_interop_none", "there is no such property",
      "the property is an integer",     "the property is a pointer",
      "the property is a string",       "the object was destroyed, or the device fails"};
  return code <= kNoValue && code >= kOther ? kTexts[kNoValue - code] : nullptr;
}

/// libomp, whose omp_get_interop_rc_desc programs call, looks for it by this name.
OMPTARGET_API const char *omp_get_interop_rec_desc(const void *interop, int code) {
  return omp_get_interop_rc_desc(interop, code);
}
}
