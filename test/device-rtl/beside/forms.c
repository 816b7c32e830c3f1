// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image with many kernels whose regions have many arguments. beside.py looks that none of them calls a function.

#define PARAMETERS                                                                                                     \
  int n, const double *x, double *y, double a, double b, double c, double d, double e, double f, double g, double h,   \
      long step, long factor, int turns, int more
#define ADVANCE                                                                                                        \
  double t = a * x[i] + b;                                                                                             \
  for (int k = 0; k < turns; k++) {                                                                                    \
    t = t * c + d * x[(i + k * step) % n];                                                                             \
    if (t > e)                                                                                                         \
      t -= f * k;                                                                                                      \
    else                                                                                                               \
      t += g / (h + k);                                                                                                \
  }                                                                                                                    \
  y[i] += t * (double)factor + more;

void teams(PARAMETERS) {
#pragma omp target teams distribute parallel for map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
  }
}

void limited(PARAMETERS) {
#pragma omp target teams distribute parallel for num_teams(40) thread_limit(64) map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
  }
}

void chunked(PARAMETERS) {
#pragma omp target teams distribute parallel for schedule(static, 1) map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
  }
}

void guided(PARAMETERS) {
#pragma omp target teams distribute parallel for schedule(guided) map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
  }
}

void one_team(PARAMETERS) {
#pragma omp target parallel for map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
  }
}

void one_team_dynamic(PARAMETERS) {
#pragma omp target parallel for schedule(dynamic, 8) map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
  }
}

double sum(PARAMETERS) {
  double all = 0;
#pragma omp target teams distribute parallel for reduction(+ : all) map(to : x[ : n]) map(tofrom : y[ : n])
  for (int i = 0; i < n; i++) {
    ADVANCE
    all += t;
  }
  return all;
}

void rows(PARAMETERS) {
#pragma omp target teams distribute map(to : x[ : n]) map(tofrom : y[ : n])
  for (int row = 0; row < n; row += 64) {
    const double base = x[row] * a;
#pragma omp parallel for
    for (int i = row; i < row + 64; i++) {
      ADVANCE
      y[i] += base;
    }
  }
}

void two_regions(PARAMETERS) {
#pragma omp target map(to : x[ : n]) map(tofrom : y[ : n])
  {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      ADVANCE
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      y[i] *= a + b * c + d * e + f * g + h;
  }
}
