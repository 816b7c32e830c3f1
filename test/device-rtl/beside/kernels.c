// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that two device RTLs are compared by. beside.py compiles each separately, with -DKERNEL=<its number in the
// list below>. An RTL leaves code in a kernel for all that the image asks for.

#include <omp.h>

#define KERNEL_nothing 0
#define KERNEL_empty 1
#define KERNEL_scale 2
#define KERNEL_saxpy 3
#define KERNEL_rows 4
#define KERNEL_stencil 5
#define KERNEL_histogram 6
#define KERNEL_chunked 7
#define KERNEL_serial 8
#define KERNEL_generic_loop 9
#define KERNEL_generic_two_loops 10
#define KERNEL_generic_teams 11
#define KERNEL_generic_barrier 12
#define KERNEL_generic_call 13
#define KERNEL_sum 14
#define KERNEL_maximum 15
#define KERNEL_team_sums 16
#define KERNEL_several_sums 17
#define KERNEL_nested 18
#define KERNEL_dynamic 19
#define KERNEL_guided 20
#define KERNEL_wide 21
#define KERNEL_wide_guided 22

#if KERNEL == KERNEL_nothing
void kernel(void) {
#pragma omp target parallel
  {
  }
}

#elif KERNEL == KERNEL_empty
void kernel(int n) {
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) {
  }
}

#elif KERNEL == KERNEL_scale
void kernel(float *x, float factor, int n) {
#pragma omp target teams distribute parallel for map(tofrom : x[ : n])
  for (int i = 0; i < n; i++)
    x[i] *= factor;
}

#elif KERNEL == KERNEL_saxpy
void kernel(const float *restrict x, float *restrict y, float a, long n) {
#pragma omp target teams distribute parallel for simd map(to : x[ : n]) map(tofrom : y[ : n])
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}

#elif KERNEL == KERNEL_rows
void kernel(const double *a, const double *x, double *y, int n) {
#pragma omp target teams distribute map(to : a[ : n * n], x[ : n]) map(from : y[ : n])
  for (int row = 0; row < n; row++) {
    double value = 0;
#pragma omp parallel for reduction(+ : value)
    for (int column = 0; column < n; column++)
      value += a[row * n + column] * x[column];
    y[row] = value;
  }
}

#elif KERNEL == KERNEL_stencil
void kernel(const double *from, double *to, int n) {
#pragma omp target teams distribute parallel for collapse(2) map(to : from[ : n * n]) map(tofrom : to[ : n * n])
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      to[i * n + j] =
          0.25 * (from[i * n + j - 1] + from[i * n + j + 1] + from[(i - 1) * n + j] + from[(i + 1) * n + j]);
}

// More arguments of the region than most have.
#elif KERNEL == KERNEL_wide || KERNEL == KERNEL_wide_guided
#if KERNEL == KERNEL_wide
#define LOOP _Pragma("omp target teams distribute parallel for collapse(2) map(to : from[ : n * n]) map(to[ : n * n])")
#else
#define LOOP _Pragma("omp target parallel for schedule(guided) collapse(2) map(to : from[ : n * n]) map(to[ : n * n])")
#endif
void kernel(const double *from, double *to, int n, int width, const double *weights) {
  const double a = weights[0], b = weights[1], c = weights[2], d = weights[3], e = weights[4], f = weights[5],
               g = weights[6], h = weights[7], k = weights[8], l = weights[9], m = weights[10], o = weights[11];
  LOOP for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
    double sum = a + b * i + c * j + d * i * j;
    for (int x = -width; x <= width; x++)
      for (int y = -width; y <= width; y++)
        sum += (e + f * x + g * y + h * x * y) * from[(i + x + n) % n * n + (j + y + n) % n];
    to[i * n + j] = sum * k + l * to[i * n + j] + (sum < m ? o : 0);
  }
}

#elif KERNEL == KERNEL_histogram
void kernel(const unsigned char *values, unsigned *counts, int n) {
#pragma omp target teams distribute parallel for map(to : values[ : n]) map(tofrom : counts[ : 256])
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    counts[values[i]]++;
  }
}

#elif KERNEL == KERNEL_chunked
void kernel(int *x, int n) {
#pragma omp target teams distribute parallel for dist_schedule(static, 512) schedule(static, 4) num_threads(64)        \
    map(tofrom : x[ : n])
  for (int i = 0; i < n; i++)
    x[i] += omp_get_thread_num() + omp_get_team_num();
}

#elif KERNEL == KERNEL_serial
void kernel(int *x, int n) {
#pragma omp target map(tofrom : x[ : n])
  for (int i = 1; i < n; i++)
    x[i] += x[i - 1];
}

