// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text and errors. NVIDIA's drivers print by themselves; for AMD's GPUs the host's service does, where an image has
// one.

#include "services.h"

#if defined(__AMDGCN__)
// Instead of host_services.cpp, where an image calls nothing of it.
RTL_WEAK int32_t __omptarget_service_print(const char *, const void *, uint32_t) { return -1; }
RTL_WEAK void *__omptarget_service_allocate(uint64_t) { return nullptr; }
RTL_WEAK void __omptarget_service_release(void *) {}
RTL_WEAK uint64_t __omptarget_service_size_of(void *) { return 0; }
#endif

namespace omptarget::device_rtl::gpu {

ASSUME("omp_no_openmp") int32_t print(const char *format, void *arguments) {
#if defined(__NVPTX__)
  return vprintf(format, arguments);
#else
  return __omptarget_service_print(format, arguments, 8);
#endif
}

__attribute__((noinline)) void tell(const char *what) {
  struct {
    const char *what;
    uint32_t block, thread;
  } arguments{what, target::block_id(), target::thread_id()};
  print("omptarget device RTL: %s (block %u, thread %u)\n", &arguments);
}

// A name, as all texts are in code that most images leave out: the compiler counts those without one, and says the
// number in others' names.
static const char kBytesFormat[] = "omptarget device RTL: %llu bytes %s (block %u, thread %u)\n";
__attribute__((noinline)) void tell_bytes(uint64_t size, const char *what) {
  struct {
    uint64_t size;
    const char *what;
    uint32_t block, thread;
  } arguments{size, what, target::block_id(), target::thread_id()};
  print(kBytesFormat, &arguments);
}

void fail(const char *why) {
  tell(why);
  target::stop();
}

} // namespace omptarget::device_rtl::gpu

#if defined(__NVPTX__)
#include "messages.cpp"
#endif
