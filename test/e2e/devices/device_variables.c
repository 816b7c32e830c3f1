// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of devices: OMP_..._DEV_<n> goes before OMP_..._DEV, and that before OMP_..._ALL. The host keeps its own.
// Clauses go before all of them, and the routines of OpenMP 6.0 read and set two of them. (libomp has no more teams
// than processors without KMP_TEAMS_THREAD_LIMIT.)

// RUN: %indirect-clang %s -o %t
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS_ALL=2 %t teams=2
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS_ALL=2 OMP_NUM_TEAMS_DEV=3 %t teams=3
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS=8 OMP_NUM_TEAMS_DEV=3 OMP_NUM_TEAMS_DEV_0=4 OMP_NUM_TEAMS_DEV_1=5 %t teams=4 host-teams=8
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS=2 OMP_NUM_TEAMS_DEV=4 %t teams=4
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS_DEV=6 OMP_TEAMS_THREAD_LIMIT_DEV=1 %t teams=6 team-threads=1
// RUN: %run OMP_NUM_THREADS=1 OMP_NUM_THREADS_DEV=3,2 %t threads=3 host-threads=1
// RUN: %run OMP_NUM_THREADS_DEV_0=2 OMP_NUM_THREADS_DEV=3 %t threads=2
// RUN: %run OMP_MAX_ACTIVE_LEVELS_DEV=0 %t threads=1
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS_DEV=3 %t set
// RUN: %run KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_TEAMS_DEV=none OMP_NUM_THREADS_DEV=,2 OMP_TEAMS_THREAD_LIMIT_DEV_0=0 %t 2>&1 | %check
// CHECK-DAG: omptarget warning: OMP_NUM_TEAMS_DEV: 'none' is no integer between 1 and 2147483647; ignored
// CHECK-DAG: omptarget warning: OMP_NUM_THREADS_DEV: ',2' does not begin with a number from 1 to 2147483647; ignored
// CHECK-DAG: omptarget warning: OMP_TEAMS_THREAD_LIMIT_DEV_0: '0' is no integer between 1 and 2147483647; ignored
// REQUIRES: runtime-omptarget
// Plugins for GPUs launch so many teams and threads. Code for the CPU, on a stand-in for a driver, asks libomp.
// Other plugins do not know the variables.
// UNSUPPORTED: (emulator-cuda || emulator-amdgpu) && !executor, plugins-of-{{.*}}

#include "check.h"

#include <omp.h>

extern int omp_get_device_num_teams(int device);
extern int omp_get_device_teams_thread_limit(int device);
extern void omp_set_device_num_teams(int teams, int device);
extern void omp_set_device_teams_thread_limit(int threads, int device);

static int count_teams(void) {
  int teams = 0;
#pragma omp target teams map(tofrom : teams)
  if (omp_get_team_num() == 0) {
    HERE();
    teams = omp_get_num_teams();
  }
  return teams;
}

static int count_teams_of_clause(void) {
  int teams = 0;
#pragma omp target teams num_teams(2) map(tofrom : teams)
  if (omp_get_team_num() == 0)
    teams = omp_get_num_teams();
  return teams;
}

static int count_team_threads(void) {
  int threads = 0;
#pragma omp target teams map(tofrom : threads)
#pragma omp parallel
  if (omp_get_team_num() == 0 && omp_get_thread_num() == 0)
    threads = omp_get_num_threads();
  return threads;
}

static int count_threads(void) {
  int threads = 0;
#pragma omp target parallel map(tofrom : threads)
  if (omp_get_thread_num() == 0)
    threads = omp_get_num_threads();
  return threads;
}

static int count_host_threads(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp master
  threads = omp_get_num_threads();
  return threads;
}

static void set_variables(void) {
  const int host = omp_get_initial_device();
  CHECK_EQ(omp_get_device_num_teams(0), 3);
  omp_set_device_num_teams(5, 0);
  CHECK_EQ(omp_get_device_num_teams(0), 5);
  CHECK_EQ(count_teams(), 5);
  CHECK_EQ(omp_get_device_teams_thread_limit(0), 0);
  omp_set_device_teams_thread_limit(1, 0);
  CHECK_EQ(omp_get_device_teams_thread_limit(0), 1);
  CHECK_EQ(count_team_threads(), 1);
  CHECK_EQ(omp_get_device_num_teams(host), omp_get_max_teams());
  omp_set_device_num_teams(7, host);
  CHECK_EQ(omp_get_max_teams(), 7);
  CHECK_EQ(omp_get_device_num_teams(-1), 7);
  omp_set_device_teams_thread_limit(9, -1);
  CHECK_EQ(omp_get_teams_thread_limit(), 9);
  CHECK_EQ(omp_get_device_num_teams(0), 5);
  CHECK_EQ(omp_get_device_num_teams(host + 1), 0);
}

int main(int argc, char **argv) {
  const int host_threads = count_host_threads();
  for (int i = 1; i < argc; i++) {
    int value = 0;
    if (sscanf(argv[i], "teams=%d", &value) == 1) {
      CHECK_EQ(count_teams(), value);
      CHECK_EQ(omp_get_device_num_teams(0), value);
      CHECK_EQ(count_teams_of_clause(), 2);
    } else if (sscanf(argv[i], "team-threads=%d", &value) == 1)
      CHECK_EQ(count_team_threads(), value);
    else if (sscanf(argv[i], "threads=%d", &value) == 1)
      CHECK_EQ(count_threads(), value);
    else if (sscanf(argv[i], "host-teams=%d", &value) == 1)
      CHECK_EQ(omp_get_max_teams(), value);
    else if (sscanf(argv[i], "host-threads=%d", &value) == 1)
      CHECK_EQ(count_host_threads(), value);
    else
      set_variables();
  }
  count_teams();
  CHECK_EQ(count_host_threads(), host_threads);
  return finish();
}
