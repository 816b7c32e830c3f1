// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function that device images call to translate function pointers, and the table it reads, for each device. All
// weak, as several images' worth of objects may be linked into one, and protected, so that the program and other
// images in the process do not take their place.

#include "search.h"
#include "targets/current.h"

extern "C" {

#if defined(__AMDGCN__)
/// An image is linked as one and calls its own, so that linkers can take away what it does not call.
#define OMPTARGET_DEVICE_SYMBOL __attribute__((weak, visibility("hidden")))
#else
#define OMPTARGET_DEVICE_SYMBOL __attribute__((weak, visibility("protected")))
#endif
/// Somebody outside writes them: without this the compiler, which sees no writer, would make them constants.
#define OMPTARGET_DEVICE_VARIABLE __attribute__((weak, used, retain, visibility("protected")))

/// The device's table and the number of its pairs. Written by the plugin; the pointer is switched to a table that is
/// complete, and size never exceeds what the pointer read after it points to.
OMPTARGET_DEVICE_VARIABLE __omp_offloading_fptr_map_ty *__omp_offloading_fptr_map_p = nullptr;
OMPTARGET_DEVICE_VARIABLE uint64_t __omp_offloading_fptr_map_size = 0;

#if defined(__AMDGCN__) || defined(__NVPTX__)
/// On GPUs the table has the image's own functions only: a kernel is launched with the registers and the stack that
/// those need.
OMPTARGET_DEVICE_VARIABLE __omptarget_other_functions_ty __omptarget_other_functions = {0, 0, 0};

/// Stops the kernel if the function is one of another image. The plugin says so then, by the address that it finds.
[[gnu::always_inline]] static inline void stop_at_other(uint64_t host_ptr) {
  using omptarget::device_rtl::CurrentTarget;
  const uint64_t count = CurrentTarget::load_global(&__omptarget_other_functions.count);
  const uint64_t pairs = CurrentTarget::load_global(&__omptarget_other_functions.pairs);
  if (omptarget::device_rtl::translate<CurrentTarget>(reinterpret_cast<const __omp_offloading_fptr_map_ty *>(pairs),
                                                      count, host_ptr) == host_ptr)
    return;
  const uint64_t asked = CurrentTarget::load_global(&__omptarget_other_functions.asked);
  *reinterpret_cast<volatile uint64_t *>(asked) = host_ptr;
  CurrentTarget::stop();
}
#else
/// Code of a CPU calls functions of every image.
static inline void stop_at_other(uint64_t) {}
#endif

OMPTARGET_DEVICE_SYMBOL void *__kmpc_target_translate_fptr(void *host_ptr) {
  using omptarget::device_rtl::CurrentTarget;
  if (host_ptr == nullptr)
    return nullptr;
  const auto key = reinterpret_cast<uint64_t>(host_ptr);
  const uint64_t count = CurrentTarget::load_global(&__omp_offloading_fptr_map_size);
  const __omp_offloading_fptr_map_ty *pairs = CurrentTarget::load_global(&__omp_offloading_fptr_map_p);
  const uint64_t found = omptarget::device_rtl::translate<CurrentTarget>(pairs, count, key);
  if (found == key) [[unlikely]]
    stop_at_other(key);
  return reinterpret_cast<void *>(found);
}

/// The name under which clang's own code and users' code asks. An image's own RTL that has it comes first.
OMPTARGET_DEVICE_SYMBOL void *__llvm_omp_indirect_call_lookup(void *host_ptr) {
  return __kmpc_target_translate_fptr(host_ptr);
}
}
