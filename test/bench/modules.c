// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// modules LIBRARY...: opens the libraries, runs a region, for which their images are loaded, and closes them. It prints
// the milliseconds of each of the three.

#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int run_region(void) {
  int host = 1;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  return host;
}

int main(int argc, char **argv) {
  void **libraries = malloc((size_t)argc * sizeof *libraries);
  if (run_region()) // the device is initialised before
    return fprintf(stderr, "regions run on the host\n"), 1;
  double at[4] = {now()};
  for (int i = 1; i < argc; i++)
    if (!(libraries[i] = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL)))
      return fprintf(stderr, "%s\n", dlerror()), 1;
  at[1] = now();
  run_region();
  at[2] = now();
  for (int i = 1; i < argc; i++)
    dlclose(libraries[i]);
  at[3] = now();
  free(libraries);
  for (int i = 0; i < 3; i++)
    printf("%.1f ", at[i + 1] - at[i]);
  return 0;
}