#elif KERNEL == KERNEL_generic_loop
void kernel(float *x, int n) {
#pragma omp target map(tofrom : x[ : n])
  {
    const float first = x[0];
    x[0] = 0;
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      x[i] -= first;
  }
}

#elif KERNEL == KERNEL_generic_two_loops
void kernel(float *x, float *y, int n) {
#pragma omp target map(tofrom : x[ : n], y[ : n])
  {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] += 1;
    y[0] = x[n - 1];
#pragma omp parallel for
    for (int i = 1; i < n; i++)
      y[i] = x[i] * y[0];
  }
}

#elif KERNEL == KERNEL_generic_teams
void kernel(const int *starts, float *x, int n) {
#pragma omp target teams distribute map(to : starts[ : n + 1]) map(tofrom : x[ : starts[n]])
  for (int i = 0; i < n; i++) {
    const int from = starts[i], to = starts[i + 1];
    float scale_by = 0;
    for (int j = from; j < to; j++)
      scale_by += x[j];
#pragma omp parallel for
    for (int j = from; j < to; j++)
      x[j] /= scale_by;
  }
}

#elif KERNEL == KERNEL_generic_barrier
void kernel(int *x, int *y, int n) {
#pragma omp target map(tofrom : x[ : n], y[ : n])
  {
    x[0] = 1;
#pragma omp parallel num_threads(96)
    {
      const int me = omp_get_thread_num(), all = omp_get_num_threads();
      for (int i = me; i < n; i += all)
        x[i] += me;
#pragma omp barrier
      for (int i = me; i < n; i += all)
        y[i] = x[n - 1 - i];
    }
  }
}

#elif KERNEL == KERNEL_generic_call
#pragma omp declare target
void fill(int *x, int n, int value); // another file's
#pragma omp end declare target
void kernel(int *x, int n) {
#pragma omp target map(tofrom : x[ : n])
  {
    int value = x[0];
#pragma omp parallel for firstprivate(value)
    for (int i = 0; i < n; i += 16)
      fill(x + i, 16, value);
  }
}
#pragma omp declare target
__attribute__((noinline)) void fill(int *x, int n, int value) {
  for (int i = 0; i < n; i++)
    x[i] = value;
}
#pragma omp end declare target

#elif KERNEL == KERNEL_sum
double kernel(const double *x, int n) {
  double value = 0;
#pragma omp target teams distribute parallel for reduction(+ : value) map(to : x[ : n])
  for (int i = 0; i < n; i++)
    value += x[i];
  return value;
}

#elif KERNEL == KERNEL_maximum
int kernel(const int *x, int n) {
  int value = x[0];
#pragma omp target teams distribute parallel for reduction(max : value) map(to : x[ : n])
  for (int i = 0; i < n; i++)
    value = x[i] > value ? x[i] : value;
  return value;
}

#elif KERNEL == KERNEL_team_sums
float kernel(const float *x, int n) {
  float value = 0;
#pragma omp target parallel for reduction(+ : value) map(to : x[ : n]) map(tofrom : value)
  for (int i = 0; i < n; i++)
    value += x[i];
  return value;
}

#elif KERNEL == KERNEL_several_sums
void kernel(const float *x, float *results, int n) {
  float all = 0, least = x[0];
  long count = 0;
#pragma omp target teams distribute parallel for reduction(+ : all, count) reduction(min : least) map(to : x[ : n])
  for (int i = 0; i < n; i++) {
    all += x[i];
    count += x[i] > 0;
    least = x[i] < least ? x[i] : least;
  }
  results[0] = all, results[1] = least, results[2] = (float)count;
}

#elif KERNEL == KERNEL_nested
void kernel(int *x, int n) {
#pragma omp target teams distribute parallel for map(tofrom : x[ : n])
  for (int i = 0; i < n; i++) {
    int value = 0;
#pragma omp parallel num_threads(4) reduction(+ : value)
    value += omp_get_num_threads() + omp_get_level();
    x[i] = value;
  }
}

#elif KERNEL == KERNEL_dynamic
void kernel(int *x, int n) {
#pragma omp target map(tofrom : x[ : n])
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < n; i++)
    x[i] += i;
}

#elif KERNEL == KERNEL_guided
void kernel(int *x, int n) {
#pragma omp target teams distribute parallel for schedule(guided) map(tofrom : x[ : n])
  for (int i = 0; i < n; i++)
    x[i] += i;
}

#else
#error "KERNEL says which"
#endif

// A region whose body calls what nobody knows: all other regions of the image stay as they are.
#ifdef BESIDE_A_CALL
void calling(void (*function)(float *), float *x, int n) {
#pragma omp target teams distribute parallel for map(tofrom : x[ : n])
  for (int i = 0; i < n; i++)
    function(&x[i]);
}
#endif
