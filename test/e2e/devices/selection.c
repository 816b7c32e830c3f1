// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device a region runs on: device(), if(), the default device, the initial device.

// RUN: %clang %s -o %t
// RUN: %run %t 0
// RUN: %run OMP_DEFAULT_DEVICE=2 %t 2

#include "check.h"

#pragma omp declare target
int here = -1;
#pragma omp end declare target

static int runs_on(void) {
  int where = -2;
#pragma omp target map(from : where)
  {
    HERE();
    where = here;
  }
  return where;
}

int main(int argc, char **argv) {
  int standard = atoi(argv[1]);
  CHECK_EQ(omp_get_default_device(), standard);
  for (int d = 0; d < 4; d++) {
#pragma omp target device(d)
    {
      HERE();
      here = d;
    }
  }
  CHECK_EQ(here, -1);
  CHECK_EQ(runs_on(), standard);
  omp_set_default_device(3);
  CHECK_EQ(runs_on(), 3);
  omp_set_default_device(1);
  CHECK_EQ(runs_on(), 1);
#pragma omp parallel num_threads(3)
  {
    int d = omp_get_thread_num(), where = -2;
    omp_set_default_device(d);
#pragma omp target map(from : where)
    where = here;
#pragma omp critical
    CHECK_EQ(where, d);
  }
  CHECK_EQ(runs_on(), 1);
  CHECK_EQ(host_regions, 0);

  int yes = 1, no = 0, where = -2, on_host = -2;
#pragma omp target device(2) if (yes) map(from : where)
  {
    HERE();
    where = here;
  }
  CHECK_EQ(where, 2);
#pragma omp target device(2) if (no) map(from : where, on_host)
  {
    HERE();
    where = here;
    on_host = omp_is_initial_device();
  }
  CHECK_EQ(where, -1);
  CHECK_EQ(on_host, 1);
#pragma omp target device(omp_get_initial_device()) map(from : where, on_host)
  {
    HERE();
    where = here;
    on_host = omp_is_initial_device();
  }
  CHECK_EQ(where, -1);
  CHECK_EQ(on_host, 1);
  omp_set_default_device(omp_get_initial_device());
  CHECK_EQ(runs_on(), -1);
  int value = 5;
#pragma omp target data map(tofrom : value)
  { CHECK_EQ(value, 5); }
#pragma omp target enter data map(to : value)
#pragma omp target update from(value)
#pragma omp target exit data map(delete : value)
  CHECK_EQ(value, 5);
  return finish_on_host(3);
}
