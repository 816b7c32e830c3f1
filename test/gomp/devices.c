// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of devices, and the routines on devices and their memory.
// RUN: %gcc %s -o %t
// RUN: %run %t
// RUN: %run OMP_DEFAULT_DEVICE=2 %t 2
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT OMP_DEFAULT_DEVICE=1862270977 %t any 1862270977
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t any 0
#include "check.h"
#include <limits.h>
#include <string.h>

static void where(int device, int *number, int *levels) {
#pragma omp target map(from : number[ : 1], levels[ : 1]) device(device)
  {
    HERE();
    *levels = omp_get_level();
    int all = omp_get_device_num();
#pragma omp parallel num_threads(3) reduction(min : all)
    all = omp_is_initial_device() ? -1 : omp_get_device_num();
#pragma omp parallel
#pragma omp single
#pragma omp task shared(all)
    if (omp_is_initial_device())
      all = -2;
    *number = all;
  }
}

static void numbers(void) {
  const int count = omp_get_num_devices();
  CHECK_EQ(count, 4);
  CHECK_EQ(omp_get_initial_device(), count);
  CHECK_EQ(omp_get_device_num(), count);
  CHECK(omp_is_initial_device());
  for (int device = 0; device < count; ++device) {
    int number = -5, levels = -5;
    where(device, &number, &levels);
    CHECK_EQ(number, device);
    CHECK_EQ(levels, 0);
  }
  int x = 0;
#pragma omp target device(count) map(tofrom : x)
  x = omp_is_initial_device();
  CHECK(x);
  omp_set_default_device(3);
  CHECK_EQ(omp_get_default_device(), 3);
#pragma omp target map(from : x)
  x = omp_get_device_num();
  CHECK_EQ(x, 3);
  CHECK_EQ(omp_get_default_device(), 3);
#pragma omp parallel num_threads(2)
#pragma omp target map(from : x)
#pragma omp atomic write
  x = omp_get_level();
  CHECK_EQ(x, 0);
  omp_set_default_device(0);
}

static void memory(void) {
  int host[6] = {1, 2, 3, 4, 5, 6}, back[6] = {0}, sum = 0;
  const int initial = omp_get_initial_device();
  int *device = omp_target_alloc(sizeof host, 1);
  CHECK(device != NULL);
  CHECK_EQ(omp_target_memcpy(device, host, sizeof host, 0, 0, 1, initial), 0);
#pragma omp target is_device_ptr(device) device(1) map(from : sum)
  sum = device[0] + device[5];
  CHECK_EQ(sum, 7);
#pragma omp target device(1) map(from : sum) // an address without a mapping stays as it is
  sum = device[1];
  CHECK_EQ(sum, 2);
  CHECK_EQ(omp_target_memcpy(back, device, 2 * sizeof(int), 0, sizeof(int), initial, 1), 0);
  CHECK(back[0] == 2 && back[1] == 3 && back[2] == 0);
  const size_t volume[2] = {2, 2}, zero[2] = {0, 0}, one[2] = {0, 1}, size[2] = {2, 3};
  CHECK_EQ(omp_target_memcpy_rect(back, device, sizeof(int), 2, volume, zero, one, size, size, initial, 1), 0);
  CHECK(back[0] == 2 && back[1] == 3 && back[3] == 5 && back[4] == 6);
  CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, 0, 0) >= 3);
  int associated[6] = {0};
  CHECK_EQ(omp_target_associate_ptr(associated, device, sizeof associated, 0, 1), 0);
  CHECK(omp_target_is_present(associated, 1));
  CHECK(!omp_target_is_present(associated, 0));
  CHECK(omp_target_is_present(associated, initial));
#pragma omp target map(always, from : associated) device(1)
  associated[2] = 33;
  CHECK_EQ(associated[2], 33);
  CHECK_EQ(associated[5], 6);
  CHECK_EQ(omp_target_disassociate_ptr(associated, 1), 0);
  omp_target_free(device, 1);
}

/// Where a region is that has no device clause.
static int where_by_default(void) {
  int number = -5;
#pragma omp target map(from : number)
  number = omp_is_initial_device() ? -1 : omp_get_device_num();
  return number;
}

/// Any number may be the default device. libgomp 12 takes negative ones for 0; from 13 on, -1 is the initial device.
static int any_number(int at_start) {
  static const int numbers[] = {1,          0x6f000001, 0x6f000000, 0x6f000002, 0x6e000001, 0x6f0007ff, 0x6f000800,
                                0x6f0008ff, 0x6f000900, 0x7fffffff, 4,          77,         0x6effffff, 0};
  CHECK_EQ(omp_get_default_device(), at_start);
  CHECK_EQ(where_by_default(), at_start < omp_get_num_devices() ? at_start : -1);
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    omp_set_default_device(numbers[i]);
    CHECK_EQ(omp_get_default_device(), numbers[i]);
    CHECK(omp_is_initial_device());
    CHECK_EQ(omp_get_device_num(), omp_get_num_devices());
    int inherited = 0;
#pragma omp parallel num_threads(2) reduction(+ : inherited)
    inherited = omp_get_default_device() == numbers[i] && omp_is_initial_device();
    CHECK_EQ(inherited, 2);
    CHECK_EQ(where_by_default(), numbers[i] < omp_get_num_devices() ? numbers[i] : -1);
    CHECK_EQ(omp_get_default_device(), numbers[i]);
  }
  omp_set_default_device(-1);
  const int set = omp_get_default_device();
  CHECK(set == 0 || set == -1);
  CHECK_EQ(where_by_default(), set);
  omp_set_default_device(INT_MIN);
  CHECK_EQ(where_by_default(), 0);
  omp_set_default_device(2);
  int in_region = -5;
#pragma omp target map(from : in_region)
  {
    omp_set_default_device(1);
    in_region = omp_is_initial_device() ? -1 : omp_get_device_num();
  }
  CHECK_EQ(in_region, 2);
  CHECK_EQ(omp_get_default_device(), 2);
  return finish();
}

int main(int argc, char **argv) {
  if (argc > 2)
    return any_number(atoi(argv[2]));
  CHECK_EQ(omp_get_default_device(), argc > 1 ? atoi(argv[1]) : 0);
  if (argc > 1) {
    int number = -1;
#pragma omp target map(from : number)
    number = omp_get_device_num();
    CHECK_EQ(number, atoi(argv[1]));
  }
  numbers();
  memory();
  CHECK_EQ(omp_pause_resource(omp_pause_soft, 0), 0);
  return finish();
}
