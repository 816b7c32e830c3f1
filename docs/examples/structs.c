// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A struct whose members are pointers: what they point at is mapped, and the device's copy of the struct points there.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

struct Mesh {
  int cells;
  double *density;
  double *volume;
  double total; // computed on the device
};

int main(void) {
  struct Mesh mesh = {5000, malloc(5000 * sizeof(double)), malloc(5000 * sizeof(double)), 0};
  const double *density_on_host = mesh.density;
  for (int i = 0; i < mesh.cells; i++) {
    mesh.density[i] = 0.5;
    mesh.volume[i] = i;
  }

  // The struct stays on the device over several regions, and so does what its members point at.
#pragma omp target enter data map(to : mesh) map(to : mesh.density[0 : mesh.cells], mesh.volume[0 : mesh.cells])
  int on_host = 1;
#pragma omp target map(from : on_host)
  {
    on_host = omp_is_initial_device();
    for (int i = 0; i < mesh.cells; i++)
      mesh.density[i] *= 2;
  }
#pragma omp target
  {
    double total = 0;
    for (int i = 0; i < mesh.cells; i++)
      total += mesh.density[i] * mesh.volume[i];
    mesh.total = total;
  }
#pragma omp target update from(mesh.total)
#pragma omp target exit data map(from : mesh.density[0 : mesh.cells]) map(delete : mesh.volume[0 : mesh.cells])
#pragma omp target exit data map(delete : mesh)

  const double wanted = 4999.0 * 5000 / 2;
  const int is_intact = mesh.density == density_on_host && mesh.density[4999] == 1.0;
  printf("total %.1f, wanted %.1f, computed on the %s; the host's pointers are %s\n", mesh.total, wanted,
         on_host ? "host" : "device", is_intact ? "as they were" : "damaged");
  return mesh.total != wanted || !is_intact || on_host;
}
