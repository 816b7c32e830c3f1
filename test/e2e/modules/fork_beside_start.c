// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fork while other threads' own code starts the host's OpenMP runtime, which does not pass through the library. The
// child's regions work, or the first one ends the child with a message. The runtime's own fork handlers do not mend a
// lock that other threads have waited for. No child hangs.

// RUN: %clang %s -o %t -pthread
// RUN: %run %t
// REQUIRES: runtime-omptarget
// ThreadSanitizer ends a child that starts threads.
// UNSUPPORTED: tsan

#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, PROCESSES = 30, N = 100 };

static pthread_barrier_t all;

static void *start_runtime(void *unused) {
  pthread_barrier_wait(&all);
  omp_get_max_threads();
  return unused;
}

__attribute__((noinline)) static int sum(void) {
  int result = 0;
#pragma omp target teams distribute parallel for reduction(+ : result) map(tofrom : result)
  for (int i = 0; i < N; i++)
    result += i;
  return result;
}

__attribute__((noinline)) static int fork_once(int microseconds) {
  pthread_t threads[THREADS];
  pthread_barrier_init(&all, NULL, THREADS + 1);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, start_runtime, NULL);
  pthread_barrier_wait(&all);
  usleep((unsigned)microseconds);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60); // a hang is a failure
    _exit(sum() == N * (N - 1) / 2 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  if (sum() != N * (N - 1) / 2)
    return 2;
  return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int count, char **words) {
  if (count > 1)
    return fork_once(atoi(words[1]));
  for (int i = 0; i < PROCESSES; i++) {
    char delay[16];
    snprintf(delay, sizeof delay, "%d", i * 20);
    if (fork() == 0) {
      execl(words[0], words[0], delay, (char *)NULL);
      _exit(127);
    }
  }
  int worked = 0, told = 0;
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    wait(&status);
    worked += status == 0;
    told += status == (100 + SIGABRT) << 8;
  }
  printf("%d children worked, %d ended with a message\n", worked, told);
  CHECK_EQ(worked + told, PROCESSES);
  return finish();
}
