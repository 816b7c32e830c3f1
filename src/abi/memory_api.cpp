// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_* and llvm_omp_* routines on devices and their memory. libomp defines some of the same names and forwards to these;
// nothing inside this library calls an exported name, since that could land in libomp.

#include "abi/boundary.h"
#include "base/log.h"
#include "device/runtime.h"
#include "omptarget/compiler.h"
#include "region/memory.h"

using namespace omptarget;

namespace {

Call api_call(const char *function, int device, const void *code) { return {function, nullptr, device, code}; }

/// The value, or fallback after a failure was reported.
template <typename T> T value_or(Result<T> result, T fallback, const Call &call) {
  return succeeded(result.is_ok() ? Status::ok() : result.take_status(), call) ? *result : fallback;
}

void *allocate(const char *function, size_t size, int device, int32_t kind, const void *code) {
  return value_or<void *>(allocate_memory(size, device, kind), nullptr, api_call(function, device, code));
}

void release(const char *function, void *pointer, int device, int32_t kind, const void *code) {
  (void)succeeded(free_memory(pointer, device, kind), api_call(function, device, code));
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
  const Place to{destination ? static_cast<char *>(destination) + destination_offset : nullptr, destination_device};
  const Place from{source ? const_cast<char *>(static_cast<const char *>(source)) + source_offset : nullptr,
                   source_device};
  return succeeded(copy_memory(to, from, length), call) ? 0 : -1;
}

int omp_target_is_present(const void *pointer, int device) {
  const Call call = api_call("omp_target_is_present", device, __builtin_return_address(0));
  return value_or(is_present(pointer, device), false, call) ? 1 : 0;
}

void *omp_get_mapped_ptr(const void *pointer, int device) {
  const Call call = api_call("omp_get_mapped_ptr", device, __builtin_return_address(0));
  return value_or<void *>(mapped_address(pointer, device), nullptr, call);
}
