// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_* and llvm_omp_* routines on devices and their memory. libomp defines some of the same names and forwards to
// these; nothing inside this library calls an exported name, since that could land in libomp.

#include <initializer_list>
#include <memory>
#include <vector>

#include "abi/boundary.h"
#include "base/log.h"
#include "device/libomp.h"
#include "device/runtime.h"
#include "memory/memory.h"
#include "memory/memory_spaces.h"
#include "observe/api_caller.h"
#include "observe/construct_events.h"
#include "omptarget/compiler.h"
#include "region/device_variables.h"

using namespace omptarget;

namespace {

Call api_call(const char *function, int device, const void *code) {
  code = observe::take_caller(code);
  observe::note_api_call(code); // also while nobody listens: the call may be what connects a tool
  OMPTARGET_TRACE_DEVICE(Topic::kApi, device, "%s, called from %p", function, code);
  return {function, nullptr, device, code};
}

/// The value, or fallback after a failure was reported.
template <typename T> T value_or(Result<T> result, T fallback, const Call &call) {
  if (result.is_ok())
    return *result;
  (void)succeeded(result.take_status(), call); // prints the failure
  return fallback;
}

void *allocate(const char *function, size_t size, int device, int32_t kind, const void *code) {
  const Call call = api_call(function, device, code);
  return value_or<void *>(allocate_memory(size, device, kind), nullptr, call);
}

void release(const char *function, void *pointer, int device, int32_t kind, const void *code) {
  const Call call = api_call(function, device, code);
  (void)succeeded(free_memory(pointer, device, kind), call);
}

/// Returns whether all numbers are those of devices, before a task is started for them.
bool are_devices(const Call &call, std::initializer_list<int32_t> numbers) {
  for (const int32_t number : numbers)
    if (auto device = api_device(number); !device)
      return succeeded(device.take_status(), call);
  return true;
}

/// Does the work in a task with these dependences, or where libomp has no such tasks at once, after them.
template <typename Work> bool in_task(const Call &call, int32_t count, void *dependences, Work work) {
  struct Task {
    Call call;
    Work work;
  };
  auto *const objects = static_cast<void **>(dependences);
  if (count < 0 || (count > 0 && !objects))
    return succeeded(Status::error(format("the list of %d dependences at %p is none", count, dependences)), call);
  auto task = std::make_unique<Task>(Task{call, std::move(work)});
  const auto run = [](void *argument) {
    const std::unique_ptr<Task> own(static_cast<Task *>(argument));
    observe::note_api_call(own->call.code);
    finish_unreported(own->work(), own->call); // the routine has returned
  };
  if (libomp::start_task(run, task.get(), count, objects)) {
    (void)task.release(); // it deletes itself
    return true;
  }
  libomp::wait_for_depend_objects(count, objects);
  return succeeded(task->work(), call);
}

} // namespace

int omp_get_num_devices(void) { return Runtime::get().number_of_devices(); }
int omp_get_initial_device(void) { return Runtime::get().number_of_devices(); }
int omp_get_device_num(void) { return Runtime::get().number_of_devices(); }

void *omp_target_alloc(size_t size, int device) {
  return allocate("omp_target_alloc", size, device, OMPTARGET_ALLOC_DEFAULT, __builtin_return_address(0));
}
void *llvm_omp_target_alloc_device(size_t size, int device) {
  return allocate("llvm_omp_target_alloc_device", size, device, OMPTARGET_ALLOC_DEVICE, __builtin_return_address(0));
}
void *llvm_omp_target_alloc_host(size_t size, int device) {
  return allocate("llvm_omp_target_alloc_host", size, device, OMPTARGET_ALLOC_HOST, __builtin_return_address(0));
}
void *llvm_omp_target_alloc_shared(size_t size, int device) {
  return allocate("llvm_omp_target_alloc_shared", size, device, OMPTARGET_ALLOC_SHARED, __builtin_return_address(0));
}

void omp_target_free(void *pointer, int device) {
  release("omp_target_free", pointer, device, OMPTARGET_ALLOC_DEFAULT, __builtin_return_address(0));
}
void llvm_omp_target_free_device(void *pointer, int device) {
  release("llvm_omp_target_free_device", pointer, device, OMPTARGET_ALLOC_DEVICE, __builtin_return_address(0));
}
void llvm_omp_target_free_host(void *pointer, int device) {
  release("llvm_omp_target_free_host", pointer, device, OMPTARGET_ALLOC_HOST, __builtin_return_address(0));
}
void llvm_omp_target_free_shared(void *pointer, int device) {
  release("llvm_omp_target_free_shared", pointer, device, OMPTARGET_ALLOC_SHARED, __builtin_return_address(0));
}

