// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_pause_resource gives the memory that is kept for later back to the driver; what the program has on devices stays,
// and everything works afterwards. Devices that are not in use are left alone.

// RUN: %clang %s -o %t -ldl
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t 2>&1 | %check
// LLVM's runtime does nothing, and says so.
// UNSUPPORTED: runtime-llvm
// CHECK: omptarget error: 9 is neither omp_pause_soft (1) nor omp_pause_hard (2)
// CHECK: omptarget {{.*}}Device number '99' out of range, only 4 devices available

#include "check.h"

#include <dlfcn.h>
#include <omp.h>
#include <string.h>

enum { kBytes = 4 << 20 };
static char kept[kBytes];
static int mapped[2] = {5, 5};
#pragma omp declare target
static int global = 1;
#pragma omp end declare target

static uint64_t (*count)(const char *);
static const char *release_call;

static uint64_t releases(void) { return count ? count(release_call) : 0; }

// Those that the next pause can give back.
static void keep_some(void) {
#pragma omp target map(tofrom : kept)
  kept[0]++;
  omp_target_free(omp_target_alloc(kBytes, 0), 0);
}

static void check_data(void *own) {
  int values[3] = {0};
#pragma omp target is_device_ptr(own) map(tofrom : values)
  {
    values[0] = mapped[1];
    values[1] = global;
    values[2] = *(int *)own;
  }
  CHECK_EQ(values[0], 5);
  CHECK_EQ(values[1], 2);
  CHECK_EQ(values[2], 77);
}

int main(void) {
  CHECK_EQ(omp_pause_resource(omp_pause_soft, 0), 0); // nothing is in use yet
  void *own = omp_target_alloc(sizeof(int), 0);
  int value = 77;
  CHECK_EQ(omp_target_memcpy(own, &value, sizeof value, 0, 0, 0, omp_get_initial_device()), 0);
#pragma omp target enter data map(to : mapped)
  mapped[1] = 6; // the device keeps the other value
#pragma omp target
  global++;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver) {
    count = (uint64_t(*)(const char *))dlsym(driver, "sim_cuda_count");
    release_call = "cuMemFree";
  } else if ((driver = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD))) {
    count = (uint64_t(*)(const char *))dlsym(driver, "sim_hsa_count");
    release_call = "hsa_amd_memory_pool_free";
  }
  const omp_pause_resource_t kinds[2] = {omp_pause_soft, omp_pause_hard};
  for (int i = 0; i < 2; i++) {
    keep_some();
    const uint64_t before = releases();
    CHECK_EQ(omp_pause_resource(kinds[i], 0), 0);
    if (count)
      CHECK(releases() > before);
    const uint64_t after = releases();
    CHECK_EQ(omp_pause_resource(kinds[i], 0), 0); // there is nothing left
    CHECK_EQ(releases(), after);
    check_data(own);
  }
  keep_some();
  const uint64_t before = releases();
  CHECK_EQ(omp_pause_resource_all(omp_pause_soft), 0);
  if (count)
    CHECK(releases() > before);
  check_data(own);
  CHECK_EQ(kept[0], 3);
  CHECK(omp_pause_resource((omp_pause_resource_t)9, 0) != 0);
  CHECK(omp_pause_resource(omp_pause_soft, 99) != 0);
#pragma omp target exit data map(delete : mapped)
  omp_target_free(own, 0);
  return finish();
}
