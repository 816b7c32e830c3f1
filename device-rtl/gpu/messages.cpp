// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that compilers call to print. For AMD's GPUs it is beside the host services, so that an image that
// calls it has these.

#include "services.h"

using namespace omptarget::device_rtl::gpu;

RTL int32_t __llvm_omp_vprintf(const char *format, void *arguments, uint32_t) { return print(format, arguments); }

/// The directive error: severity 1 is a warning, any other ends the program.
RTL void __kmpc_error(ident_t *, int32_t severity, const char *message) {
  struct {
    const char *kind, *message;
  } arguments{severity == 1 ? "warning" : "error", message};
  print("OpenMP %s: %s\n", &arguments);
  if (severity != 1)
    target::stop();
}

RTL_WEAK void __assert_fail(const char *expression, const char *file, uint32_t line, const char *function) {
  struct {
    const char *file;
    uint32_t line;
    const char *function, *expression;
  } arguments{file, line, function, expression};
  print("%s:%u: %s: Assertion `%s' failed\n", &arguments);
  target::stop();
}
