// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Host memory that cannot be read and is copied to the device: an error says which, instead of a signal.

// RUN: %clang -g %s -o %t
// RUN: %expect-abort %t map 2>&1 | %check --check-prefixes=MAP,ALL
// RUN: %expect-abort %t end 2>&1 | %check --check-prefixes=END,ALL
// RUN: %expect-abort %t update 2>&1 | %check --check-prefixes=UPDATE,ALL
// RUN: %expect-abort %t null 2>&1 | %check --check-prefixes=NULL,ALL
// RUN: %run %t handled
// REQUIRES: runtime-omptarget

#include "check.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *pages;
static size_t size;

static void handle(int signal) {
  (void)signal;
  mprotect(pages, size, PROT_READ | PROT_WRITE);
}

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "";
  size = 2 * (size_t)sysconf(_SC_PAGESIZE);
  pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *const p = pages, *const nothing = (char *)(size_t)(argc - 2);
  // ALL: {{^}}omptarget error: host address 0x{{[0-9a-f]+}} cannot be read
  // ALL-NEXT: {{^}}omptarget error: Copying data to device failed: {{[0-9]+}} bytes of host address 0x{{[0-9a-f]+}}
  if (!strcmp(what, "map")) {
    mprotect(p, size, PROT_NONE);
    // MAP: {{^}}omptarget error: in the mapping of p[0:100] (100 bytes) at {{.*}}unreadable.c:
    // MAP: {{^}}omptarget error: in target at {{.*}}unreadable.c:[[# @LINE + 1]]:
#pragma omp target map(tofrom : p[0 : 100])
    p[5] = 50;
  }
  if (!strcmp(what, "end")) {
    munmap(p + size / 2, size / 2);
    // END: {{^}}omptarget error: in target enter data at {{.*}}unreadable.c:[[# @LINE + 1]]:
#pragma omp target enter data map(to : p[0 : size / 2 + 1])
  }
  if (!strcmp(what, "update")) {
#pragma omp target enter data map(alloc : p[0 : 100])
    mprotect(p, size, PROT_NONE);
    // UPDATE: {{^}}omptarget error: in target update at {{.*}}unreadable.c:[[# @LINE + 1]]:
#pragma omp target update to(p[0 : 100])
  }
  if (!strcmp(what, "null")) {
    // NULL: {{^}}omptarget error: in target enter data at {{.*}}unreadable.c:[[# @LINE + 1]]:
#pragma omp target data map(to : nothing[8 : 4])
    HERE();
  }
  // A program may make the memory readable when it is read.
  signal(SIGSEGV, handle);
  p[5] = 5;
  mprotect(p, size, PROT_NONE);
  int five = 0;
#pragma omp target map(to : p[0 : 100]) map(from : five)
  {
    HERE();
    five = p[5];
  }
  CHECK_EQ(five, 5);
  return finish();
}
