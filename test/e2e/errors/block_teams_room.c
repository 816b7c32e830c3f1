// The process may not have as many threads as a team asks for: the team has fewer, and a warning says so.
// RUN: %clang %s -o %t
// RUN: %run %t 500 2>&1 | %check
// RUN: %run %t 4000 2>&1 | %check
// CHECK-NOT: OMP: Error
// CHECK: omptarget warning: kernel __omp_offloading_{{.*}}main_l[[#LINE:]] asks for teams of 1024 threads, which wait for
// CHECK-SAME: one another at barriers; its teams have {{[0-9]+}}: the process may have no more.
// CHECK-NOT: omptarget warning
// CHECK: ok
// About the plugin for the CPU. Sanitizers need more address space.
// UNSUPPORTED: runtime-llvm, plugins-of-{{.*}}, emulator-cuda, emulator-amdgpu, sanitizer
#include "check.h"
#include <sys/resource.h>

int main(int count, char **values) {
  const rlim_t bytes = count > 1 ? (rlim_t)atoi(values[1]) << 20 : RLIM_INFINITY;
  const struct rlimit limit = {bytes, bytes};
  int threads = 0, sum = 0;
#pragma omp target map(from : threads)
  threads = 1;
  CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#pragma omp target teams num_teams(3) thread_limit(1024) map(tofrom : threads, sum)
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0)
      threads = omp_get_num_threads();
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 100; i++)
      sum++;
  }
  CHECK(threads >= 1 && threads < 1024);
  CHECK_EQ(sum, 300);
  return finish();
}
