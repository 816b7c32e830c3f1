// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_HOST_DEVICES=numa where the kernel has several NUMA domains. The pages of each device lie on its domain,
// wherever the thread runs that touches them first, and its threads run on the domain's CPUs. test/numa/run runs it.
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma omp begin declare target
#include <sched.h>
static double global[1 << 16];
#pragma omp end declare target

enum { kPage = 4096, kMostThreads = 64 };
static int failed;

static void check(int holds, const char *what, int device, long value) {
  if (holds)
    return;
  printf("device %d: %s: %ld\n", device, what, value);
  failed = 1;
}

/// The domain of each page, as the kernel tells.
static void check_pages(const char *what, void *begin, size_t size, int device) {
  char *const first = (char *)((unsigned long)begin & ~(unsigned long)(kPage - 1));
  for (char *page = first; page < (char *)begin + size; page += kPage) {
    void *pages[1] = {page};
    int status[1] = {-1};
    if (syscall(SYS_move_pages, 0, 1UL, pages, NULL, status, 0) != 0)
      status[0] = -1000;
    check(status[0] == device, what, device, status[0]);
  }
}

static int domain_of_cpu(int cpu) {
  char path[128];
  for (int domain = 0; domain < 64; domain++) {
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpu%d", domain, cpu);
    if (access(path, F_OK) == 0)
      return domain;
  }
  return -1;
}

static void check_device(int device) {
  static const size_t sizes[] = {64, 4096, 65536, 1 << 20, 20000000};
  for (int i = 0; i < 5; i++) {
    char *memory = omp_target_alloc(sizes[i], device);
    memset(memory, 1, sizes[i]); // a thread of the host's writes them
    check_pages("allocated by the program", memory, sizes[i], device);
    omp_target_free(memory, device);
  }
  static char mapped[1 << 20];
#pragma omp target data device(device) map(to : mapped)
  {
    char *there = NULL;
#pragma omp target data device(device) use_device_addr(mapped)
    there = mapped;
    check(there != mapped, "mapped data have a copy", device, 0);
    check_pages("mapped", there, sizeof mapped, device);
  }
  double *global_there = NULL;
  int cpus[kMostThreads], count = 0;
#pragma omp target device(device) map(from : global_there, cpus) map(tofrom : count)
  {
    memset(global, 0, sizeof global);
    global_there = global;
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0)
        count = omp_get_num_threads();
      if (omp_get_thread_num() < kMostThreads)
        cpus[omp_get_thread_num()] = sched_getcpu();
    }
  }
  check(global_there != global, "globals have a copy", device, 0);
  check_pages("a global", global_there, sizeof global, device);
  check(count == 2, "threads of a team", device, count);
  for (int i = 0; i < count && i < kMostThreads; i++)
    check(domain_of_cpu(cpus[i]) == device, "a thread runs in domain", device, domain_of_cpu(cpus[i]));
}

int main(void) {
  const int devices = omp_get_num_devices();
  check(devices == 2, "devices", -1, devices);
  for (int from = 0; from < 4; from++) { // on the CPUs of both domains
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(from, &one);
    if (from > 0)
      sched_setaffinity(0, sizeof one, &one);
    for (int device = 0; device < devices; device++)
      check_device(device);
  }
  printf(failed ? "failed\n" : "pages and threads are where they belong\n");
  return failed;
}
