// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures name file and line, and variables of static storage. The lists are those that no compiler makes.
// RUN: %gcc %s -o %t
// RUN: %expect-abort %t kind 2>&1 | %check --check-prefix=KIND
// KIND: entry 0 of 1 has the kind 0x33 at {{.*}} with size 4: no such kind is known of GCC 12 to 14
// KIND: in target at {{.*}}errors.c:[[# @LINE + 33]]:
// RUN: %expect-abort %t members 2>&1 | %check --check-prefix=MEMBERS
// MEMBERS: entry 0 of 1 has the kind 0x1c at {{.*}} with size 4: it has no members, or more than the list
// RUN: %expect-abort %t end 2>&1 | %check --check-prefix=END
// END: its end comes without its beginning: another library had that
// END: in target data at {{.*}}errors.c:
// RUN: %expect-abort %t overlap 2>&1 | %check --check-prefix=OVERLAP
// OVERLAP: explicit extension not allowed: host address specified is {{.*}} (40 bytes)
// OVERLAP: in target enter data at {{.*}}errors.c:[[# @LINE + 37]]:
// RUN: %run LIBOMPTARGET_INFO=1 %t info 2>&1 | %check --check-prefix=INFO
// INFO: Entering OpenMP kernel at errors.c:
// INFO: tofrom(values)[40]
// RUN: %run LIBOMPTARGET_PROFILE=- %t info 2>&1 | %check --check-prefix=PROFILE
// PROFILE: target {{.*}}errors.c:
// PROFILE: Kernels
// PROFILE: run._omp_fn.
// PROFILE: values {{.*}} to device
// RUN: %run LIBOMPTARGET_CHECK=mapping %t forgotten 2>&1 | %check --check-prefix=CHECKED
// CHECKED: at errors.c:[[# @LINE + 30]]:1 drops what device 0 wrote
#include <omp.h>
#include <string.h>

void GOMP_target_ext(int device, void (*function)(void *), size_t count, void **addresses, size_t *sizes,
                     unsigned short *kinds, unsigned flags, void **depend, void **arguments);
void GOMP_target_end_data(void);

static int values[10];

static void nothing(void *vector) { (void)vector; }

static void call(unsigned short kind) {
  void *address = values;
  size_t size = 4;
  GOMP_target_ext(-1, nothing, 1, &address, &size, &kind, 0, 0, 0);
}

static int run(const char *what) {
  if (!strcmp(what, "kind"))
    call(0x0233);
  if (!strcmp(what, "members"))
    call(0x021c);
  if (!strcmp(what, "end"))
    GOMP_target_end_data();
  if (!strcmp(what, "overlap")) {
#pragma omp target enter data map(to : values[0 : 4])
#pragma omp target enter data map(to : values)
  }
  if (!strcmp(what, "forgotten")) {
#pragma omp target map(to : values)
    values[3] = 3;
  }
  if (!strcmp(what, "info")) {
#pragma omp target map(tofrom : values)
    values[3] = 3;
    return values[3] != 3;
  }
  return 0;
}

int main(int argc, char **argv) { return argc > 1 ? run(argv[1]) : 2; }
