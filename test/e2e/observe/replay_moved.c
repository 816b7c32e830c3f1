// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Something else lies where the memory of a recording for the CPU lay: all of it moves. Arguments and attached pointers
// follow, also those to the middle of a block and before its begin. Pointers that the kernel writes are compared as
// what they are. Words that only look like pointers stay, and are counted.

// RUN: %clang -g %s -o %t
// RUN: %plainclang -shared -fPIC -DOCCUPY %s -o %t.so
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run LIBOMPTARGET_RECORD=%t.d/r LIBOMPTARGET_RECORD_KERNEL=compute %t
// RUN: %prefix/bin/omptarget-replay --info %t.d/r > %t.d/info
// RUN: %FileCheck %s --check-prefix=INFO --input-file %t.d/info
// RUN: %run %prefix/bin/omptarget-replay --verify %t.d/r | %check --check-prefixes=CHECK,IN-PLACE
// RUN: sh -c 'sed -n "s/.*(\(mapped\|allocated\|private\),.* at \(0x[0-9a-f]*\), .*/\2/p" %t.d/info | tr "\n" , > %t.d/places; test -s %t.d/places'
// RUN: %run LD_PRELOAD=%t.so PLACES=%t.d/places %prefix/bin/omptarget-replay --verify --repetitions=2 %t.d/r | %check --check-prefixes=CHECK,MOVED
// REQUIRES: libomp-loads-here
// UNSUPPORTED: runtime-llvm, sanitizer, emulated

// INFO: pointers in blocks: 2
// INFO: words that look like pointers: 1
// CHECK: kernel: __omp_offloading_{{.*}}compute_l
// IN-PLACE: blocks, where they were recorded
// MOVED: blocks, at other addresses than recorded
// MOVED-NEXT: note: 1 words in them look like addresses of recorded memory; they stay as they are
// CHECK: verified: the memory is as recorded

#ifdef OCCUPY
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

__attribute__((constructor)) static void occupy(void) {
  const char *name = getenv("PLACES");
  FILE *file = name ? fopen(name, "r") : NULL;
  unsigned long long place;
  while (file && fscanf(file, "%llx,", &place) == 1)
    mmap((void *)(place & ~4095ULL), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (file)
    fclose(file);
}
#else
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 500 };
struct node {
  long *values, *middle, *last;
  long sum;
};

static void compute(struct node *node, long *own, long *shifted) {
#pragma omp target map(tofrom : node[0 : 1], node->values[0 : kCount], node->middle[0 : 10]) is_device_ptr(own)        \
    map(tofrom : shifted[100 : kCount])
  {
    for (int i = 0; i < kCount; i++) {
      node->values[i] += own[i];
      shifted[100 + i] += i;
      node->sum += node->values[i];
    }
    node->middle[3] += 7;
    node->last = &node->values[kCount - 1]; // a device pointer that the kernel writes
  }
}

int main(void) {
  struct node node = {malloc(kCount * sizeof(long)), NULL, NULL, 0};
  long *shifted = calloc(kCount + 100, sizeof(long));
  const int device = omp_get_default_device();
  long *own = omp_target_alloc(kCount * sizeof(long), device);
  for (int i = 0; i < kCount; i++)
    node.values[i] = i;
  omp_target_memcpy(own, node.values, kCount * sizeof(long), 0, 0, device, omp_get_initial_device());
  node.middle = node.values + 100;
#pragma omp target is_device_ptr(own)
  own[0] = (long)&own[1]; // looks like a pointer, and nobody follows it
  compute(&node, own, shifted);
  printf("value %ld\n", node.values[103]); // 2 * 103 + 7
  omp_target_free(own, device);
  return 0;
}
#endif
