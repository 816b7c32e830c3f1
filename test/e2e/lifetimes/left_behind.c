// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that nobody joins map data and have regions while the process ends. Their losses then do not change how the
// process ends, also where offloading is mandatory: the program has left them behind. (A driver's devices end in an
// exit handler, whose threads still count: there only without MANDATORY.)

// RUN: %clang %s -o %t -pthread
// RUN: %run %t %lifetime %t.messages
// LLVM's runtimes crash now and then. So do libomp's threads under a sanitizer; elsewhere libomp's own assertions are
// left to it.
// UNSUPPORTED: runtime-llvm, sanitizer

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 2, PROCESSES = 40, N = 64 };

static atomic_int rounds;

// Not in the loop: constructs there take more of the stack with each round by clang 16.
__attribute__((noinline)) static void map_once(int *p) {
#pragma omp target enter data map(to : p[0 : N])
#pragma omp target map(alloc : p[0 : N])
  p[0] += 1;
#pragma omp target exit data map(from : p[0 : N])
  atomic_fetch_add(&rounds, 1);
}

static void *map_for_ever(void *unused) {
  static _Thread_local int values[N];
  for (;;)
    map_once(values);
  return unused;
}

static int live(void) {
  alarm(60); // a hang is a failure
  for (int i = 0; i < THREADS; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, map_for_ever, NULL);
    pthread_detach(thread);
  }
  while (atomic_load(&rounds) < 100)
    usleep(100);
  return 0;
}

// Returns whether libomp itself has ended the process that wrote the messages.
static int has_libomp_failed(const char *messages) {
  char text[4096];
  FILE *const file = fopen(messages, "r");
  int result = 0;
  while (file && fgets(text, sizeof text, file))
    result |= strstr(text, "Assertion failure at kmp_") != NULL || strstr(text, "Thread identifier invalid") != NULL;
  if (file)
    fclose(file);
  return result;
}

int main(int count, char **words) {
  if (count > 3)
    return live();
  if (strcmp(words[1], "LASTS") != 0)
    setenv("OMP_TARGET_OFFLOAD", "DEFAULT", 1);
  for (int i = 0; i < PROCESSES; i++) {
    const pid_t child = fork();
    if (child == 0) {
      if (freopen(words[2], "w", stderr))
        execl(words[0], words[0], words[1], words[2], "live", (char *)NULL);
      _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status == 0 || !has_libomp_failed(words[2]))
      CHECK_EQ(status, 0);
  }
  return finish();
}
