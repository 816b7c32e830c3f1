// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs with nowait and depend are tasks of the program's host runtime: their order, and what they capture.
// RUN: %gcc %s -o %t
// RUN: %run OMP_NUM_THREADS=2 %t
#include "check.h"
#include <unistd.h>

struct Large {
  int a[20];
};

static void dependences(void) {
  int x = 1, y = 7;
#pragma omp task depend(out : x) shared(x)
  usleep(3000), x += 1;
#pragma omp target map(tofrom : x) nowait depend(inout : x)
  {
    HERE();
    x *= 10;
  }
#pragma omp task depend(inout : x) shared(x)
  x += 3;
#pragma omp target map(tofrom : x) nowait depend(inout : x)
  x *= 2;
#pragma omp taskwait
  CHECK_EQ(x, 46);
  x = 1;
#pragma omp task depend(out : x) shared(x)
  usleep(3000), x = 5;
#pragma omp target map(tofrom : x) depend(inout : x) // without nowait
  x += 1;
  CHECK_EQ(x, 6);
#pragma omp target map(tofrom : x) firstprivate(y) nowait depend(out : x)
  x = y;
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 7);
  omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp target map(tofrom : x) nowait depend(depobj : object)
  x += 1;
#pragma omp task depend(depobj : object) shared(x)
  x += 1;
#pragma omp target map(tofrom : x) nowait depend(mutexinoutset : x)
  x += 1;
#pragma omp taskwait
#pragma omp depobj(object) destroy
  CHECK_EQ(x, 10);
}

static void captured(void) {
  int x = 0, y = 7;
  struct Large s;
  for (int i = 0; i < 20; ++i)
    s.a[i] = i;
#pragma omp taskgroup
  {
#pragma omp target teams map(tofrom : x) firstprivate(y, s) nowait num_teams(1) thread_limit(70000)
    {
      HERE();
      x = y;
      for (int i = 0; i < 20; ++i)
        x += s.a[i];
    }
    y = 100;
    s.a[3] = 1000;
  }
  CHECK_EQ(x, 197);
}

static void data_constructs(void) {
  int a[4] = {1, 2, 3, 4};
#pragma omp target enter data map(to : a) nowait depend(out : a)
#pragma omp target nowait depend(inout : a)
  a[0] = 10;
#pragma omp target update from(a[0 : 1]) nowait depend(inout : a)
#pragma omp taskwait
  CHECK_EQ(a[0], 10);
#pragma omp target nowait depend(inout : a)
  a[1] = 20;
#pragma omp target exit data map(from : a) nowait depend(inout : a)
#pragma omp taskwait
  CHECK_EQ(a[1], 20);
  CHECK(!omp_target_is_present(a, 0));
}

static void all(void) {
  dependences();
  captured();
  data_constructs();
}

int main(void) {
  all();
#pragma omp parallel num_threads(1)
  all();
#pragma omp parallel num_threads(2)
#pragma omp single
  all();
  int z = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    {
#pragma omp target map(tofrom : z) nowait
      z = 1;
    }
#pragma omp barrier
    CHECK_EQ(z, 1);
  }
  return finish();
}
