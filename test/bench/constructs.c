// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// constructs NAME [cpu]: how long a construct takes, as one number: the median over rounds, in nanoseconds; with cpu,
// of the calling thread's time alone. The driver, run, starts it anew for each measurement.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "small_constructs.h"

#define ROUNDS 15

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(clock_used, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void copied_mapping(int times) {
  static int small[2];
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : small)
    small[0]++;
  }
}

// Many mappings, and what happens among them in a scattered order. Every fourth int is mapped; others are free for
// more.
static int *many;
static int many_count;
static unsigned many_at;

static void map_many(void) {
  many = malloc(4 * (size_t)many_count * sizeof *many);
  for (int i = 0; i < many_count; i++) {
    int *one = &many[4 * i];
#pragma omp target enter data map(alloc : one[0 : 1])
  }
}

static int *one_of_many(void) {
  many_at = many_at * 1664525u + 1013904223u;
  return &many[4 * (many_at % (unsigned)many_count)];
}

// New ones between the others, at a stride that no small number divides, so that none is met twice.
static int *new_one(int i) { return &many[4 * (int)((long long)i * 7919 % many_count) + 2]; }

static void enter(int times) {
  for (int i = 0; i < times; i++) {
    int *one = new_one(i);
#pragma omp target enter data map(alloc : one[0 : 1])
  }
}

static void leave(int times) {
  for (int i = 0; i < times; i++) {
    int *one = new_one(i);
#pragma omp target exit data map(release : one[0 : 1])
  }
}

// Small data of each thread's own, entered and left in turns, more than what sleeps keeps; larger ones, which are
// mapped by a plan. Times is of all threads together.
enum { kMostThreads = 64, kOwn = 500, kOwnPlanned = 5000 };

static int *own_one(int thread, int i) {
  static int own[kMostThreads][kOwn][4];
  i = i * 7 % kOwn;
  return many ? &many[4 * (kOwnPlanned * thread + 10 * i) + 2] : own[thread][i];
}

static void own_data(int threads, int times) {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < times / threads; i++) {
    int *one = own_one(omp_get_thread_num(), i);
#pragma omp target enter data map(to : one[0 : 2])
#pragma omp target exit data map(release : one[0 : 2])
  }
}

static void own_planned(int threads, int times) {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < times / threads; i++) {
    static char large[kMostThreads][kOwnPlanned];
    char *one = large[omp_get_thread_num()];
#pragma omp target enter data map(alloc : one[0 : kOwnPlanned])
#pragma omp target exit data map(release : one[0 : kOwnPlanned])
  }
}

static void own_1(int times) { own_data(1, times); }
static void own_2(int times) { own_data(2, times); }
static void own_64(int times) { own_data(64, times); }
static void own_planned_1(int times) { own_planned(1, times); }
static void own_planned_2(int times) { own_planned(2, times); }
static void own_planned_64(int times) { own_planned(64, times); }

// The first copy into a block that nobody has touched.
enum { kLarge = 256 << 20 };
static char *large;

static void first_copy(int times) {
  (void)times;
#pragma omp target enter data map(to : large[0 : kLarge])
}

static void end_copy(int times) {
  (void)times;
#pragma omp target exit data map(delete : large[0 : kLarge])
}

// A mapper for each of many structs with a pointer.
typedef struct {
  int *values;
  int count;
} Part;
#pragma omp declare mapper(part : Part p) map(p, p.values[0 : p.count])
enum { kParts = 10000 };
static Part *parts;

static void make_parts(void) {
  parts = malloc(kParts * sizeof *parts);
  for (int i = 0; i < kParts; i++) {
    parts[i].count = 4;
    parts[i].values = calloc(4, sizeof(int));
  }
}

// A struct with a pointer, both present.
static struct {
  int *values;
  int count;
} linked;

static void map_linked(void) {
  linked.values = calloc(4, sizeof(int));
#pragma omp target enter data map(to : linked, linked.values[0 : 4])
}

static void attached(int times) {
  for (int i = 0; i < times; i++) {
#pragma omp target map(tofrom : linked, linked.values[0 : 4])
    linked.values[0]++;
  }
}

static void attached_2(int times) {
#pragma omp parallel num_threads(2)
  attached(times);
}

// All of many mappings, in the order in which they were made.
static void map_all(int times) {
  many_count = times;
  map_many();
}

static void tear_down(int times) {
  for (int i = 0; i < times; i++) {
    int *one = &many[4 * i];
#pragma omp target exit data map(release : one[0 : 1])
  }
}

static void free_many(int times) {
  (void)times;
  free(many);
}

