// A team that is shaped for GPUs, and cannot have its threads: one warning says so.
// RUN: %clang %s -o %t
// RUN: %run OMP_THREAD_LIMIT=8 %t 100 8 2>&1 | %check --check-prefixes=ALL,LIMIT
// RUN: %run %t 2000 1024 2>&1 | %check --check-prefixes=ALL,MOST
// ALL-NOT: warning
// LIMIT: omptarget warning: kernel __omp_offloading_{{.*}}main_l[[#LINE:]] asks for teams of 100 threads, which wait for
// LIMIT-SAME: one another at barriers; its teams have 8: OMP_THREAD_LIMIT. {{.*}}omptarget-run
// MOST: omptarget warning: kernel {{.*}} asks for teams of 2000 threads{{.*}} its teams have 1024: that is the most of a team.
// ALL-NOT: {{warning|Warning}}
// ALL: ok
// About the plugin for the CPU.
// UNSUPPORTED: runtime-llvm, plugins-of-{{.*}}, emulator-cuda, emulator-amdgpu
#include "check.h"

int main(int count, char **values) {
  const int wanted = count > 2 ? atoi(values[1]) : 0, made = count > 2 ? atoi(values[2]) : 0;
  for (int round = 0; round < 2; round++) {
    int threads = 0;
#pragma omp target teams num_teams(2) thread_limit(wanted) map(from : threads)
#pragma omp parallel
    {
#pragma omp barrier
      if (omp_get_thread_num() == 0)
        threads = omp_get_num_threads();
    }
    CHECK_EQ(threads, made);
  }
  return finish();
}
