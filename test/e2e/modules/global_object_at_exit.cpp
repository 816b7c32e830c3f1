// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object that was made before the first use of a device keeps data there. Its destructor gets them back, unless a
// driver has ended before, which is reported.

// RUN: %clangxx %s -o %t
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t 2>&1 | %check --check-prefix=%lifetime
// UNSUPPORTED: runtime-llvm

#include <cstdio>
#include <cstdlib>
#include <omp.h>

struct Keeper {
  int values[4] = {1, 2, 3, 4};
  int *device_only = nullptr;
  void upload() {
#pragma omp target enter data map(to : values)
#pragma omp target map(alloc : values)
    for (int &value : values)
      value *= 10;
    device_only = static_cast<int *>(omp_target_alloc(sizeof(int), 0));
    int seven = 7;
    omp_target_memcpy(device_only, &seven, sizeof seven, 0, 0, 0, omp_get_initial_device());
  }
  ~Keeper() {
    int is_host = 1;
#pragma omp target map(from : is_host)
    is_host = omp_is_initial_device();
#pragma omp target exit data map(from : values)
    int seven = 0;
    omp_target_memcpy(&seven, device_only, sizeof seven, 0, 0, omp_get_initial_device(), 0);
    omp_target_free(device_only, 0);
    std::printf("host %d, values %d %d %d %d, %d\n", is_host, values[0], values[1], values[2], values[3], seven);
    std::fflush(stdout);
  }
};

static Keeper keeper;

int main() {
  keeper.upload();
  std::printf("main: %d\n", keeper.values[0]);
  std::fflush(stdout);
  // LASTS: main: 1
  // LASTS-NEXT: host 0, values 10 20 30 40, 7
  // DRIVER: main: 1
  // DRIVER-NEXT: omptarget error: target exit data{{.*}}: device 0 has ended, since the program ends, and with it 16 bytes of host address 0x{{[0-9a-f]+}}: they are not copied back
  // DRIVER: omptarget error: device 0 has ended, since the program ends, and with it the data that were to be copied
  // DRIVER: host 1, values 1 2 3 4, 0
  return 0;
}
