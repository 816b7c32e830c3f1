// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_HOST_DEVICES=numa: NUMA domains as devices, on a machine that the library fake_numa makes up. Domains 0
// and 3 share the CPUs of this one, 1 has memory alone, 2 has CPUs that the process may not use. This cannot show pages
// that lie where they were bound, which is the kernel's work.

// RUN: %clang -shared -fPIC %inputs/fake_numa.c -o %t.fake.so -ldl
// RUN: %clang %s -I%inputs %t.fake.so -o %t -pthread
// RUN: rm -rf %t.nodes
// RUN: %run %t describe %t.nodes
// RUN: %run FAKE_NUMA=%t.nodes LIBOMPTARGET_HOST_DEVICES=numa %t bound
// RUN: %run FAKE_NUMA=%t.nodes LIBOMPTARGET_HOST_DEVICES=numa OMP_PROC_BIND=close OMP_PLACES=cores %t bound
// RUN: %run FAKE_NUMA=%t.nodes LIBOMPTARGET_HOST_DEVICES=numa OMP_NUM_THREADS=3 %t three
// RUN: rm -rf %t.one
// RUN: %run ONE_DOMAIN=1 %t describe %t.one && %run FAKE_NUMA=%t.one ONE_DOMAIN=1 LIBOMPTARGET_HOST_DEVICES=numa %t bound
// RUN: %run FAKE_NUMA=%t.nodes LIBOMPTARGET_HOST_DEVICES=numa FAKE_NUMA_REFUSES=1 %t refused 2>&1 | %check --check-prefix=REFUSED
// RUN: %run FAKE_NUMA=%t.nowhere LIBOMPTARGET_HOST_DEVICES=numa %t nowhere 2>&1 | %check --check-prefix=NOWHERE
// REFUSED: omptarget warning: LIBOMPTARGET_HOST_DEVICES: memory cannot be bound to NUMA domain 0: Operation not permitted; pages lie
// REFUSED: ok
// NOWHERE: omptarget warning: LIBOMPTARGET_HOST_DEVICES: {{.*}} names no NUMA domain with a CPU that this process may use; the CPU is one device
// NOWHERE: ok
// ThreadSanitizer ends a child that starts threads.
// UNSUPPORTED: runtime-llvm, emulator-cuda, emulator-amdgpu, tsan

#define _GNU_SOURCE
#pragma omp begin declare target
#include <sched.h>
#pragma omp end declare target

#include "fake_numa.h"
#include "numa_folder.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMostThreads = 64 };

static int domain_of_device[2] = {0, 3};
static cpu_set_t cpus_of_device[2];
static int devices;
static int is_bound = 1;
static int threads_wanted; // 0: as many as CPUs

/// The first CPU of the process is domain 0, the others are domain 3; with ONE_DOMAIN all are domain 0.
static void divide_cpus(void) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all))
      CPU_SET(cpu, &cpus_of_device[seen++ != 0 && !getenv("ONE_DOMAIN")]);
  devices = CPU_COUNT(&cpus_of_device[1]) == 0 ? 1 : 2;
}

static void describe(const char *folder) {
  static char lists[2][8 * CPU_SETSIZE];
  for (int device = 0; device < 2; device++)
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
      if (CPU_ISSET(cpu, &cpus_of_device[device]))
        sprintf(lists[device] + strlen(lists[device]), "%s%d", lists[device][0] ? "," : "", cpu);
  write_numa_file(folder, "", "online", "0-3\n");
  write_numa_file(folder, "", "has_memory", "0-1,3\n");
  write_numa_file(folder, "/node0", "cpulist", lists[0]);
  write_numa_file(folder, "/node1", "cpulist", "\n");
  write_numa_file(folder, "/node2", "cpulist", "60000-60003\n");
  write_numa_file(folder, "/node3", "cpulist", lists[1]);
}

