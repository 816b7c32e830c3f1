// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library whose image does not fit the device that the program uses. The default is that the host does all of the
// library's constructs. If one meets data that are on the device, a message that names these ends the program.

// RUN: %clangxx -DLIBRARY -shared -fPIC -g %s -o %t.fits.so
// RUN: %python %inputs/patch_image.py machine=21 %t.fits.so %t.so
// RUN: %clangxx -DLIBRARY -DSHARED -shared -fPIC %s -o %t.fits.shared.so
// RUN: %python %inputs/patch_image.py machine=21 %t.fits.shared.so %t.shared.so
// RUN: %clangxx -g %s %t.so -o %t
// RUN: %clangxx -DSHARED %s %t.shared.so -o %t.shared
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t alone 2>&1 | %check --check-prefix=QUIET
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_INFO=16 %t alone 2>&1 | %check --check-prefix=INFO
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t region 2>&1 | %check --check-prefix=REGION
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t pointer 2>&1 | %check --check-prefix=POINTER
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t.shared alone 2>&1 | %check --check-prefix=GLOBAL
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t enter 2>&1 | %check --check-prefix=ENTER
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t update 2>&1 | %check --check-prefix=UPDATE
// RUN: %expect-abort OMP_TARGET_OFFLOAD=DEFAULT %t leave 2>&1 | %check --check-prefix=LEAVE
// RUN: %expect-abort %t alone 2>&1 | %check --check-prefix=MANDATORY
// LLVM's runtimes end such programs at the library's first region.
// UNSUPPORTED: runtime-llvm

// QUIET-NOT: {{.}}
// QUIET: ok
// QUIET-NOT: {{.}}
// INFO: No images found compatible with the installed hardware. Found 1 image(s): (ppc64le); plugins here: {{.+}}
// INFO: ok
// REGION: omptarget error: 400 bytes of host address 0x{{[0-9a-f]+}} are on device 0
// REGION-NEXT: omptarget error: kernel {{.*}}lib_add{{.*}} of {{.*}}.so is in no image that fits the device, and the host cannot run it
// REGION: omptarget error: in the mapping of a[0:n] (400 bytes) at
// REGION: omptarget fatal error 1
// POINTER: omptarget error: 400 bytes of host address 0x{{[0-9a-f]+}} are on device 0
// POINTER-NEXT: omptarget error: kernel {{.*}}lib_peek{{.*}} of {{.*}}.so is in no image that fits the device, and the host cannot run it
// POINTER: omptarget fatal error 1
// GLOBAL: omptarget error: the variable shared is on device 0
// GLOBAL-NEXT: omptarget error: kernel {{.*}}lib_add{{.*}} of {{.*}}.so is in no image that fits the device, and the host cannot run it
// GLOBAL: omptarget fatal error 1
// ENTER: omptarget error: 400 bytes of host address 0x{{[0-9a-f]+}} are on device 0
// ENTER-NEXT: omptarget error: no image of {{.*}}.so fits the device, so that the host does the constructs of that module
// ENTER: omptarget error: in target enter data
// ENTER: omptarget fatal error 1
// UPDATE: omptarget error: 400 bytes of host address 0x{{[0-9a-f]+}} are on device 0
// UPDATE: omptarget error: in target update
// UPDATE: omptarget fatal error 1
// LEAVE: omptarget error: 400 bytes of host address 0x{{[0-9a-f]+}} are on device 0
// LEAVE: omptarget error: in target exit data
// LEAVE: omptarget fatal error 1
// MANDATORY-NOT: ok
// MANDATORY: kernel {{.*}} of {{.*}}.so is in no image that fits device 0
// MANDATORY: omptarget fatal error 1: failure of target construct while offloading is mandatory

#include "check.h"

#include <string.h>

#ifdef SHARED
#pragma omp declare target
inline int shared = 1;
#pragma omp end declare target
#else
static int shared = 1;
#endif

#ifdef LIBRARY

void lib_enter(int *a, int n) {
#pragma omp target enter data map(to : a[0 : n])
}
void lib_update(int *a, int n) {
#pragma omp target update from(a[0 : n])
}
void lib_leave(int *a, int n) {
#pragma omp target exit data map(from : a[0 : n])
}
int lib_add(int *a, int n) {
  int on_host = 0;
#pragma omp target map(tofrom : a[0 : n]) map(from : on_host)
  {
    for (int i = 0; i < n; i++)
      a[i] += shared;
    on_host = omp_is_initial_device();
  }
  return on_host;
}
int lib_peek(int *a) {
  int value = 0;
#pragma omp target map(from : value)
  value = a[5];
  return value;
}
int lib_data_region(int *a, int n) {
  int seen = 0;
#pragma omp target data map(to : a[0 : n]) use_device_ptr(a)
  {
#pragma omp target is_device_ptr(a) map(from : seen)
    seen = a[5];
  }
  return seen;
}

#else

void lib_enter(int *a, int n), lib_update(int *a, int n), lib_leave(int *a, int n);
int lib_add(int *a, int n), lib_peek(int *a), lib_data_region(int *a, int n);

/// The library on its own: data constructs and regions of it work on the host's memory, in any order.
static void alone() {
  int a[100];
  for (int i = 0; i < 100; i++)
    a[i] = i;
  lib_enter(a, 100);
  CHECK_EQ(omp_target_is_present(a, omp_get_default_device()), 0);
  a[5] = 50;
  CHECK_EQ(lib_add(a, 100), 1);
  lib_update(a, 100);
  CHECK_EQ(a[5], 51);
  CHECK_EQ(lib_data_region(a, 100), 51);
  // Data that the library has mapped are on the device for no other module.
#pragma omp target map(tofrom : a)
  {
    HERE();
    a[5]++;
  }
  CHECK_EQ(a[5], 52);
  CHECK_EQ(lib_peek(a), 52);
  lib_leave(a, 100);
  CHECK_EQ(a[5], 52);
  CHECK_EQ(a[99], 100);
}

int main(int, char **argv) {
  const auto wants = [&](const char *what) { return strcmp(argv[1], what) == 0; };
  int a[100] = {0};
  int on_host = 1;
#pragma omp target map(from : on_host)
  {
    HERE();
    on_host = omp_is_initial_device() + shared - 1;
  }
  CHECK_EQ(on_host, 0);
  if (wants("alone"))
    alone();
#pragma omp target data map(tofrom : a)
  {
    if (wants("region"))
      lib_add(a, 100);
    if (wants("pointer"))
      lib_peek(a);
    if (wants("enter"))
      lib_enter(a, 100);
    if (wants("update"))
      lib_update(a, 100);
    if (wants("leave"))
      lib_leave(a, 100);
  }
  return finish();
}

#endif
