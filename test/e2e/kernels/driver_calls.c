// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of a construct in calls of a GPU's driver, on the stand-ins, which note them. It has no allocation and no
// wait more than the program asked for. Calls that only choose CUDA's context, and writing to AMD's queues and signals,
// are not counted. A device that the program does not use gets nothing.

// RUN: %clang %s -o %t -ldl
// RUN: %run %t
// REQUIRES: emulator-cuda || emulator-amdgpu

#include "check.h"

#include <dlfcn.h>
#include <string.h>

static const char *(*record)(int);
static int is_amd;
static int scalar = 1, other = 2;
static char data[4096], mapped[4096];
static double large[1 << 20], sum;

// A wait on AMD's driver is repeated as long as it takes, and each is noted.
static const char *with_single_waits(const char *calls) {
  static char text[10000];
  char *to = text;
  for (const char *from = calls; *from && to < text + sizeof text - 20;) {
    const size_t wait = strncmp(from, "blocked wait ", 13) == 0 ? 13 : strncmp(from, "active wait ", 12) == 0 ? 12 : 0;
    if (wait != 0) {
      from += wait;
      if (to - text < 5 || strncmp(to - 5, "wait ", 5) != 0)
        to += sprintf(to, "wait ");
    } else {
      *to++ = *from++;
    }
  }
  *to = 0;
  return text;
}

static void check_calls(int line, const char *cuda, const char *amd) {
  const char *calls = with_single_waits(record(0)), *wanted = is_amd ? amd : cuda;
  if (strcmp(calls, wanted) == 0)
    return;
  printf("%s:%d: the driver was called\n    %s\nwanted\n    %s\n", __FILE__, line, calls, wanted);
  failed_checks++;
}

// The construct runs twice; streams, events and memory that the first one made are there for the second, which is
// looked at.
#define COSTS(name, cuda, amd, ...)                                                                                    \
  static __attribute__((noinline)) void name(void) { __VA_ARGS__ }                                                     \
  static void check_##name(void) {                                                                                     \
    name();                                                                                                            \
    record(1);                                                                                                         \
    name();                                                                                                            \
    check_calls(__LINE__, cuda, amd);                                                                                  \
  }

#define LAUNCH "cuLaunchKernel "
#define TO "cuMemcpyHtoDAsync "
#define FROM "cuMemcpyDtoHAsync "
#define WAIT "cuStreamSynchronize "
#define ASK "hsa_amd_pointer_info " // asks if the memory is pinned
#define COPY "hsa_amd_memory_async_copy " // AMD's, there or back
#define PIN "hsa_amd_memory_lock "
#define UNPIN "hsa_amd_memory_unlock "
#define W "wait "
#define EVENT "cuEventRecord " // for threads that meet data which are still on their way

COSTS(empty, LAUNCH WAIT, W, _Pragma("omp target") { HERE(); })
COSTS(private_scalar, LAUNCH WAIT, W, int x = scalar; _Pragma("omp target firstprivate(x)") { x++; })
COSTS(private_array, TO LAUNCH WAIT, COPY W, char x[4096] = {1}; _Pragma("omp target firstprivate(x)") { x[1]++; })
COSTS(present_data, LAUNCH WAIT, W, _Pragma("omp target map(tofrom : mapped)") { mapped[0]++; })
COSTS(new_data, TO EVENT LAUNCH FROM WAIT, COPY COPY W, _Pragma("omp target map(tofrom : data)") { data[0]++; })
COSTS(large_data, TO EVENT LAUNCH FROM WAIT, ASK ASK PIN COPY COPY W UNPIN,
      _Pragma("omp target map(tofrom : large)") { large[0]++; })
COSTS(two_of_each, TO TO EVENT LAUNCH FROM FROM WAIT, COPY COPY COPY COPY W,
      _Pragma("omp target map(tofrom : scalar, other)") { scalar += other; })
COSTS(only_on_device, LAUNCH WAIT, W, _Pragma("omp target map(alloc : data)") { data[0]++; })
COSTS(enter_exit_alloc, "", "", _Pragma("omp target enter data map(alloc : data)")
      _Pragma("omp target exit data map(release : data)"))
COSTS(enter_exit, TO EVENT WAIT FROM WAIT, COPY W COPY W, _Pragma("omp target enter data map(to : data)")
      _Pragma("omp target exit data map(from : data)"))
COSTS(update, TO WAIT FROM WAIT, COPY W COPY W,
      _Pragma("omp target update to(mapped)") _Pragma("omp target update from(mapped)"))
COSTS(reduction, TO EVENT LAUNCH FROM WAIT, COPY COPY W,
      _Pragma("omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)")
      for (int i = 0; i < 1000; i++) sum += i;)
COSTS(host_work, "", "", _Pragma("omp target if(0)") { scalar++; })

// Resources of a device in use: a context; queues.
static void check_other_device(void *driver) {
  uint64_t (*count)(const char *) =
      (uint64_t (*)(const char *))dlsym(driver, is_amd ? "sim_hsa_count" : "sim_cuda_count");
  const char *const what = is_amd ? "hsa_queue_create" : "cuDevicePrimaryCtxRetain";
  const uint64_t before = count(what);
#pragma omp target device(1)
  { HERE(); }
  CHECK_EQ(count(what), 2 * before);
}

int main(void) {
  int x = 0;
#pragma omp target map(tofrom : x)
  x++;
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (!driver)
    is_amd = (driver = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_NOLOAD)) != NULL;
  record = driver ? (const char *(*)(int))dlsym(driver, is_amd ? "sim_hsa_record" : "sim_cuda_record") : NULL;
  if (!record) {
    printf("no stand-in\n");
    return 1;
  }
#pragma omp target enter data map(to : mapped)
  check_empty();
  check_private_scalar();
  check_private_array();
  check_present_data();
  check_new_data();
  check_large_data();
  check_two_of_each();
  check_only_on_device();
  check_enter_exit_alloc();
  check_enter_exit();
  check_update();
  check_reduction();
  check_host_work();
  check_other_device(driver);
#pragma omp target exit data map(delete : mapped)
  return finish();
}
