// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text, errors and assertions. NVIDIA's drivers print by themselves; for AMD's GPUs the host's service does, where an image has one.

#include "services.h"

#if defined(__AMDGCN__)
/// The host service's part of the RTL defines it: prints, and returns what printf returns. Negative: there is no service.
extern "C" __attribute__((weak, visibility("hidden"))) int32_t __omptarget_service_print(const char *, void *,
                                                                                         uint32_t) {
  return -1;
}
#endif

namespace omptarget::device_rtl::gpu {

int32_t print(const char *format, [[maybe_unused]] void *arguments, [[maybe_unused]] uint32_t size) {
#if defined(__NVPTX__)
  return vprintf(format, arguments);
#else
  return __omptarget_service_print(format, arguments, size);
#endif
}

void fail(const char *why) {
  struct {
    const char *why;
    uint32_t block, thread;
  } arguments{why, target::block_id(), target::thread_id()};
  print("omptarget device RTL: %s (block %u, thread %u)\n", &arguments, sizeof(arguments));
  target::stop();
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL int32_t __llvm_omp_vprintf(const char *format, void *arguments, uint32_t size) {
  return print(format, arguments, size);
}

#if OMPTARGET_RTL_GENERATION >= 22 && defined(__AMDGCN__)
RTL_WEAK int32_t printf(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int32_t result = print(format, arguments, 0);
  __builtin_va_end(arguments);
  return result;
}
#endif

#if OMPTARGET_RTL_GENERATION >= 22
/// Of the directive error: 1 is a warning, all else ends the program.
RTL void __kmpc_error(ident_t *, int32_t severity, const char *message) {
  struct {
    const char *kind, *message;
  } arguments{severity == 1 ? "warning" : "error", message};
  print("OpenMP %s: %s\n", &arguments, sizeof(arguments));
  if (severity != 1)
    target::stop();
}
#endif

RTL_WEAK void __assert_fail(const char *expression, const char *file, uint32_t line, const char *function) {
  struct {
    const char *file;
    uint32_t line;
    const char *function, *expression;
  } arguments{file, line, function, expression};
  print("%s:%u: %s: Assertion `%s' failed\n", &arguments, sizeof(arguments));
  target::stop();
}
