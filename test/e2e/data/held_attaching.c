// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region maps what two pointers of a struct lead to. Another thread is just mapping the first one's data, which a
// third thread deletes: the region maps them anew, and both pointers must be attached.

// RUN: %clang %s -o %t
// RUN: %run %t
// LLVM's runtimes do not map anew what was deleted meanwhile.
// UNSUPPORTED: runtime-llvm
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

enum { N = 1024 };

static int first[N], second[2 * N];
static struct {
  int *p, *q;
} s = {first, second};

enum { OF_FIRST, OF_SECOND };

int main(void) {
  int result = 0;
  second[7] = 7;
  hold_copy(OF_FIRST, NULL, first, sizeof first);
  hold_copy(OF_SECOND, NULL, second, sizeof second);
#pragma omp parallel num_threads(4)
  switch (omp_get_thread_num()) {
  case 0: {
#pragma omp target enter data map(to : first)
  } break;
  case 1:
    is_copy_held(OF_FIRST, 20000);
#pragma omp target map(to : s.p[0 : N], s.q[0 : 2 * N]) map(from : result)
    {
      HERE();
      result = s.q[7];
    }
    break;
  case 2:
    is_copy_held(OF_SECOND, PATIENCE / 2);
#pragma omp target exit data map(delete : first)
    break;
  default:
    is_copy_held(OF_SECOND, PATIENCE / 2);
    usleep(20000);
    let_copy_go_on(OF_FIRST);
    usleep(20000);
    let_copy_go_on(OF_SECOND);
  }
#pragma omp target exit data map(delete : first)
  CHECK_EQ(result, 7);
  return finish();
}