int omp_target_memcpy(void *destination, const void *source, size_t length, size_t destination_offset,
                      size_t source_offset, int destination_device, int source_device) {
  const Call call = api_call("omp_target_memcpy", destination_device, __builtin_return_address(0));
  const Place to{destination, destination_offset, destination_device};
  const Place from{const_cast<void *>(source), source_offset, source_device};
  return succeeded(copy_memory(to, from, length), call) ? 0 : -1;
}

int omp_target_memcpy_rect(void *destination, const void *source, size_t element_size, int dimensions,
                           const size_t *volume, const size_t *destination_offsets, const size_t *source_offsets,
                           const size_t *destination_dimensions, const size_t *source_dimensions,
                           int destination_device, int source_device) {
  if (!destination && !source)
    return kMostDimensions;
  const Call call = api_call("omp_target_memcpy_rect", destination_device, __builtin_return_address(0));
  const Rectangle to{destination, destination_device, destination_offsets, destination_dimensions};
  const Rectangle from{const_cast<void *>(source), source_device, source_offsets, source_dimensions};
  return succeeded(copy_rectangle(to, from, {element_size, dimensions, volume}), call) ? 0 : -1;
}

void *omp_target_memset(void *pointer, int value, size_t length, int device) {
  const Call call = api_call("omp_target_memset", device, __builtin_return_address(0));
  finish_unreported(fill_memory(pointer, static_cast<uint8_t>(value), length, device), call);
  return pointer;
}

int omp_target_memcpy_async(void *destination, const void *source, size_t length, size_t destination_offset,
                            size_t source_offset, int destination_device, int source_device, int ndeps, void *deps) {
  const Call call = api_call("omp_target_memcpy_async", destination_device, __builtin_return_address(0));
  const Place to{destination, destination_offset, destination_device};
  const Place from{const_cast<void *>(source), source_offset, source_device};
  if (!are_devices(call, {destination_device, source_device}) || !succeeded(check_copy(to, from, length), call))
    return -1;
  return in_task(call, ndeps, deps, [=] { return copy_memory(to, from, length); }) ? 0 : -1;
}

int omp_target_memcpy_rect_async(void *destination, const void *source, size_t element_size, int dimensions,
                                 const size_t *volume, const size_t *destination_offsets, const size_t *source_offsets,
                                 const size_t *destination_dimensions, const size_t *source_dimensions,
                                 int destination_device, int source_device, int ndeps, void *deps) {
  if (!destination && !source)
    return kMostDimensions;
  const Call call = api_call("omp_target_memcpy_rect_async", destination_device, __builtin_return_address(0));
  if (!are_devices(call, {destination_device, source_device}) ||
      !succeeded(check_rectangle({destination, destination_device, destination_offsets, destination_dimensions},
                                 {const_cast<void *>(source), source_device, source_offsets, source_dimensions},
                                 {element_size, dimensions, volume}),
                 call))
    return -1;
  // The caller's arrays need not live as long as the task.
  const auto count = static_cast<size_t>(dimensions);
  std::vector<size_t> numbers;
  for (const size_t *array : {volume, destination_offsets, source_offsets, destination_dimensions, source_dimensions})
    numbers.insert(numbers.end(), array, array + count);
  return in_task(call, ndeps, deps,
                 [=, numbers = std::move(numbers)] {
                   const size_t *const data = numbers.data();
                   const Rectangle to{destination, destination_device, data + count, data + 3 * count};
                   const Rectangle from{const_cast<void *>(source), source_device, data + 2 * count, data + 4 * count};
                   return copy_rectangle(to, from, {element_size, dimensions, data});
                 })
             ? 0
             : -1;
}

void *omp_target_memset_async(void *pointer, int value, size_t length, int device, int ndeps, void *deps) {
  const Call call = api_call("omp_target_memset_async", device, __builtin_return_address(0));
  if (!are_devices(call, {device}))
    return pointer;
  if (Status status = check_fill(pointer, length); !status)
    finish_unreported(std::move(status), call);
  else
    (void)in_task(call, ndeps, deps, [=] { return fill_memory(pointer, static_cast<uint8_t>(value), length, device); });
  return pointer;
}

int omp_target_is_accessible(const void *pointer, size_t size, int device) {
  const Call call = api_call("omp_target_is_accessible", device, __builtin_return_address(0));
  return value_or(is_accessible(pointer, size, device), false, call) ? 1 : 0;
}

