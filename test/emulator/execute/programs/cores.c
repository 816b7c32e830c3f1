// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of many teams run on several cores. All teams add to sums, take a lock and draw tickets. A fault is named
// once. The process ends, or forks, while a kernel runs. A seed makes the same run each time.
// RUN: %clang -gline-tables-only %s -lpthread -o %t
// DEFINE: %{run} = env -u SIM_EXECUTOR_CORES LD_LIBRARY_PATH=%ompfolder SIM_EXECUTOR_ALONE=0 %prefix/bin/omptarget-run
// RUN: %{run} %t
// RUN: %{run} --cores=2 %t
// RUN: %{run} --cores=7 --interpret %t
// RUN: not --crash %{run} --cores=7 %t fault 2>&1 | %FileCheck %s --implicit-check-not="stand-in: kernel"
// RUN: not %{run} --cores=7 --json=%t.json %t fault 2>&1 | %FileCheck %s --check-prefix=COUNT
// RUN: bash -c '%{run} --cores=7 %t exit; test $? = 7'
// RUN: %{run} --cores=7 %t fork
// RUN: %{run} --seed=2 %t order > %t.1
// RUN: %{run} --seed=2 %t order > %t.2
// RUN: %{run} --seed=3 %t order > %t.3
// RUN: cmp %t.1 %t.2
// RUN: not cmp %t.1 %t.3
// RUN: not %prefix/bin/omptarget-run --cores=all %t 2>&1 | %FileCheck %s --check-prefix=NUMBER

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { kTeams = 64, kTimes = 500 };

static atomic_bool has_begun;

static void sum(void) {
  long total = 0, most = 0, locked = 0;
  int tickets[kTeams] = {0}, next = 0, lock = 0;
#pragma omp target teams distribute num_teams(kTeams) thread_limit(64) reduction(+ : total) reduction(max : most) \
    map(tofrom : total, most, locked, tickets, next, lock)
  for (int team = 0; team < kTeams; ++team) {
    int ticket = 0;
#pragma omp atomic capture
    ticket = next++;
#pragma omp atomic
    ++tickets[ticket];
    long own = 0;
#pragma omp parallel for reduction(+ : own)
    for (int i = 0; i < kTimes; ++i)
      own += i % (team + 2);
    total += own;
    most = own > most ? own : most;
    int free = 0;
    while (!__atomic_compare_exchange_n(&lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
      free = 0;
    locked += own;
    __atomic_exchange_n(&lock, 0, __ATOMIC_ACQ_REL);
  }
  long wanted = 0, largest = 0;
  for (int team = 0; team < kTeams; ++team) {
    long own = 0;
    for (int i = 0; i < kTimes; ++i)
      own += i % (team + 2);
    wanted += own;
    largest = own > largest ? own : largest;
    CHECK_EQ(tickets[team], 1);
  }
  CHECK_EQ(next, kTeams);
  CHECK_EQ(total, wanted);
  CHECK_EQ(most, largest);
  CHECK_EQ(locked, wanted);
}

static void fault(int far) {
  int place[kTeams] = {0};
#pragma omp target teams distribute num_teams(kTeams) map(tofrom : place)
  for (int team = 0; team < kTeams; ++team)
    place[team + far] = 1; // here
}

static void order(void) {
  int tickets[kTeams] = {0}, next = 0;
#pragma omp target teams distribute num_teams(kTeams) map(tofrom : tickets, next)
  for (int i = 0; i < kTeams; ++i) {
    int ticket = 0;
#pragma omp atomic capture
    ticket = next++;
    tickets[i] = ticket;
  }
  for (int i = 0; i < kTeams; ++i)
    printf("%d\n", tickets[i]);
}

static void *run_long(void *unused) {
  static float x[8192];
  atomic_store(&has_begun, 1);
#pragma omp target teams distribute parallel for num_teams(kTeams) map(tofrom : x)
  for (int i = 0; i < 8192; ++i) {
    float value = (float)i;
    for (int n = 0; n < 200; ++n)
      value = value * 0.5f + 1;
    x[i] = value;
  }
  for (int i = 0; i < 8192; ++i)
    CHECK_EQ(x[i] == 2, 1);
  return unused;
}

static void fork_often(void) {
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0)
      _exit(3);
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(WEXITSTATUS(status), 3);
    usleep(5000);
  }
}

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "sum";
  if (strcmp(what, "sum") == 0)
    sum();
  if (strcmp(what, "fault") == 0)
    fault(1 << 20);
  if (strcmp(what, "order") == 0)
    return order(), 0;
  if (strcmp(what, "exit") != 0 && strcmp(what, "fork") != 0)
    return finish();
  int found = 0;
#pragma omp target map(from : found)
  found = 1;
  CHECK_EQ(found, 1);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, run_long, NULL), 0);
  while (!atomic_load(&has_begun))
    usleep(100);
  if (strcmp(what, "exit") == 0) {
    usleep(20000);
    exit(7);
  }
  fork_often();
  CHECK_EQ(pthread_join(thread, NULL), 0);
  return finish();
}

// CHECK: stand-in: kernel {{.*}}: writes 4 bytes at 0x{{.*}}, which are in no allocation that this device reaches
// CHECK-NEXT: cores.c:[[# @LINE - 71]]
// COUNT: omptarget-run: 1 finding: 1 memory
// NUMBER: omptarget-run: --cores=all: a number from 1 is expected