static void mappers(int times) {
  (void)times;
#pragma omp target enter data map(mapper(part), to : parts[0 : kParts])
#pragma omp target exit data map(mapper(part), from : parts[0 : kParts])
}

static void two_threads_int(int times) {
#pragma omp parallel num_threads(2)
  mapped_int(times);
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
  int many;                  // mappings made before
  void (*before)(int times); // each round, and after: neither is timed
  void (*after)(int times);
  int per_round; // divides a round's time; 0: times
} benchmarks[] = {
    {"empty_region", empty_region, 20000, 0, 0, 0, 0, 0},
    {"four_arrays", four_arrays, 5000, 1, 0, 0, 0, 0},
    {"fresh_mapping", enter_exit, 10000, 0, 0, 0, 0, 0},
    {"copied_mapping", copied_mapping, 5000, 0, 0, 0, 0, 0},
    {"mapped_int", mapped_int, 5000, 0, 0, 0, 0, 0},
    {"update", update, 20000, 0, 0, 0, 0, 0},
    {"enter_among_1e4", enter, 5000, 0, 10000, 0, leave, 0},
    {"enter_among_1e6", enter, 10000, 0, 1000000, 0, leave, 0},
    {"hit_among_1e4", hit, 10000, 0, 10000, 0, 0, 0},
    {"hit_among_1e6", hit, 10000, 0, 1000000, 0, 0, 0},
    {"present_among_1e4", present, 20000, 0, 10000, 0, 0, 0},
    {"present_among_1e6", present, 20000, 0, 1000000, 0, 0, 0},
    {"exit_among_1e4", leave, 5000, 0, 10000, enter, 0, 0},
    {"exit_among_1e6", leave, 10000, 0, 1000000, enter, 0, 0},
    {"two_threads", two_threads, 5000, 1, 0, 0, 0, 0},
    {"two_threads_int", two_threads_int, 5000, 0, 0, 0, 0, 0},
    {"own_1", own_1, 20000, 0, 0, 0, 0, 0},
    {"own_2", own_2, 20000, 0, 0, 0, 0, 0},
    {"own_64", own_64, 64000, 0, 0, 0, 0, 0},
    {"own_among_1e4_1", own_1, 20000, 0, 10000, 0, 0, 0},
    {"own_among_1e4_2", own_2, 20000, 0, 10000, 0, 0, 0},
    {"own_planned_1", own_planned_1, 10000, 0, 0, 0, 0, 0},
    {"own_planned_2", own_planned_2, 10000, 0, 0, 0, 0, 0},
    {"own_planned_64", own_planned_64, 64000, 0, 0, 0, 0, 0},
    {"nowait", nowait, 2000, 0, 0, 0, 0, 0},
    {"first_copy", first_copy, 1, 0, 0, 0, end_copy, 1000000},
    {"mappers", mappers, 1, 0, 0, 0, 0, kParts},
    {"attached", attached, 5000, 0, 0, 0, 0, 0},
    {"attached_2", attached_2, 5000, 0, 0, 0, 0, 0},
    {"tear_down_1e4", tear_down, 10000, 0, 0, map_all, free_many, 0},
    {"tear_down_1e6", tear_down, 1000000, 0, 0, map_all, free_many, 0},
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
    if (host && KERNELS_RUN)
      return fprintf(stderr, "regions run on the host\n"), 1;
    if (benchmark->maps_arrays) {
#pragma omp target enter data map(to : a, b, c, d)
    }
    if (benchmark->run == update) {
#pragma omp target enter data map(to : block)
    }
    if ((many_count = benchmark->many) != 0)
      map_many();
    if (benchmark->run == mappers)
      make_parts();
    if (benchmark->run == attached || benchmark->run == attached_2)
      map_linked();
    if (benchmark->run == first_copy)
      memset(large = malloc(kLarge), 1, kLarge);
    const int times = benchmark->times, per_round = benchmark->per_round ? benchmark->per_round : times;
    const int count = times < 1000000 ? ROUNDS : 3;
    double rounds[ROUNDS];
    for (int i = -1; i < count; i++) { // the first one warms
      if (benchmark->before)
        benchmark->before(times);
      const double start = now();
      benchmark->run(times);
      if (i >= 0)
        rounds[i] = (now() - start) / per_round;
      if (benchmark->after)
        benchmark->after(times);
    }
    qsort(rounds, (size_t)count, sizeof *rounds, compare);
    printf("%.1f\n", rounds[count / 2]);
    return 0;
  }
  return fprintf(stderr, "constructs: no benchmark %s\n", name), 1;
}
