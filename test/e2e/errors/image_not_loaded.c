// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A failure to load an image is reported once, when it happens, with image, device and cause. Constructs that need a
// variable of the image end the program. Routines do under MANDATORY only. Other data are mapped as ever.

// RUN: %clang %s -o %t.whole
// RUN: %run %t.whole all
// RUN: %python %inputs/patch_image.py symbol=some_variable %t.whole %t
// RUN: chmod +x %t
// RUN: bash -c 'for what in enter exit update update_nowait use_address use_pointer attach; do \
// RUN:   for policy in MANDATORY DEFAULT; do \
// RUN:     echo "$what $policy"; %expect-abort OMP_TARGET_OFFLOAD=$policy %t $what || exit 1; \
// RUN:   done; done' 2>&1 | %check --check-prefixes=TOLD,CONSTRUCT
// RUN: bash -c 'for what in mapped present; do echo $what; %expect-abort %t $what || exit 1; done' 2>&1 \
// RUN:   | %check --check-prefixes=TOLD,ROUTINE
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t none mapped present associate 2>&1 | %check --check-prefix=ABSENT
// RUN: %run %t other 2>&1 | %check --check-prefix=OTHER
// RUN: %run OMP_TARGET_OFFLOAD=DISABLED %t all
// Clang 14 does not tell its static variables from what an image lacks.
// REQUIRES: clang-15-or-later
// UNSUPPORTED: runtime-llvm, tsan, emulator-cuda, emulator-amdgpu
// Other plugins look at an image in their own way.
// UNSUPPORTED: plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16, plugins-of-llvm-16-legacy, plugins-of-first-abi

// TOLD: message: the image of {{.*}} could not be loaded on device 0: {{.*(lacks the global 'some_variable', which its program has|undefined symbol: some_variabl)}}
// TOLD-NOT: message:
// CONSTRUCT: error: {{.*}}some_variabl
// CONSTRUCT-NEXT: error: the image of {{.*}}image_not_loaded.c.tmp could not be loaded on device 0
// CONSTRUCT-NEXT: error: the variable some_{{variable|array|pointer}} is not on device 0
// CONSTRUCT: fatal error 1: failure of target construct while offloading is mandatory
// ROUTINE: error: in omp_{{get_mapped_ptr|target_is_present}}
// ROUTINE: fatal error 1: {{.*}}the variable some_variable is not on device 0
// ABSENT: message: the image of {{.*}} could not be loaded on device 0
// ABSENT-NOT: message:
// ABSENT: error: in omp_target_associate_ptr
// ABSENT: done
// OTHER: message: the image of {{.*}} could not be loaded on device 0
// OTHER-NOT: {{error|message}}
// OTHER: done

#include <omp.h>
#include <stdio.h>
#include <string.h>

#pragma omp declare target
int some_variable = 5;
int some_array[4] = {1, 2, 3, 4};
int *some_pointer;
#pragma omp end declare target

static int read_it(void) {
  int result = 0;
#pragma omp target map(from : result)
  result = some_variable + some_array[0] + (some_pointer != 0);
  return result;
}

static void other_data(void) {
  int local[3] = {1, 2, 3};
#pragma omp target enter data map(to : local)
#pragma omp target update to(local)
#pragma omp target exit data map(from : local)
}

static void construct(const char *what) {
  int *volatile array = some_array;
  int *pointer = array, local[2] = {0};
  if (strcmp(what, "enter") == 0) {
#pragma omp target enter data map(to : some_variable)
  } else if (strcmp(what, "exit") == 0) {
#pragma omp target exit data map(from : some_variable)
  } else if (strcmp(what, "update") == 0) {
#pragma omp target update to(some_variable)
  } else if (strcmp(what, "update_nowait") == 0) {
#pragma omp target update from(some_variable) nowait
#pragma omp taskwait
  } else if (strcmp(what, "use_address") == 0) {
#pragma omp target data use_device_addr(some_array)
    pointer = &some_array[0];
  } else if (strcmp(what, "use_pointer") == 0) {
#pragma omp target data use_device_ptr(pointer)
    pointer++;
  } else if (strcmp(what, "attach") == 0) {
    some_pointer = local;
#pragma omp target enter data map(to : some_pointer[0 : 2])
  } else if (strcmp(what, "other") == 0) {
    other_data();
  }
}

static void routine(const char *what, int is_there) {
  if (strcmp(what, "mapped") == 0 && (omp_get_mapped_ptr(&some_variable, 0) != 0) != is_there)
    printf("mapped is wrong\n");
  if (strcmp(what, "present") == 0 && omp_target_is_present(&some_variable, 0) != is_there)
    printf("present is wrong\n");
  if (strcmp(what, "associate") == 0) {
    void *memory = omp_target_alloc(sizeof(int), 0);
    if (omp_target_associate_ptr(&some_variable, memory, sizeof(int), 0, 0) == 0)
      printf("associated\n");
    omp_target_free(memory, 0);
  }
}

int main(int count, char **words) {
  static const char *const kAll[] = {"enter", "update", "update_nowait", "use_address", "use_pointer", "other"};
  const int are_all = strcmp(words[1], "all") == 0;
  for (int i = 0; are_all && i < (int)(sizeof kAll / sizeof *kAll); ++i)
    construct(kAll[i]);
  for (int i = 1; i < count; ++i) {
    construct(words[i]);
    routine(words[i], 0);
  }
  printf("done\n");
  return are_all && read_it() != 6;
}
