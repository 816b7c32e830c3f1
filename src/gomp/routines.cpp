// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The routines on devices, for C and, with an underscore, for Fortran. All that would have libgomp look for devices of
// its own is here, so that it never does.

#include <cerrno>
#include <cstddef>

#include "gomp/core.h"
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

} // namespace

extern "C" {

OMPTARGET_API int omp_get_num_devices() { return device_count(); }
OMPTARGET_API int omp_get_num_devices_() { return device_count(); }
OMPTARGET_API int omp_get_initial_device() { return device_count(); }
OMPTARGET_API int omp_get_initial_device_() { return device_count(); }
OMPTARGET_API int omp_get_default_device() { return default_device(); }
OMPTARGET_API int omp_get_default_device_() { return default_device(); }
OMPTARGET_API int omp_is_initial_device() { return current_device() == kHost; }
OMPTARGET_API int omp_is_initial_device_() { return omp_is_initial_device(); }
OMPTARGET_API int omp_get_device_num() {
  const int current = current_device();
  return current == kHost ? device_count() : current;
}
OMPTARGET_API int omp_get_device_num_() { return omp_get_device_num(); }

OMPTARGET_API void *omp_target_alloc(size_t size, int device) {
  return omptarget_core_target_alloc(size, resolve_for_routine(device));
}
OMPTARGET_API void omp_target_free(void *pointer, int device) {
  omptarget_core_target_free(pointer, resolve_for_routine(device));
}
OMPTARGET_API int omp_target_is_present(const void *pointer, int device) {
  return omptarget_core_is_present(pointer, resolve_for_routine(device));
}
OMPTARGET_API int omp_target_is_accessible(const void *pointer, size_t size, int device) {
  return omptarget_core_is_accessible(pointer, size, resolve_for_routine(device));
}
OMPTARGET_API void *omp_get_mapped_ptr(const void *pointer, int device) {
  return omptarget_core_mapped_ptr(pointer, resolve_for_routine(device));
}
OMPTARGET_API int omp_target_associate_ptr(const void *host, const void *target, size_t size, size_t offset,
                                           int device) {
  return error_of(omptarget_core_associate(host, target, size, offset, resolve_for_routine(device)));
}
OMPTARGET_API int omp_target_disassociate_ptr(const void *host, int device) {
  return error_of(omptarget_core_disassociate(host, resolve_for_routine(device)));
}

OMPTARGET_API int omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset,
                                    int to_device, int from_device) {
  return error_of(omptarget_core_memcpy(to, from, length, to_offset, from_offset, resolve_for_routine(to_device),
                                        resolve_for_routine(from_device)));
}
OMPTARGET_API int omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset,
                                          size_t from_offset, int to_device, int from_device, int count,
                                          void **objects) {
  wait_for(count, objects);
  return omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
}

OMPTARGET_API int omp_target_memcpy_rect(void *to, const void *from, size_t element, int dimensions,
                                         const size_t *volume, const size_t *to_offsets, const size_t *from_offsets,
                                         const size_t *to_dimensions, const size_t *from_dimensions, int to_device,
                                         int from_device) {
  const int result =
      omptarget_core_memcpy_rect(to, from, element, dimensions, volume, to_offsets, from_offsets, to_dimensions,
                                 from_dimensions, resolve_for_routine(to_device), resolve_for_routine(from_device));
  return !to && !from ? result : error_of(result);
}
OMPTARGET_API int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int dimensions,
                                               const size_t *volume, const size_t *to_offsets,
                                               const size_t *from_offsets, const size_t *to_dimensions,
                                               const size_t *from_dimensions, int to_device, int from_device, int count,
                                               void **objects) {
  wait_for(count, objects);
  return omp_target_memcpy_rect(to, from, element, dimensions, volume, to_offsets, from_offsets, to_dimensions,
                                from_dimensions, to_device, from_device);
}

OMPTARGET_API int omp_pause_resource(int kind, int device) {
  const int number = resolve_for_routine(device), count = device_count();
  return number == count ? system::pause_resource_all(kind) : omptarget_core_pause_resource(kind, number);
}
OMPTARGET_API int omp_pause_resource_(const int *kind, const int *device) { return omp_pause_resource(*kind, *device); }
OMPTARGET_API int omp_pause_resource_all(int kind) {
  constexpr int kAllDevices = -11;
  const int result = omptarget_core_pause_resource(kind, kAllDevices);
  return result != 0 ? result : system::pause_resource_all(kind);
}
OMPTARGET_API int omp_pause_resource_all_(const int *kind) { return omp_pause_resource_all(*kind); }

} // extern "C"
