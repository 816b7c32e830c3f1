// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose images fit no device: quietly on the host by default, an error if offloading is mandatory.

// RUN: %clang %s -o %t
// RUN: %python %inputs/patch_image.py machine=21 %t %t.foreign
// RUN: chmod +x %t.foreign
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t.foreign 2>&1 | %check --check-prefix=QUIET
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t.foreign 2>&1 | %check --check-prefix=QUIET
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_INFO=16 %t.foreign 2>&1 | %check --check-prefix=INFO
// RUN: %expect-abort %t.foreign 2>&1 | %check --check-prefix=MANDATORY
// What LLVM's runtimes print differs, and only 19 and later print the information.
// UNSUPPORTED: runtime-llvm

// QUIET-NOT: {{.}}
// QUIET: ok
// QUIET-NOT: {{.}}
// INFO: No images found compatible with the installed hardware. Found 1 image(s): ({{.*}}); plugins here: {{.+}}
// INFO: ok
// MANDATORY-NOT: ok
// MANDATORY: {{^}}omptarget fatal error 1: failure of target construct while offloading is mandatory

#include "check.h"

int main(void) {
  int x = 1;
#pragma omp target enter data map(to : x)
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
#pragma omp target exit data map(from : x)
  CHECK_EQ(x, 2);
  CHECK_EQ(omp_get_num_devices(), 0);
  return finish_on_host(1);
}
