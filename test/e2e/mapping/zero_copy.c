// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that reach memory of the host (ATS, HMM, XNACK, APUs). Where mapped data is used in place the driver copies
// and pins nothing, kernels get the host's addresses and results are right. Where it is copied there are copies. In
// place: if the program requires unified_shared_memory, if OMPX_APU_MAPS asks for it, and on an APU of AMD's.

// REQUIRES: emulator-cuda || emulator-amdgpu
// REQUIRES: runtime-omptarget
// RUN: %clang -fopenmp-version=51 %s -o %t -ldl
// RUN: %clang -fopenmp-version=51 -DUNIFIED %s -o %t.unified -ldl
// RUN: %run SIM_CUDA_ATS=0 SIM_HSA_XNACK=0 %t copied 2>&1 | %check --implicit-check-not=warning
// RUN: %run SIM_CUDA_ATS=0 SIM_HSA_XNACK=0 OMPX_APU_MAPS=1 %t copied 2>&1 | %check --check-prefix=UNREACHED
// RUN: %run SIM_CUDA_ATS=0 SIM_HSA_XNACK=0 SIM_HSA_APU=1 OMPX_APU_MAPS=1 %t copied
// RUN: %run SIM_CUDA_HMM=1 SIM_HSA_XNACK=1 %t reached 2>&1 | %check --implicit-check-not=warning
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=0 %t reached
// RUN: %run SIM_CUDA_HMM=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=1 %t in-place 2>&1 | %check --implicit-check-not=warning
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 SIM_HSA_APU=1 OMPX_APU_MAPS=1 LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS=on %t in-place
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 SIM_HSA_APU=1 %t automatic
// RUN: %run SIM_CUDA_HMM=1 SIM_HSA_XNACK=1 %t.unified in-place 2>&1 | %check --implicit-check-not=warning
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 SIM_HSA_APU=1 %t.unified in-place

// CHECK: ok
// UNREACHED: omptarget warning: OMPX_APU_MAPS: device 0 ({{.*}}) reaches {{.*}}; mapped data is copied
// UNREACHED-NOT: warning
// UNREACHED: ok

#include "check.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#ifdef UNIFIED
#pragma omp requires unified_shared_memory
#endif

// Not in the oldest omp.h, nor in the library that the program is linked with.
#pragma weak omp_target_is_accessible
extern int omp_target_is_accessible(const void *, size_t, int);

enum { kCount = 1000, kLarge = 1 << 20 };

#pragma omp declare target
int entered = 1;
#pragma omp end declare target
int linked[kCount];
#pragma omp declare target link(linked)

typedef struct {
  int count;
  double *values;
} Vector;

static const char *(*record)(int);
static int in_place, is_unified, is_amd;
static int is_second; // the second of two rounds: in the first one the plugin may ask the device about its kernels
static int entered_there = 1;
static int numbers[kCount];
static double large[kLarge];

// Calls of the driver that begin like this, in a list of them.
static int occurrences(const char *calls, const char *name) {
  int count = 0;
  for (const char *at = calls; (at = strstr(at, name)); at++)
    count++;
  return count;
}

// Copies that are in such a list; and pins.
static int copies(const char *calls) {
  return occurrences(calls, "cuMemcpy") + occurrences(calls, "hsa_amd_memory_async_copy");
}
static int pins(const char *calls) {
  return occurrences(calls, "cuMemHostRegister ") + occurrences(calls, "hsa_amd_memory_lock ");
}

// The regions below make so many copies where data is copied, and none where it is used in place; then nothing is
// pinned, either.
#define COPIES(wanted, ...)                                                                                            \
  do {                                                                                                                 \
    record(1);                                                                                                         \
    __VA_ARGS__                                                                                                        \
    const char *const calls = record(0);                                                                               \
    if (is_second) {                                                                                                   \
      CHECK_EQ(copies(calls), in_place ? 0 : (wanted));                                                                \
      CHECK(!in_place || pins(calls) == 0);                                                                            \
    }                                                                                                                  \
  } while (0)
// As many in both cases.
#define ALWAYS_COPIES(wanted, ...)                                                                                     \
  do {                                                                                                                 \
    record(1);                                                                                                         \
    __VA_ARGS__                                                                                                        \
    CHECK_EQ(copies(record(0)), wanted);                                                                               \
  } while (0)