static void check_memory(int device) {
  static const size_t sizes[] = {1, 64, 65, 4000, 4096, 65536, 65537, 1 << 20, 5000001};
  enum { kSizes = sizeof sizes / sizeof sizes[0], kEach = 40 };
  static char *blocks[kSizes][kEach];
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < kSizes; i++)
      for (int k = 0; k < kEach; k++) {
        char *const block = blocks[i][k] = omp_target_alloc(sizes[i], device);
        CHECK(block && ((unsigned long)block & (sizes[i] < 4096 ? 15 : 63)) == 0);
        CHECK_EQ(fake_numa_domain_of(block), is_bound ? domain_of_device[device] : -1);
        CHECK_EQ(fake_numa_domain_of(block + sizes[i] - 1), is_bound ? domain_of_device[device] : -1);
        memset(block, 16 * i + k % 16, sizes[i]);
      }
    for (int i = 0; i < kSizes; i++)
      for (int k = 0; k < kEach; k++) {
        CHECK_EQ(blocks[i][k][0], (char)(16 * i + k % 16));
        CHECK_EQ(blocks[i][k][sizes[i] - 1], (char)(16 * i + k % 16));
        omp_target_free(blocks[i][k], device);
      }
  }
}

/// Every thread of a region runs on the CPUs of its domain, as many threads as there are.
static void check_threads(int device) {
  cpu_set_t masks[kMostThreads], mask_of_first;
  memset(masks, 0, sizeof masks);
  int count = 0, count_of_teams = 0;
#pragma omp target device(device) map(tofrom : masks, count) map(from : mask_of_first)
  {
    HERE();
    sched_getaffinity(0, sizeof mask_of_first, &mask_of_first);
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0)
        count = omp_get_num_threads();
      if (omp_get_thread_num() < kMostThreads)
        sched_getaffinity(0, sizeof masks[0], &masks[omp_get_thread_num()]);
    }
  }
  const int wanted = threads_wanted ? threads_wanted : CPU_COUNT(&cpus_of_device[device]);
  CHECK_EQ(count, wanted);
  CHECK(CPU_EQUAL(&mask_of_first, &cpus_of_device[device]));
  for (int i = 0; i < count && i < kMostThreads; i++) {
    cpu_set_t inside;
    CPU_AND(&inside, &masks[i], &cpus_of_device[device]);
    CHECK(CPU_COUNT(&masks[i]) > 0 && CPU_EQUAL(&inside, &masks[i]));
  }
#pragma omp target teams distribute parallel for device(device) map(tofrom : count_of_teams)
  for (int i = 0; i < 1000; i++) {
    HERE();
    if (i == 0)
      count_of_teams = omp_get_num_threads();
  }
  CHECK(count_of_teams >= 1 && count_of_teams <= wanted);
}

static void *run_thread(void *unused) {
  for (int i = 0; i < 50; i++) {
    int sum = 0;
#pragma omp target teams distribute parallel for device(i % devices) map(tofrom : sum) reduction(+ : sum)
    for (int k = 0; k < 100; k++) {
      HERE();
      sum += k;
    }
    CHECK_EQ(sum, 4950);
  }
  return unused;
}

static void check_concurrent(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, run_thread, 0);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], 0);
}

static void check_fork(void) {
  const pid_t child = fork();
  if (child == 0) {
    for (int device = 0; device < devices; device++)
      check_memory(device);
    run_thread(0);
    _exit(failed_checks != 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(int count, char **arguments) {
  divide_cpus();
  const char *const mode = arguments[1];
  if (strcmp(mode, "describe") == 0) {
    describe(arguments[count - 1]);
    return finish();
  }
  if (strcmp(mode, "nowhere") == 0) {
    CHECK_EQ(omp_get_num_devices(), 1);
    devices = 1;
    run_thread(0);
    return finish();
  }
  is_bound = strcmp(mode, "refused") != 0;
  threads_wanted = strcmp(mode, "three") == 0 ? 3 : 0;
  CHECK_EQ(omp_get_num_devices(), devices);
  for (int device = 0; device < devices; device++) {
    check_memory(device);
    check_threads(device);
  }
  check_concurrent();
  check_fork();
  return finish();
}
