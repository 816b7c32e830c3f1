// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routines on devices, for C and, with an underscore, for Fortran. All that would have libgomp look for devices of
// its own is here, so that it never does.

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "gomp/core.h"
#include "gomp/declared.h"
#include "gomp/devices.h"
#include "gomp/system_libgomp.h"

using namespace omptarget::gomp;

namespace {

/// Waits for depend objects, in a list as GCC passes it.
void wait_for(int count, void **objects) {
  if (count <= 0)
    return;
  constexpr size_t kHead = 5;
  void **const list = new void *[kHead + static_cast<size_t>(count)]();
  list[1] = reinterpret_cast<void *>(static_cast<uintptr_t>(count));
  for (int i = 0; i < count; ++i)
    list[kHead + static_cast<size_t>(i)] = objects[i];
  GOMP_taskwait_depend(list);
  delete[] list;
}

int error_of(int result) { return result == 0 ? 0 : EINVAL; }

/// Returns whether the address lies in a variable that the devices share with the host, and the number is a device's.
bool is_shared(const void *address, int device, const void *code) {
  look_for_declared(code);
  return is_declared(address) && device >= 0 && device < device_count();
}

/// A part of memory that has several dimensions.
template <typename Address> struct Rectangle {
  Address address;
  const size_t *offsets, *dimensions;
  int device;
};

/// Numbers of dimensions are asked for by null addresses.
int copy_rectangle(const Rectangle<void *> &to, const Rectangle<const void *> &from, size_t element, int dimensions,
                   const size_t *volume, const void *code) {
  const bool is_question = !to.address && !from.address;
  if (!is_question)
    __omptarget_called_from(code);
  const int result = omptarget_core_memcpy_rect(to.address, from.address, element, dimensions, volume, to.offsets,
                                                from.offsets, to.dimensions, from.dimensions,
                                                resolve_for_routine(to.device), resolve_for_routine(from.device));
  return is_question ? result : error_of(result);
}

int pause(int kind, int device, const void *code) {
  const int number = resolve_for_routine(device), count = device_count();
  if (number == count)
    return system::pause_resource_all(kind);
  __omptarget_called_from(code);
  return omptarget_core_pause_resource(kind, number);
}

int pause_all(int kind, const void *code) {
  constexpr int kAllDevices = -11;
  __omptarget_called_from(code);
  const int result = omptarget_core_pause_resource(kind, kAllDevices);
  return result != 0 ? result : system::pause_resource_all(kind);
}

} // namespace

