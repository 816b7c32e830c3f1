// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine with several NUMA domains, as far as its kernel tells of them, for programs linked with this library. Its
// files under /sys/devices/system/node are those in the folder FAKE_NUMA, those of PCI devices in its folder pci. mbind
// is noted instead of done, or refused if FAKE_NUMA_REFUSES is set.
#define _GNU_SOURCE
#include "fake_numa.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

enum { kMost = 4096 };
static struct {
  char *begin;
  size_t size;
  int domain;
} bound[kMost];
static int bound_count;

int fake_numa_domain_of(const void *address) {
  // A range may have been bound before, given back and bound anew: the last one holds.
  for (int i = __atomic_load_n(&bound_count, __ATOMIC_ACQUIRE); i-- > 0;)
    if ((const char *)address >= bound[i].begin && (const char *)address < bound[i].begin + bound[i].size)
      return bound[i].domain;
  return -1;
}

static long note(void *begin, size_t size, const unsigned long *mask, unsigned long bits) {
  if (getenv("FAKE_NUMA_REFUSES")) {
    errno = EPERM;
    return -1;
  }
  int domain = -1;
  const unsigned long each = sizeof(unsigned long) * CHAR_BIT;
  for (unsigned long bit = 0; bit + 1 < bits; bit++)
    if (mask[bit / each] >> (bit % each) & 1)
      domain = domain < 0 ? (int)bit : INT_MAX; // more than one: no domain
  const int slot = __atomic_fetch_add(&bound_count, 1, __ATOMIC_ACQ_REL);
  if (slot >= kMost)
    abort();
  bound[slot].begin = begin;
  bound[slot].size = size;
  bound[slot].domain = domain;
  return 0;
}

long syscall(long number, ...) {
  long values[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++)
    values[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_mbind)
    return note((void *)values[0], (size_t)values[1], (const unsigned long *)values[3], (unsigned long)values[4]);
  static long (*real)(long, ...);
  if (!real)
    real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

FILE *fopen(const char *name, const char *mode) {
  static const char *const folders[][2] = {{"/sys/devices/system/node", ""}, {"/sys/bus/pci/devices", "/pci"}};
  static FILE *(*real)(const char *, const char *);
  if (!real)
    real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  const char *other = getenv("FAKE_NUMA");
  char buffer[4096];
  for (int i = 0; other && i < 2; i++)
    if (strncmp(name, folders[i][0], strlen(folders[i][0])) == 0) {
      snprintf(buffer, sizeof buffer, "%s%s%s", other, folders[i][1], name + strlen(folders[i][0]));
      name = buffer;
      break;
    }
  return real(name, mode);
}