static void plain_data(void) {
  uintptr_t there = 0;
  large[kLarge - 1] = 0;
  for (int i = 0; i < kCount; i++)
    numbers[i] = i;
  COPIES(4, {
    _Pragma("omp target map(tofrom : numbers, there)") {
      HERE();
      there = (uintptr_t)numbers;
      for (int i = 0; i < kCount; i++)
        numbers[i]++;
    }
  });
  CHECK_EQ(there == (uintptr_t)numbers, in_place);
  CHECK_EQ(numbers[0] + numbers[kCount - 1], 1 + kCount);
  COPIES(2, {
    _Pragma("omp target map(tofrom : large)") {
      HERE();
      large[kLarge - 1] += 2;
    }
  });
  CHECK_EQ(large[kLarge - 1], 2);
  // The host's changes are seen at once, or when it says so.
  int seen = 0;
  COPIES(1, { _Pragma("omp target enter data map(to : numbers)") });
  CHECK_EQ(omp_target_is_present(numbers, 0), !in_place);
  numbers[7] = 1000;
#pragma omp target map(from : seen)
  seen = numbers[7];
  CHECK_EQ(seen, in_place ? 1000 : 8);
  COPIES(1, { _Pragma("omp target update to(numbers)") });
#pragma omp target map(from : seen)
  seen = numbers[7]++;
  CHECK_EQ(seen, 1000);
  COPIES(1, { _Pragma("omp target update from(numbers)") });
  CHECK_EQ(numbers[7], 1001);
  COPIES(1, { _Pragma("omp target exit data map(from : numbers)") });
}

static void pointers(void) {
  Vector vector = {kCount, malloc(kCount * sizeof(double))};
  for (int i = 0; i < kCount; i++)
    vector.values[i] = i;
  double *address = NULL, *const values = vector.values;
  COPIES(7, { // the struct and the values there and back, the pointer, and the address back and forth
    _Pragma("omp target map(tofrom : vector, vector.values[0 : kCount], address)") {
      HERE();
      address = vector.values;
      for (int i = 0; i < vector.count; i++)
        vector.values[i] *= 2;
    }
  });
  CHECK_EQ(address == values, in_place);
  CHECK(vector.values == values);
  CHECK_EQ(values[kCount - 1], 2 * (kCount - 1));
  double *of_host = NULL;
#pragma omp target data map(to : values[0 : kCount]) use_device_ptr(values)
  of_host = values;
  CHECK_EQ(of_host == vector.values, in_place);
  if (in_place) { // reached without being mapped
    COPIES(0, {
      _Pragma("omp target") {
        HERE();
        values[3] = 33;
      }
    });
    CHECK_EQ(vector.values[3], 33);
  }
  free(vector.values);
}

static void modifiers(void) {
  uintptr_t there = 0;
  int seen = 0;
  numbers[1] = 5;
  ALWAYS_COPIES(1, { _Pragma("omp target enter data map(close, to : numbers)") });
  CHECK(omp_target_is_present(numbers, 0));
  numbers[1] = 6; // not seen
  COPIES(2, {
    _Pragma("omp target map(tofrom : numbers) map(from : there, seen)") {
      HERE();
      there = (uintptr_t)numbers;
      seen = numbers[1]++;
    }
  });
  CHECK(there != (uintptr_t)numbers);
  CHECK_EQ(seen, 5);
  CHECK_EQ(numbers[1], 6);
  ALWAYS_COPIES(1, { _Pragma("omp target update from(numbers)") });
  CHECK_EQ(numbers[1], 6);
  CHECK(omp_target_is_present(numbers, 0)); // one reference is left
  ALWAYS_COPIES(1, { _Pragma("omp target exit data map(from : numbers)") });
  CHECK(!omp_target_is_present(numbers, 0));
  // Twice entered and once left; where it is used in place nothing is counted.
#pragma omp target enter data map(to : numbers)
  COPIES(1, { _Pragma("omp target enter data map(always, to : numbers)") });
#pragma omp target exit data map(release : numbers)
  CHECK_EQ(omp_target_is_present(numbers, 0), !in_place);
  COPIES(0, {
    _Pragma("omp target map(present, alloc : numbers)") {
      HERE();
      numbers[2] = 77;
    }
  });
  COPIES(1, { _Pragma("omp target update from(present : numbers)") });
  CHECK_EQ(numbers[2], 77);
  COPIES(0, { _Pragma("omp target exit data map(delete : numbers)") });
  CHECK(!omp_target_is_present(numbers, 0));
}

