// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy that fails in its task, when the routine has returned 0, or a fill, whose routine cannot tell. Each is
// reported, and fatal where offloading is mandatory.

// RUN: rm -rf %t.plugins && mkdir %t.plugins
// RUN: %plainclang -shared -fPIC -I%prefix/include -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %S/../../fault/inputs/failing_plugin.c -o %t.plugins/libomptarget.rtl.failing.so -ldl
// RUN: %clang %s -o %t
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=failing %t copy 2>&1 | %check --check-prefix=NONE
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=failing FAIL_NAME=data_submit %t copy 2>&1 | %check --check-prefix=COPY
// RUN: %expect-abort LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=failing FAIL_NAME=data_submit %t copy 2>&1 | %check --check-prefix=FATAL-COPY
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=failing FAIL_NAME=data_submit %t fill 2>&1 | %check --check-prefix=FILL
// RUN: %expect-abort LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=failing FAIL_NAME=data_submit %t fill 2>&1 | %check --check-prefix=FATAL-FILL
// RUN: %expect-abort LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=failing FAIL_NAME=data_submit %t fill-late 2>&1 | %check --check-prefix=FATAL-LATE
// The plugin is for this library, and older runtimes to link with do not have all of these routines.
// UNSUPPORTED: runtime-llvm, plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16, plugins-of-llvm-16-legacy
// REQUIRES: clang-19-or-later

// NONE-NOT: omptarget
// NONE: went on
// COPY: omptarget error: {{.*}}data_submit fails on purpose
// COPY-NEXT: omptarget error: in omp_target_memcpy_async
// COPY: went on
// FATAL-COPY: omptarget error: {{.*}}data_submit fails on purpose
// FATAL-COPY-NEXT: omptarget error: in omp_target_memcpy_async
// FATAL-COPY: omptarget fatal error 1
// FILL: omptarget error: {{.*}}data_submit fails on purpose
// FILL-NEXT: omptarget error: in omp_target_memset
// FILL: went on
// FATAL-FILL: omptarget error: in omp_target_memset
// FATAL-FILL: omptarget fatal error 1
// FATAL-LATE: omptarget error: in omp_target_memset_async
// FATAL-LATE: omptarget fatal error 1

#include "check.h"

#include <string.h>

void *omp_target_memset(void *, int, size_t, int);
void *omp_target_memset_async(void *, int, size_t, int, int, omp_depend_t *);

int main(int argc, char **argv) {
  static int data[64];
  const int device = omp_get_default_device(), host = omp_get_initial_device();
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  CHECK_EQ(on_host, 0);
  void *memory = omp_target_alloc(sizeof data, device);
  CHECK(memory != NULL);
  if (strcmp(argv[1], "copy") == 0)
    CHECK_EQ(omp_target_memcpy_async(memory, data, sizeof data, 0, 0, device, host, 0, NULL), 0);
  else if (strcmp(argv[1], "fill") == 0)
    CHECK(omp_target_memset(memory, 1, sizeof data, device) == memory);
  else
    CHECK(omp_target_memset_async(memory, 1, sizeof data, device, 0, NULL) == memory);
#pragma omp taskwait
  omp_target_free(memory, device);
  fprintf(stderr, "went on\n");
  return finish();
}
