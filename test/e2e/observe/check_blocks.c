// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_CHECK=mapping and libomptarget-heap.so note data that go beyond their block of malloc, before they are
// copied. Whole blocks, parts of them, and what lies in no block are not noted.

// RUN: %clang -g %s -o %t
// RUN: %run LD_PRELOAD=%prefix/lib/omptarget/libomptarget-heap.so LIBOMPTARGET_CHECK=mapping %t faulty 2>&1 | %FileCheck %s
// RUN: %run LD_PRELOAD=%prefix/lib/omptarget/libomptarget-heap.so LIBOMPTARGET_CHECK=mapping %t 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: %run LIBOMPTARGET_CHECK=mapping %t faulty 2>&1 | %FileCheck %s --check-prefix=NONE
// UNSUPPORTED: runtime-llvm
// NONE-NOT: note:
// NONE: done
// NONE-NOT: note:
// CHECK: note: target enter data at {{.*}}check_blocks.c:[[#FIRST:]]:{{[0-9]+}} maps {{.*}} (1604 bytes){{.*}} to device 0, and the block of the host's memory at 0x{{[0-9a-f]+}}, of 1600 bytes, ends 4 bytes earlier
// CHECK-NEXT: note: target enter data at {{.*}}check_blocks.c:[[#FIRST+2]]:{{[0-9]+}} maps {{.*}} (160 bytes){{.*}} to device 0, and the block of the host's memory at 0x{{[0-9a-f]+}}, of 1600 bytes, ends 156 bytes earlier
// CHECK-NEXT: done
// CHECK-NOT: note:

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 400 };
static int global[SIZE];

static void enter_and_leave(int *data, int first, int count) {
#pragma omp target enter data map(to : data[first : count])
#pragma omp target exit data map(release : data[first : count])
}

static void *allocate(void *unused) {
  for (int i = 0; i < 1000; ++i)
    free(realloc(malloc(i), 2 * i + 1));
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  int *data = malloc(SIZE * sizeof(int) / 2), *zeros = calloc(SIZE, sizeof(int)), on_stack[SIZE] = {0};
  data = realloc(data, SIZE * sizeof(int));
  memset(data, 0, SIZE * sizeof(int));
  void *aligned = NULL;
  if (!zeros || !data || posix_memalign(&aligned, 256, SIZE * sizeof(int)) != 0)
    return 1;
  memset(aligned, 0, SIZE * sizeof(int));
  pthread_t thread;
  pthread_create(&thread, NULL, allocate, NULL);
  const pid_t child = fork();
  if (child == 0)
    _exit(allocate(NULL) != NULL);
  int status = 1;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  enter_and_leave(data, 0, SIZE);
  enter_and_leave(data, SIZE / 2, SIZE / 2);
  enter_and_leave(zeros, 0, SIZE);
  enter_and_leave(aligned, 1, SIZE - 1);
  enter_and_leave(global, 0, SIZE);
  enter_and_leave(on_stack, 0, SIZE);
  if (argc > 1) {
#pragma omp target enter data map(alloc : data[0 : SIZE + 1])
#pragma omp target exit data map(delete : data[0 : SIZE + 1])
#pragma omp target enter data map(alloc : zeros[SIZE - 1 : SIZE / 10])
#pragma omp target exit data map(delete : zeros[SIZE - 1 : SIZE / 10])
  }
  free(data);
  free(zeros);
  free(aligned);
  puts("done");
  return status;
}
