// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_AVAILABLE_DEVICES: which devices the program has, and in which order; OMP_DEFAULT_DEVICE by traits.

// RUN: %clang %s -o %t -ldl
// RUN: %run %t list > %t.uids
// RUN: %run %t %t.uids 0,1,2,3
// RUN: %run 'OMP_AVAILABLE_DEVICES=*' %t %t.uids 0,1,2,3
// RUN: %run OMP_AVAILABLE_DEVICES=3,1 %t %t.uids 3,1
// RUN: %run 'OMP_AVAILABLE_DEVICES=2, *' %t %t.uids 2,0,1,3
// RUN: %run 'OMP_AVAILABLE_DEVICES=kind(any)[1:2]' %t %t.uids 1,2
// RUN: %run 'OMP_AVAILABLE_DEVICES=*[::3]' LIBOMPTARGET_DEBUG=device LIBOMPTARGET_INFO=16 %t %t.uids 0,3 2>&1 | %check --check-prefix=THREE
// RUN: %run 'OMP_AVAILABLE_DEVICES=kind(fpga)' OMP_TARGET_OFFLOAD=DEFAULT %t %t.uids none
// RUN: %run 'OMP_AVAILABLE_DEVICES=kind(fpga)' %expect-abort %t %t.uids 0 2>&1 | %check --check-prefix=NONE
// RUN: %run OMP_AVAILABLE_DEVICES=3- %t %t.uids 0,1,2,3 2>&1 | %check --check-prefix=DAMAGED
// RUN: %run OMP_AVAILABLE_DEVICES=3,1 LIBOMPTARGET_DEFAULT_DEVICE=local-rank SLURM_PROCID=7 SLURM_LOCALID=3 %t %t.uids 3,1 1
// The host's runtime may complain of traits, which it does not know.
// RUN: %run 'OMP_DEFAULT_DEVICE=!kind(cpu)||kind(cpu)[2]' %t %t.uids 0,1,2,3 2
// RUN: %run 'OMP_DEFAULT_DEVICE=kind(' %t %t.uids 0,1,2,3 0 2>&1 | %check --check-prefix=TRAITS
// RUN: %run 'OMP_AVAILABLE_DEVICES=3,2' 'OMP_DEFAULT_DEVICE=(kind(any))[1]' %t %t.uids 3,2 1
// RUN: %run 'OMP_DEFAULT_DEVICE=vendor(nobody)' %t %t.uids 0,1,2,3 0 2>&1 | %check --check-prefix=NOBODY
// UNSUPPORTED: runtime-llvm

// THREE: device 0 is device 0 of plugin
// THREE: device 1 is device 3 of plugin
// THREE: [device 0] [device] initialising device 0 of plugin
// THREE-NOT: initialising
// THREE: [device 1] [device] initialising device 3 of plugin
// THREE-NOT: initialising
// THREE: device 1 info: Launching kernel
// NONE: available: 0 of 4 device(s), by OMP_AVAILABLE_DEVICES=kind(fpga)
// DAMAGED: omptarget warning: OMP_AVAILABLE_DEVICES: '3-' is no list of devices: {{.*}}a comma was expected before '-'; all devices are available
// TRAITS: OMP_DEFAULT_DEVICE: 'kind(' names no device: {{.*}}')' is missing at its end
// NOBODY: OMP_DEFAULT_DEVICE: none of the 4 device(s) is 'vendor(nobody)'

#define _GNU_SOURCE // RTLD_DEFAULT
#include "check.h"

#include <dlfcn.h>
#include <string.h>

enum { kMost = 16, kLength = 128 };
typedef const char *UidFunction(int);

/// The name of a device in all orders.
static const char *uid_of(int device) {
  UidFunction *const function = (UidFunction *)dlsym(RTLD_DEFAULT, "omp_get_uid_from_device");
  return function ? function(device) : 0;
}

static int list_devices(void) {
  for (int device = 0; device < omp_get_num_devices(); device++)
    printf("%s\n", uid_of(device));
  return 0;
}

static void check_device(int device, const char *uid) {
  int data = device;
#pragma omp target device(device) map(tofrom : data)
  {
    HERE();
    data += 100;
  }
  CHECK_EQ(data, 100 + device);
  CHECK(uid_of(device) && strcmp(uid_of(device), uid) == 0);
}

/// list, or: a file with the names of all devices, which of them are wanted, the default one.
int main(int count, char **arguments) {
  if (strcmp(arguments[1], "list") == 0)
    return list_devices();
  char uids[kMost][kLength];
  FILE *const file = fopen(arguments[1], "r");
  for (int i = 0; i < kMost && fgets(uids[i], kLength, file); i++)
    uids[i][strlen(uids[i]) - 1] = 0;
  fclose(file);
  if (strcmp(arguments[2], "none") == 0) {
    CHECK_EQ(omp_get_num_devices(), 0);
#pragma omp target
    HERE();
    return finish_on_host(1);
  }
  int devices = 0;
  for (const char *list = arguments[2]; *list; list += *list == ',')
    check_device(devices++, uids[strtol(list, (char **)&list, 10)]);
  CHECK_EQ(omp_get_num_devices(), devices);
  if (count > 3)
    CHECK_EQ(omp_get_default_device(), atoi(arguments[3]));
  return finish();
}