int omp_target_associate_ptr(const void *host_pointer, const void *device_pointer, size_t size, size_t device_offset,
                             int device) {
  const Call call = api_call("omp_target_associate_ptr", device, __builtin_return_address(0));
  return succeeded(associate(host_pointer, device_pointer, device_offset, size, device), call) ? 0 : -1;
}

int omp_target_disassociate_ptr(const void *host_pointer, int device) {
  const Call call = api_call("omp_target_disassociate_ptr", device, __builtin_return_address(0));
  return succeeded(disassociate(host_pointer, device), call) ? 0 : -1;
}

// Such memory is the host's, too, so that it makes no difference whether the host is to reach it.
int __tgt_get_mem_resources(int count, const int *devices, int, uintptr_t space, int *resources) {
  const Call call = api_call("omp_get_devices_memspace", -1, __builtin_return_address(0));
  const auto resource = value_or<std::optional<StorageResource>>(storage_resource({devices, count}, space), {}, call);
  if (resource && resources)
    *resources = static_cast<int>(*resource);
  return resource ? 1 : 0;
}

void *__tgt_omp_alloc(size_t size, uintptr_t) {
  const Call call = api_call("omp_alloc", -1, __builtin_return_address(0));
  return value_or<void *>(allocate_in_memory_space(size), nullptr, call);
}

void __tgt_omp_free(void *pointer, uintptr_t) {
  const Call call = api_call("omp_free", -1, __builtin_return_address(0));
  (void)succeeded(free_in_memory_space(pointer), call);
}

void *llvm_omp_target_lock_mem(void *pointer, size_t size, int device) {
  const Call call = api_call("llvm_omp_target_lock_mem", device, __builtin_return_address(0));
  return value_or<void *>(lock_memory(pointer, size, device), nullptr, call);
}

void llvm_omp_target_unlock_mem(void *pointer, int device) {
  const Call call = api_call("llvm_omp_target_unlock_mem", device, __builtin_return_address(0));
  (void)succeeded(unlock_memory(pointer, device), call);
}

// On the host there is no dynamic shared memory.
void *llvm_omp_target_dynamic_shared_alloc(void) { return nullptr; }
void *llvm_omp_get_dynamic_shared(void) { return nullptr; }

int omp_get_device_from_uid(const char *uid) { return device_of_uid(uid); }
const char *omp_get_uid_from_device(int device) { return uid_of_device(device); }

int omp_get_device_num_teams(int device) { return device_variable(DeviceVariable::kNumTeams, device); }
int omp_get_device_teams_thread_limit(int device) { return device_variable(DeviceVariable::kTeamsThreadLimit, device); }
void omp_set_device_num_teams(int teams, int device) {
  const Call call = api_call("omp_set_device_num_teams", device, __builtin_return_address(0));
  (void)succeeded(set_device_variable(DeviceVariable::kNumTeams, teams, device), call);
}
void omp_set_device_teams_thread_limit(int threads, int device) {
  const Call call = api_call("omp_set_device_teams_thread_limit", device, __builtin_return_address(0));
  (void)succeeded(set_device_variable(DeviceVariable::kTeamsThreadLimit, threads, device), call);
}

size_t omp_get_gprivate_limit(int device, int group) {
  const Call call = api_call("omp_get_gprivate_limit", device, __builtin_return_address(0));
  return value_or<size_t>(group_memory_limit(device, group), 0, call);
}

// libomp's omp_pause_resource and omp_pause_resource_all look for it (OpenMP 5.2, section 18.6): of the host they
// take care themselves.
int tgt_pause_resource(int kind, int device) {
  constexpr int kSoft = 1, kHard = 2;
  const Call call = api_call("omp_pause_resource", device, __builtin_return_address(0));
  Status status = kind == kSoft || kind == kHard
                      ? trim_memory(device)
                      : Status::error(format("%d is neither omp_pause_soft (1) nor omp_pause_hard (2)", kind));
  return succeeded(std::move(status), call) ? 0 : 1;
}

int omp_target_is_present(const void *pointer, int device) {
  const Call call = api_call("omp_target_is_present", device, __builtin_return_address(0));
  return value_or(is_present(pointer, device), false, call) ? 1 : 0;
}

void *omp_get_mapped_ptr(const void *pointer, int device) {
  const Call call = api_call("omp_get_mapped_ptr", device, __builtin_return_address(0));
  return value_or<void *>(mapped_address(pointer, device), nullptr, call);
}
