// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat spreading on a plate: the grids stay on the device for all steps, inside of one data region.

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define N 128
#define STEPS 200

static double plate[N][N], next[N][N], reference[N][N];

static void heat_the_edge(double grid[N][N]) {
  memset(grid, 0, sizeof(double) * N * N);
  for (int i = 0; i < N; i++)
    grid[0][i] = 100;
}

// The same on the host, to compare.
static void compute_reference(void) {
  heat_the_edge(reference);
  for (int step = 0; step < STEPS; step++) {
    memcpy(next, reference, sizeof next);
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        reference[i][j] = 0.25 * (next[i - 1][j] + next[i + 1][j] + next[i][j - 1] + next[i][j + 1]);
  }
}

int main(void) {
  compute_reference();
  heat_the_edge(plate);
  int on_host = 1;
#pragma omp target data map(tofrom : plate) map(alloc : next)
  for (int step = 0; step < STEPS; step++) {
    // Both regions find the grids present: nothing is copied.
#pragma omp target teams distribute parallel for collapse(2)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        next[i][j] = plate[i][j];
#pragma omp target teams distribute parallel for collapse(2)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        plate[i][j] = 0.25 * (next[i - 1][j] + next[i + 1][j] + next[i][j - 1] + next[i][j + 1]);
    if (step == STEPS / 2) { // a look at the middle, on the way
#pragma omp target update from(plate[N / 2 : 1][0 : N])
#pragma omp target map(from : on_host)
      on_host = omp_is_initial_device();
      printf("step %d: the middle has %.6f degrees\n", step, plate[N / 2][N / 2]);
    }
  }
  double difference = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      difference = fmax(difference, fabs(plate[i][j] - reference[i][j]));
  printf("%d steps on the %s; largest difference to the host's result: %g\n", STEPS, on_host ? "host" : "device",
         difference);
  return difference > 1e-12 || on_host;
}
