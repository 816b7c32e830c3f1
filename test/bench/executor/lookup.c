// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookups of random energies in a sorted grid, and sums of what a table has there. Monte Carlo transport of neutrons
// has such loads, which go anywhere, and such branches. Argument: lookups.
#include "program.h"

enum { kPoints = 20000, kNuclides = 32, kMaterials = 12, kChannels = 5 };

#pragma omp begin declare target
static unsigned long next_random(unsigned long *state) {
  *state = *state * 6364136223846793005UL + 1442695040888963407UL;
  return *state >> 11;
}
static int find_point(const double *grid, double energy) {
  int low = 0, high = kPoints - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (grid[middle] > energy)
      high = middle;
    else
      low = middle;
  }
  return low;
}
#pragma omp end declare target

int main(int argc, char **argv) {
  const long lookups = size_of_work(argc, argv, 200000);
  double *grid = malloc(sizeof(double) * kPoints), *table = malloc(sizeof(double) * kPoints * kNuclides * kChannels);
  int *nuclides = malloc(sizeof(int) * kMaterials * kNuclides), *counts = malloc(sizeof(int) * kMaterials);
  unsigned long state = 7;
  for (long i = 0; i < kPoints; ++i)
    grid[i] = (double)i / kPoints + (double)next_random(&state) * 0x1p-53 / kPoints;
  for (long i = 0; i < (long)kPoints * kNuclides * kChannels; ++i)
    table[i] = (double)next_random(&state) * 0x1p-53;
  for (int material = 0; material < kMaterials; ++material) {
    counts[material] = 1 + (int)(next_random(&state) % (kNuclides - 1));
    for (int i = 0; i < kNuclides; ++i)
      nuclides[material * kNuclides + i] = (int)(next_random(&state) % kNuclides);
  }
  int *best = malloc(sizeof(int) * lookups);
  double seconds = 0;
#pragma omp target data map(to : grid[0 : kPoints], table[0 : (long)kPoints * kNuclides * kChannels]) \
    map(to : nuclides[0 : kMaterials * kNuclides], counts[0 : kMaterials]) map(from : best[0 : lookups])
  {
    const double begin = now();
#pragma omp target teams distribute parallel for
    for (long i = 0; i < lookups; ++i) {
      unsigned long own = (unsigned long)i * 2654435761UL + 12345;
      const double energy = (double)next_random(&own) * 0x1p-53;
      const int material = (int)(next_random(&own) % kMaterials);
      const int point = find_point(grid, energy);
      const double fraction = (grid[point + 1] - energy) / (grid[point + 1] - grid[point]);
      double sums[kChannels] = {0};
      for (int n = 0; n < counts[material]; ++n) {
        const long at = ((long)nuclides[material * kNuclides + n] * kPoints + point) * kChannels;
        for (int channel = 0; channel < kChannels; ++channel)
          sums[channel] += table[at + kChannels + channel] -
                           fraction * (table[at + kChannels + channel] - table[at + channel]);
      }
      int most = 0;
      for (int channel = 1; channel < kChannels; ++channel)
        if (sums[channel] > sums[most])
          most = channel;
      best[i] = most;
    }
    seconds = now() - begin;
  }
  double sum = 0;
  for (long i = 0; i < lookups; ++i)
    sum += best[i] * (double)(i % 101);
  tell(seconds, sum);
  return 0;
}
