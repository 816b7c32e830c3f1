// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// constructs NAME [cpu]: how long a construct takes, as one number: the median over rounds, in nanoseconds; with cpu, of
// the calling thread's time alone. The driver, run, starts it anew for each measurement.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 15
#define N 64

static double a[N], b[N], c[N], d[N];

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(clock_used, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void empty_region(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target
    {
    }
  }
}

static void four_arrays(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : a, b, c, d)
    a[0] += b[0] + c[0] + d[0];
  }
}

static void fresh_mapping(int times) {
  static int small[2];
  for (int i = 0; i < times; i++) {
#pragma omp target enter data map(to : small)
#pragma omp target exit data map(release : small)
  }
}

static void copied_mapping(int times) {
  static int small[2];
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : small)
    small[0]++;
  }
}

// A million mappings, and hits among them in a scattered order.
static int *many;
enum { kMany = 1000000 };

static void map_many(void) {
  many = malloc(2 * (size_t)kMany * sizeof *many);
  for (int i = 0; i < kMany; i++) {
    int *one = &many[2 * i]; // with gaps, so that none touches another
#pragma omp target enter data map(alloc : one[0 : 1])
  }
}

static void hit_among_many(int times) {
  static unsigned at = 12345;
  for (int i = 0; i < times; i++) {
    at = at * 1664525u + 1013904223u;
    int *one = &many[2 * (at % kMany)];
#pragma omp target enter data map(alloc : one[0 : 1])
#pragma omp target exit data map(release : one[0 : 1])
  }
}

static void two_threads(int times) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : a, b, c, d)
    {
    }
  }
}

static const struct Benchmark {
  const char *name;
  void (*run)(int times);
  int times;
  int maps_arrays;
  int maps_many;
} benchmarks[] = {
    {"empty_region", empty_region, 20000, 0, 0},     {"four_arrays", four_arrays, 5000, 1, 0},
    {"fresh_mapping", fresh_mapping, 10000, 0, 0},   {"copied_mapping", copied_mapping, 5000, 0, 0},
    {"hit_among_many", hit_among_many, 10000, 0, 1}, {"two_threads", two_threads, 5000, 1, 0},
};

static int compare(const void *left, const void *right) {
  const double l = *(const double *)left, r = *(const double *)right;
  return (l > r) - (l < r);
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  if (argc > 2 && strcmp(argv[2], "cpu") == 0)
    clock_used = CLOCK_THREAD_CPUTIME_ID;
  for (size_t k = 0; k < sizeof benchmarks / sizeof *benchmarks; k++) {
    const struct Benchmark *benchmark = &benchmarks[k];
    if (strcmp(name, benchmark->name) != 0)
      continue;
    int host = 1;
#pragma omp target map(from : host)
    host = omp_is_initial_device();
    if (host)
      return fprintf(stderr, "regions run on the host\n"), 1;
    if (benchmark->maps_arrays) {
#pragma omp target enter data map(to : a, b, c, d)
    }
    if (benchmark->maps_many)
      map_many();
    benchmark->run(benchmark->times / 5); // warm
    double rounds[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      const double start = now();
      benchmark->run(benchmark->times);
      rounds[i] = (now() - start) / benchmark->times;
    }
    qsort(rounds, ROUNDS, sizeof *rounds, compare);
    printf("%.1f\n", rounds[ROUNDS / 2]);
    return 0;
  }
  return fprintf(stderr, "constructs: no benchmark %s\n", name), 1;
}
