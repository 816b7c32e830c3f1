// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interop constructs with dependences, each with and without nowait (OpenMP 6.0, sections 16.1 and 17.9.5). The
// construct comes behind the tasks that it depends on, and before those that depend on it. Foreign work from before is
// complete before the latter begin, and none from behind the construct begins before the former have ended. So the
// encountering thread waits, also with nowait, which permits it to go on and does not ask for it.

// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run SIM_CUDA_HOLD=2 %t %plugin-name
// Clang 16 writes bitcode that it cannot read if a directive has dependences.
// libomp 15 fails at times in counting the dependences of tasks (kmp_taskdeps.h).
// ALLOW_RETRIES: 3
// UNSUPPORTED: runtime-llvm, clang-16

#include "foreign_work.h"

static enum { kNone, kCuda, kHsa } driver_kind;
static omp_interop_t object; // directives take variables only
static struct Fills fills;
static struct Gate gate;
static pthread_t gate_keeper;
static void *stream;
static unsigned char value;

static int x; // the dependences are on it
static int written, have_read, is_behind;

static int read_now(int *place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }

static void tasks_before(void) {
  written = have_read = is_behind = 0;
#pragma omp task depend(out : x)
  {
    usleep(1000);
    CHECK_EQ(read_now(&have_read), 0);
    __atomic_store_n(&written, 1, __ATOMIC_RELEASE);
  }
  for (int i = 0; i < 2; i++) {
#pragma omp task depend(in : x)
    {
      usleep(500);
      CHECK_EQ(read_now(&written), 1);
      __atomic_add_fetch(&have_read, 1, __ATOMIC_ACQ_REL);
    }
  }
}

static void add_foreign_work(void) {
  fills.object = object;
  if (driver_kind == kNone)
    return;
  stream = stream_of(&fills);
  if (driver_kind == kCuda) {
    add_fill(&fills, ++value);
    return;
  }
  gate = add_gate(stream);
  pthread_create(&gate_keeper, NULL, open_gate, &gate);
}

/// The work of add_foreign_work(), on whatever thread a task runs.
static void is_foreign_work_complete(void) {
  if (driver_kind == kCuda)
    has_value(&fills, value);
  else if (driver_kind == kHsa)
    CHECK_EQ(value_of(gate.done), 0);
}

/// Checks that the construct has waited, as its thread sees it.
static void behind_construct(int waits_for_readers) {
  CHECK_EQ(read_now(&written), 1);
  if (waits_for_readers)
    CHECK_EQ(read_now(&have_read), 2);
}

static void tasks_after(int has_foreign_work) {
  for (int i = 0; i < 2; i++) {
#pragma omp task depend(in : x)
    {
      CHECK_EQ(read_now(&written), 1);
      CHECK_EQ(read_now(&is_behind), 0);
    }
  }
#pragma omp task depend(out : x)
  {
    CHECK_EQ(read_now(&have_read), 2);
    if (has_foreign_work)
      is_foreign_work_complete();
    __atomic_store_n(&is_behind, 1, __ATOMIC_RELEASE);
  }
#pragma omp taskwait
  CHECK_EQ(is_behind, 1);
  if (has_foreign_work && driver_kind == kHsa)
    pthread_join(gate_keeper, NULL);
}

#define TEXT(words) #words
#define PRAGMA(words) _Pragma(TEXT(words))
#define COMBINATION(name, kind, is_writing, may_go_on)                                                                 \
  static void name(int device) {                                                                                       \
    tasks_before();                                                                                                    \
    PRAGMA(omp interop init(targetsync : object) device(device) depend(kind : x) may_go_on)                            \
    behind_construct(is_writing);                                                                                      \
    CHECK_EQ(object != omp_interop_none, driver_kind != kNone);                                                        \
    tasks_after(0);                                                                                                    \
    add_foreign_work();                                                                                                \
    tasks_before();                                                                                                    \
    PRAGMA(omp interop use(object) device(device) depend(kind : x) may_go_on)                                          \
    behind_construct(is_writing);                                                                                      \
    tasks_after(1);                                                                                                    \
    add_foreign_work();                                                                                                \
    tasks_before();                                                                                                    \
    PRAGMA(omp interop destroy(object) device(device) depend(kind : x) may_go_on)                                      \
    behind_construct(is_writing);                                                                                      \
    CHECK(object == omp_interop_none);                                                                                 \
    tasks_after(1);                                                                                                    \
  }
COMBINATION(in, in, 0, )
COMBINATION(out, out, 1, )
COMBINATION(inout, inout, 1, )
COMBINATION(in_nowait, in, 0, nowait)
COMBINATION(out_nowait, out, 1, nowait)
COMBINATION(inout_nowait, inout, 1, nowait)

int main(int argc, char **argv) {
  const char *plugin = argc > 1 ? argv[1] : "";
  driver_kind = strcmp(plugin, "cuda") == 0 ? kCuda : strcmp(plugin, "amdgpu") == 0 ? kHsa : kNone;
  if (driver_kind != kNone)
    driver = dlopen(driver_kind == kCuda ? "libcuda.so.1" : "libhsa-runtime64.so.1", RTLD_NOW);
  void (*const combinations[])(int) = {in, out, inout, in_nowait, out_nowait, inout_nowait};
  for (int device = 0; device < omp_get_num_devices() && device < 2; device++) {
    fills.device = device;
    fills.memory = omp_target_alloc(kBytes, device);
    for (int threads = 1; threads <= 4; threads += 3)
#pragma omp parallel num_threads(threads)
#pragma omp single
      for (int i = 0; i < 6; i++)
        combinations[i](device);
    omp_target_free(fills.memory, device);
  }
  return finish();
}