extern "C" {

OMPTARGET_API int omp_get_num_devices() { return device_count(); }
OMPTARGET_API int omp_get_num_devices_() { return device_count(); }
OMPTARGET_API int omp_get_initial_device() { return device_count(); }
OMPTARGET_API int omp_get_initial_device_() { return device_count(); }
OMPTARGET_API int omp_get_default_device() { return default_device(); }
OMPTARGET_API int omp_get_default_device_() { return default_device(); }
OMPTARGET_API void omp_set_default_device(int device) { set_default_device(device); }
OMPTARGET_API void omp_set_default_device_(const int *device) { set_default_device(*device); }
OMPTARGET_API void omp_set_default_device_8_(const int64_t *device) {
  set_default_device(static_cast<int>(std::clamp<int64_t>(*device, INT_MIN, INT_MAX)));
}
OMPTARGET_API int omp_is_initial_device() { return current_device() == kHost; }
OMPTARGET_API int omp_is_initial_device_() { return omp_is_initial_device(); }
OMPTARGET_API int omp_get_device_num() {
  const int current = current_device();
  return current == kHost ? device_count() : current;
}
OMPTARGET_API int omp_get_device_num_() { return omp_get_device_num(); }

OMPTARGET_API void *omp_target_alloc(size_t size, int device) {
  __omptarget_called_from(__builtin_return_address(0));
  return omptarget_core_target_alloc(size, resolve_for_routine(device));
}
OMPTARGET_API void omp_target_free(void *pointer, int device) {
  __omptarget_called_from(__builtin_return_address(0));
  omptarget_core_target_free(pointer, resolve_for_routine(device));
}
OMPTARGET_API int omp_target_is_present(const void *pointer, int device) {
  if (is_shared(pointer, device, __builtin_return_address(0)))
    return 1;
  __omptarget_called_from(__builtin_return_address(0));
  return omptarget_core_is_present(pointer, resolve_for_routine(device));
}
OMPTARGET_API int omp_target_is_accessible(const void *pointer, size_t size, int device) {
  __omptarget_called_from(__builtin_return_address(0));
  return omptarget_core_is_accessible(pointer, size, resolve_for_routine(device));
}
OMPTARGET_API void *omp_get_mapped_ptr(const void *pointer, int device) {
  if (is_shared(pointer, device, __builtin_return_address(0)))
    return const_cast<void *>(pointer);
  __omptarget_called_from(__builtin_return_address(0));
  return omptarget_core_mapped_ptr(pointer, resolve_for_routine(device));
}
OMPTARGET_API int omp_target_associate_ptr(const void *host, const void *target, size_t size, size_t offset,
                                           int device) {
  if (is_shared(host, device, __builtin_return_address(0)))
    return EINVAL; // it is present already
  __omptarget_called_from(__builtin_return_address(0));
  return error_of(omptarget_core_associate(host, target, size, offset, resolve_for_routine(device)));
}
OMPTARGET_API int omp_target_disassociate_ptr(const void *host, int device) {
  __omptarget_called_from(__builtin_return_address(0));
  return error_of(omptarget_core_disassociate(host, resolve_for_routine(device)));
}

OMPTARGET_API int omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset,
                                    int to_device, int from_device) {
  __omptarget_called_from(__builtin_return_address(0));
  return error_of(omptarget_core_memcpy(to, from, length, to_offset, from_offset, resolve_for_routine(to_device),
                                        resolve_for_routine(from_device)));
}
OMPTARGET_API int omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset,
                                          size_t from_offset, int to_device, int from_device, int count,
                                          void **objects) {
  wait_for(count, objects);
  __omptarget_called_from(__builtin_return_address(0));
  return error_of(omptarget_core_memcpy(to, from, length, to_offset, from_offset, resolve_for_routine(to_device),
                                        resolve_for_routine(from_device)));
}

OMPTARGET_API int omp_target_memcpy_rect(void *to, const void *from, size_t element, int dimensions,
                                         const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                                         const size_t *to_dimensions, const size_t *from_dimensions, int to_device,
                                         int from_device) {
  return copy_rectangle({to, to_offsets, to_dimensions, to_device}, {from, from_offsets, from_dimensions, from_device},
                        element, dimensions, volume, __builtin_return_address(0));
}
OMPTARGET_API int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int dimensions,
                                               const size_t *volume, const size_t *to_offsets,
                                               const size_t *from_offsets, const size_t *to_dimensions,
                                               const size_t *from_dimensions, int to_device, int from_device, int count,
                                               void **objects) {
  wait_for(count, objects);
  return copy_rectangle({to, to_offsets, to_dimensions, to_device}, {from, from_offsets, from_dimensions, from_device},
                        element, dimensions, volume, __builtin_return_address(0));
}

OMPTARGET_API int omp_pause_resource(int kind, int device) { return pause(kind, device, __builtin_return_address(0)); }
OMPTARGET_API int omp_pause_resource_(const int *kind, const int *device) {
  return pause(*kind, *device, __builtin_return_address(0));
}
OMPTARGET_API int omp_pause_resource_all(int kind) { return pause_all(kind, __builtin_return_address(0)); }
OMPTARGET_API int omp_pause_resource_all_(const int *kind) { return pause_all(*kind, __builtin_return_address(0)); }

} // extern "C"
