// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plugins of LLVM that would end the process over a setting that is no number for them are left out with a warning.
// LLVM 16 has a second one that takes its place.

// RUN: %clang %s -o %t
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_DEBUG=mapping %t 2>&1 | %check --check-prefix=DEBUG
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_INFO=lots %t 2>&1 | %check --check-prefix=INFO
// RUN: %run LIBOMPTARGET_DEBUG=1 LIBOMPTARGET_INFO=16 %t 2>&1 | %check --check-prefix=NUMBERS
// REQUIRES: plugins-of-llvm-16 || plugins-of-llvm-17 || plugins-of-llvm-18
// UNSUPPORTED: plugins-of-llvm-18 && clang-16

// DEBUG: omptarget warning: LIBOMPTARGET_DEBUG: {{.*}}libomptarget.rtl.x86_64{{.*}}.so is not used: it would end the process,
// DEBUG-SAME: since plugins of LLVM take only numbers here, not 'mapping'
// DEBUG: {{^}}on {{the host|a device}}
// INFO: LIBOMPTARGET_INFO
// INFO: libomptarget.rtl.x86_64{{.*}}.so is not used
// INFO: {{^}}on {{the host|a device}}
// NUMBERS: plugin x86_64
// NUMBERS: on a device

#include <omp.h>
#include <stdio.h>

int main(void) {
  int is_device = 0;
#pragma omp target map(from : is_device)
  is_device = !omp_is_initial_device();
  fprintf(stderr, "%s\n", is_device ? "on a device" : "on the host");
  return 0;
}