// The device has a variable that was entered, except under unified shared memory; linked ones are mapped as any other
// data.
static void globals(void) {
  uintptr_t there = 0;
  int seen = 0;
  entered = 20;
#pragma omp target map(from : there, seen)
  {
    HERE();
    there = (uintptr_t)&entered;
    seen = entered++;
  }
  CHECK_EQ(there == (uintptr_t)&entered, is_unified);
  CHECK_EQ(seen, is_unified ? 20 : entered_there);
  CHECK_EQ(entered, is_unified ? 21 : 20);
  record(1);
#pragma omp target update to(entered)
  CHECK_EQ(copies(record(0)), is_unified ? 0 : 1);
#pragma omp target
  {
    HERE();
    entered += 100;
  }
#pragma omp target update from(entered)
  CHECK_EQ(entered, is_unified ? 121 : 120);
  entered_there = 120;
  linked[3] = 4;
#pragma omp target map(tofrom : linked) map(from : there)
  {
    HERE();
    there = (uintptr_t)linked;
    linked[3]++;
  }
  CHECK_EQ(there == (uintptr_t)linked, in_place);
  CHECK_EQ(linked[3], 5);
  COPIES(0, {
    _Pragma("omp target map(alloc : linked)") {
      HERE();
      linked[3] = 6;
    }
  });
  CHECK_EQ(linked[3], in_place ? 6 : 5);
}

static void associated(void) {
  int *const device = omp_target_alloc(sizeof numbers, 0);
  uintptr_t there = 0;
  numbers[9] = 90;
  CHECK_EQ(omp_target_associate_ptr(numbers, device, sizeof numbers, 0, 0), 0);
  ALWAYS_COPIES(1, { _Pragma("omp target update to(numbers)") });
#pragma omp target map(tofrom : numbers) map(from : there)
  {
    HERE();
    there = (uintptr_t)numbers;
    numbers[9]++;
  }
  CHECK_EQ(there, (uintptr_t)device);
  CHECK_EQ(numbers[9], 90);
  ALWAYS_COPIES(1, { _Pragma("omp target update from(numbers)") });
  CHECK_EQ(numbers[9], 91);
  CHECK_EQ(omp_target_disassociate_ptr(numbers, 0), 0);
  omp_target_free(device, 0);
}

static void tasks(void) {
  numbers[0] = 0;
  COPIES(20, {
    for (int i = 0; i < 10; i++) {
      _Pragma("omp target nowait map(tofrom : numbers) depend(inout : numbers)") {
        HERE();
        numbers[0]++;
      }
    }
    _Pragma("omp taskwait")
  });
  CHECK_EQ(numbers[0], 10);
  char block[4096] = {3}; // a private copy is one in any case
#pragma omp target firstprivate(block) map(tofrom : numbers)
  {
    HERE();
    block[0]++;
    numbers[0] += block[0];
  }
  CHECK_EQ(numbers[0], 14);
  CHECK_EQ(block[0], 3);
}

static int open_driver(void) {
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver)
    is_amd = (driver = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD)) != NULL;
  record = driver ? (const char *(*)(int))dlsym(driver, is_amd ? "sim_hsa_record" : "sim_cuda_record") : NULL;
  return record != NULL;
}

int main(int argc, char **argv) {
#pragma omp target
  HERE();
  if (argc < 2 || !open_driver()) {
    printf("no stand-in\n");
    return 1;
  }
#ifdef UNIFIED
  is_unified = 1;
#endif
  in_place = strcmp(argv[1], "in-place") == 0 || (strcmp(argv[1], "automatic") == 0 && is_amd);
  CHECK_EQ(omp_target_is_accessible(numbers, sizeof numbers, 0) != 0, strcmp(argv[1], "copied") != 0);
  for (; is_second < 2; is_second++) {
    plain_data();
    pointers();
    modifiers();
    globals();
    associated();
    tasks();
  }
  return finish();
}
