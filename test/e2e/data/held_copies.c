// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two threads add to elements of their own of data that both map. The first thread's copy back has read the device and
// not yet written to the host. Then the second thread enters the same data, adds, and leaves. Entering and leaving are
// atomic (OpenMP 5.2, section 5.8.3). No older copy may come after a newer one, so both results are there in the end.

// RUN: %clang %s -o %t
// RUN: %run %t
// Observed:
// RUN: %run LIBOMPTARGET_INFO=63 %t 2> %t.info
// RUN: %run LIBOMPTARGET_DEBUG=mapping %t 2> %t.debug
// The runtimes of LLVM 14 and 22 lose results here, that of LLVM 19 crashes.
// UNSUPPORTED: runtime-llvm
// A sanitizer has a memcpy of its own.
// UNSUPPORTED: sanitizer

#include "check.h"
#include "held_copy.h"

#define N 512

static long a[N], b[N];
static struct {
  long head;
  long x[N], y[N];
  long *p;
} s;

static void clear(void) {
  for (int i = 0; i < N; i++)
    a[i] = b[i] = s.x[i] = s.y[i] = 0;
  s.p = b;
}

// The copy to this address that the first function makes is held while the second one runs, in another thread.
static void run_both(const char *name, const void *to, void (*first)(void), void (*second)(void)) {
  int before = failed_checks, is_held = 0;
  hold_copy(0, to, NULL, N * sizeof(long));
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      first();
    } else {
      is_held = is_copy_held(0, 20000);
      second();
      let_copy_go_on(0);
    }
  }
  CHECK(is_held);
  if (failed_checks != before)
    printf("%s: the copy is not one that can be held\n", name);
}

static void check_sums(const char *name, const long *values, long first, long second) {
  int before = failed_checks;
  CHECK_EQ(values[0], first);
  CHECK_EQ(values[N - 1], second);
  if (failed_checks != before)
    printf("%s: a result is lost\n", name);
}

static void region_first(void) {
#pragma omp target map(tofrom : a)
  {
    HERE();
    a[0] += 1;
  }
}
static void region_last(void) {
#pragma omp target map(tofrom : a)
  {
    HERE();
    a[N - 1] += 1;
  }
}
static void several_first(void) {
#pragma omp target map(tofrom : a, b)
  {
    a[0] += 1;
    b[0] += 1;
  }
}
static void several_last(void) {
#pragma omp target map(tofrom : b, a)
  {
    b[N - 1] += 1;
    a[N - 1] += 1;
  }
}
static void nowait_first(void) {
#pragma omp target map(tofrom : a) nowait
  a[0] += 1;
#pragma omp taskwait
}
static void nowait_last(void) {
#pragma omp target map(tofrom : a) nowait
  a[N - 1] += 1;
#pragma omp taskwait
}
static void exit_a(void) {
#pragma omp target exit data map(from : a)
}
static void exit_a_nowait(void) {
#pragma omp target exit data map(from : a) nowait
#pragma omp taskwait
}
static void data_last(void) {
#pragma omp target data map(tofrom : a)
#pragma omp target map(alloc : a)
  a[N - 1] += 1;
}
static void enter_exit_last(void) {
#pragma omp target enter data map(to : a)
#pragma omp target map(alloc : a)
  a[N - 1] += 1;
#pragma omp target exit data map(from : a)
}
static void always_first(void) {
#pragma omp target map(always, from : a)
  a[0] += 1;
}
static void always_last(void) {
#pragma omp target map(always, from : a)
  a[N - 1] += 1;
}
static void members_first(void) {
#pragma omp target map(tofrom : s.x, s.y)
  {
    s.x[0] += 1;
    s.y[0] += 1;
  }
}
static void members_last(void) {
#pragma omp target map(tofrom : s.x, s.y)
  {
    s.x[N - 1] += 1;
    s.y[N - 1] += 1;
  }
}
static void pointer_first(void) {
#pragma omp target map(tofrom : s, s.p[0 : N])
  {
    s.x[0] += 1;
    s.p[0] += 1;
  }
}
static void pointer_last(void) {
#pragma omp target map(tofrom : s, s.p[0 : N])
  {
    s.x[N - 1] += 1;
    s.p[N - 1] += 1;
  }
}

static void enter_and_add_first(void) {
#pragma omp target enter data map(to : a)
#pragma omp target map(alloc : a)
  a[0] += 1;
}

static void test_regions(void) {
  clear();
  run_both("regions", a, region_first, region_last);
  check_sums("regions", a, 1, 1);
  run_both("again", a, region_first, region_last);
  check_sums("again", a, 2, 2);
  clear();
  run_both("several data", a, several_first, several_last);
  check_sums("several data, a", a, 1, 1);
  check_sums("several data, b", b, 1, 1);
  clear();
  run_both("several data", b, several_first, several_last);
  check_sums("several data, a", a, 1, 1);
  check_sums("several data, b", b, 1, 1);
  clear();
  run_both("regions with nowait", a, nowait_first, nowait_last);
  check_sums("regions with nowait", a, 1, 1);
}

static void test_exits(void) {
  void (*const exits[])(void) = {exit_a, exit_a_nowait};
  void (*const others[])(void) = {region_last, data_last, enter_exit_last, nowait_last};
  for (unsigned i = 0; i < sizeof exits / sizeof *exits; i++)
    for (unsigned j = 0; j < sizeof others / sizeof *others; j++) {
      clear();
      enter_and_add_first();
      run_both("exit data", a, exits[i], others[j]);
      check_sums("exit data", a, 1, 1);
    }
}

// A third reference keeps the data, and both copy back all the same.
static void test_always(void) {
  clear();
#pragma omp target enter data map(to : a)
  run_both("always", a, always_first, always_last);
  check_sums("always", a, 1, 1);
#pragma omp target exit data map(release : a)
}

static void test_structs(void) {
  clear();
  run_both("members", s.x, members_first, members_last);
  check_sums("members, x", s.x, 1, 1);
  check_sums("members, y", s.y, 1, 1);
  clear();
  run_both("a struct with a pointer", s.x, pointer_first, pointer_last);
  check_sums("a struct with a pointer, x", s.x, 1, 1);
  check_sums("a struct with a pointer, p", b, 1, 1);
  CHECK(s.p == b);
  clear();
  run_both("a pointer's target", b, pointer_first, pointer_last);
  check_sums("a pointer's target, x", s.x, 1, 1);
  check_sums("a pointer's target, p", b, 1, 1);
  CHECK(s.p == b);
}

int main(void) {
  test_regions();
  test_exits();
  test_always();
  test_structs();
  CHECK(!omp_target_is_present(a, omp_get_default_device()));
  CHECK(!omp_target_is_present(b, omp_get_default_device()));
  CHECK(!omp_target_is_present(&s, omp_get_default_device()));
  return finish();
}
