// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures name file and line, and variables of static storage. The lists are those that no compiler makes.
// RUN: %gcc %s -o %t
// RUN: %expect-abort %t kind 2>&1 | %check --check-prefix=KIND
// KIND: entry 0 of 1 has the kind 0x33 at {{.*}} with size 4: no such kind is known of GCC 12 to 14
// KIND: in target at {{.*}}errors.c:[[# @LINE + 50]]:
// RUN: %expect-abort %t members 2>&1 | %check --check-prefix=MEMBERS
// MEMBERS: entry 0 of 1 has the kind 0x1c at {{.*}} with size 4: it has no members, or more than the list
// RUN: %expect-abort %t end 2>&1 | %check --check-prefix=END
// END: its end comes without its beginning: another library had that
// END: in target data at {{.*}}errors.c:
// RUN: %expect-abort %t overlap 2>&1 | %check --check-prefix=OVERLAP
// OVERLAP: explicit extension not allowed: host address specified is {{.*}} (40 bytes)
// OVERLAP: in the mapping of values (40 bytes)
// OVERLAP: in target enter data at {{.*}}errors.c:[[# @LINE + 53]]:
// RUN: %expect-abort %t part 2>&1 | %check --check-prefix=PART
// PART: values (40 bytes) at host address {{0x[0-9a-f]+}} cannot be updated: only {{0x[0-9a-f]+}} to {{0x[0-9a-f]+}} is present on device 0
// PART: in target update at {{.*}}errors.c:[[# @LINE + 54]]:
// RUN: %expect-abort %t unreadable 2>&1 | %check --check-prefix=UNREADABLE
// UNREADABLE: host address {{0x[0-9a-f]+}} cannot be read
// UNREADABLE: Copying data to device failed: 80 bytes of host address
// UNREADABLE: in target at {{.*}}errors.c:[[# @LINE + 54]]:
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t routines 2>&1 | %check --check-prefix=ROUTINES
// ROUTINES: in omp_target_alloc at {{.*}}errors.c:[[# @LINE + 55]]:
// ROUTINES: in omp_target_memcpy at {{.*}}errors.c:[[# @LINE + 55]]:
// ROUTINES: host address {{0x[0-9a-f]+}} cannot be read
// ROUTINES: in omp_target_memcpy at {{.*}}errors.c:[[# @LINE + 54]]:
// RUN: %run LIBOMPTARGET_INFO=16 %t info 2>&1 | %check --check-prefix=KERNEL
// KERNEL: Launching kernel run._omp_fn.{{[0-9]+}} with 1 blocks and {{[0-9]+}} threads in Generic mode
// KERNEL-NOT: Launching
// RUN: %run LIBOMPTARGET_INFO=1 %t info 2>&1 | %check --check-prefix=INFO
// INFO: Entering OpenMP kernel at errors.c:
// INFO: tofrom(values)[40]
// RUN: %run LIBOMPTARGET_PROFILE=- %t info 2>&1 | %check --check-prefix=PROFILE
// PROFILE: target {{.*}}errors.c:
// PROFILE: Kernels
// PROFILE: run._omp_fn.
// PROFILE: values {{.*}} to device
// RUN: %run LIBOMPTARGET_CHECK=mapping %t forgotten 2>&1 | %check --check-prefix=CHECKED
// CHECKED: at errors.c:[[# @LINE + 45]]:1 drops what device 0 wrote
#include <omp.h>
#include <string.h>
#include <sys/mman.h>

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
  if (!strcmp(what, "part")) {
#pragma omp target enter data map(to : values[0 : 4])
#pragma omp target update to(values)
  }
  char *const refused = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!strcmp(what, "unreadable"))
#pragma omp target map(to : refused[0 : 80])
    values[3] = refused[0];
  if (!strcmp(what, "routines")) {
    void *const none = omp_target_alloc(8, 77);
    omp_target_memcpy(values, values, 8, 0, 0, 88, 0);
    omp_target_memcpy(omp_target_alloc(80, 0), refused, 8, 0, 0, 0, omp_get_initial_device());
    return none != NULL;
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
