// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// constructs ROW: carries the row's construct out as often as measured() says, after some times that are not counted.
// The driver, count, has valgrind count the instructions inside of measured().

#include <stdio.h>
#include <string.h>

#include "../bench/small_constructs.h"

enum { kWarm = 100, kMeasured = 1000, kMany = 10000 };

static int *many; // every other int is mapped, so that none touches another

static int *one_of_many(void) {
  static unsigned at = 12345;
  at = at * 1664525u + 1013904223u;
  return &many[2 * (at % kMany)];
}

static void two_pointers(int times) {
  double *p = a, *q = b;
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : p[0 : kElements], q[0 : kElements])
    p[0] += q[0];
  }
}

static void teams_loop(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target teams distribute parallel for map(tofrom : a)
    for (int k = 0; k < kElements; k++)
      a[k] += 1;
  }
}

/// All of many, in the order in which they were mapped.
static int *next_of_many(void) {
  static int at;
  return &many[2 * at++];
}

static void tear_down(int times) {
  for (int i = 0; i < times; i++) {
    int *one = next_of_many();
#pragma omp target exit data map(release : one[0 : 1])
  }
}

static void tear_down_delete(int times) {
  for (int i = 0; i < times; i++) {
    int *one = next_of_many();
#pragma omp target exit data map(delete : one[0 : 1])
  }
}

static struct {
  int x, y;
  double z[4];
} record;

static void update_arrays(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target update to(a, b, c, d)
  }
}

static void update_members(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target update to(record.x, record.z)
  }
}

/// Two target tasks without a kernel.
static void nowait_data(int times) {
  int x = 1;
  for (int i = 0; i < times; i++) {
#pragma omp target enter data map(to : x) nowait
#pragma omp taskwait
#pragma omp target exit data map(from : x) nowait
#pragma omp taskwait
  }
}

static void always_int(int times) {
  int x = 1;
  for (int i = 0; i < times; i++) {
#pragma omp target map(always, tofrom : x)
    x++;
  }
}

static void always_present(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target map(always, to : a)
    a[0]++;
  }
}

static void two_members(int times) {
  struct {
    int x;
    double y;
  } pair = {1, 2};
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : pair.x, pair.y)
    pair.x += (int)pair.y;
  }
}

static void members_present(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : record.x, record.z)
    record.x++;
  }
}

struct Vector {
  double *data;
  int size;
};
static double elements[kElements];

static void attached_array(int times) {
  struct Vector v = {elements, kElements};
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : v, v.data[0 : kElements])
    v.data[0] += v.size;
  }
}

static void attached_present(int times) {
  struct Vector v = {elements, kElements};
#pragma omp target enter data map(to : v, v.data[0 : kElements])
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : v, v.data[0 : kElements])
    v.data[0] += v.size;
  }
#pragma omp target exit data map(from : v, v.data[0 : kElements])
}

static void attach(int times) {
  struct Vector v = {elements, kElements};
#pragma omp target enter data map(to : v)
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : v.data[0 : kElements])
    v.data[0] += 1;
  }
#pragma omp target exit data map(from : v)
}

static void attached_enter_exit(int times) {
  struct Vector v = {elements, kElements};
  for (int i = 0; i < times; i++) {
#pragma omp target enter data map(to : v, v.data[0 : kElements])
#pragma omp target exit data map(from : v, v.data[0 : kElements])
  }
}

#pragma omp declare mapper(whole : struct Vector v) map(v, v.data[0 : v.size])

static void mapper(int times) {
  struct Vector v = {elements, kElements};
  for (int i = 0; i < times; i++) {
#pragma omp target map(mapper(whole), tofrom : v)
    v.data[0] += v.size;
  }
}

static void hold(int times) {
  int x = 1;
  for (int i = 0; i < times; i++) {
#pragma omp target map(ompx_hold, tofrom : x)
    x++;
  }
}

static void private_array(int times) {
  double own[4] = {1, 2, 3, 4};
  for (int i = 0; i < times; i++) {
#pragma omp target firstprivate(own)
    own[0] += 1;
  }
}

static const struct Row {
  const char *name;
  void (*run)(int times);
} rows[] = {
    {"empty_region", empty_region},
    {"four_arrays", four_arrays},
    {"two_pointers", two_pointers},
    {"mapped_int", mapped_int},
    {"update", update},
    {"update_arrays", update_arrays},
    {"update_members", update_members},
    {"enter_exit", enter_exit},
    {"hit", hit},
    {"present", present},
    {"teams_loop", teams_loop},
    {"nowait", nowait},
    {"nowait_data", nowait_data},
    {"tear_down", tear_down},
    {"tear_down_delete", tear_down_delete},
    {"always_int", always_int},
    {"always_present", always_present},
    {"two_members", two_members},
    {"members_present", members_present},
    {"attached_array", attached_array},
    {"attached_present", attached_present},
    {"attach", attach},
    {"attached_enter_exit", attached_enter_exit},
    {"mapper", mapper},
    {"hold", hold},
    {"private_array", private_array},
};

__attribute__((noinline)) static void measured(const struct Row *row) {
  row->run(kMeasured);
  __asm__ volatile("" ::: "memory");
}

static void map_many(void) {
  many = calloc(2 * (size_t)kMany, sizeof *many);
  for (int i = 0; i < kMany; i++) {
    int *one = &many[2 * i];
#pragma omp target enter data map(alloc : one[0 : 1])
  }
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    if (strcmp(name, rows[k].name) != 0)
      continue;
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    if (KERNELS_RUN && host)
      return fprintf(stderr, "regions run on the host\n"), 1;
#pragma omp target enter data map(to : a, b, c, d, block, record)
    if (strcmp(name, "hit") == 0 || strcmp(name, "present") == 0 || strncmp(name, "tear_down", 9) == 0)
      map_many();
    rows[k].run(kWarm);
    measured(&rows[k]);
    return printf("%d %d\n", kMeasured, kWarm + kMeasured), 0;
  }
  return fprintf(stderr, "constructs: no row %s\n", name), 1;
}
