// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf by one thread and by all threads of several teams: every line comes out, whole and once, by the end of the
// construct.

#include "check.h"

#include <string.h>
#include <unistd.h>

enum { TEAMS = 3, THREADS = 64 };
static char text[100000];

/// From here on all output goes to a file.
static FILE *catch_output(int *own) {
  FILE *file = tmpfile();
  fflush(stdout);
  *own = dup(1);
  if (!file || dup2(fileno(file), 1) < 0)
    exit(3);
  return file;
}

static void read_output(FILE *file, int own) {
  fflush(stdout);
  dup2(own, 1);
  close(own);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
}

static int count(const char *line) {
  int found = 0;
  for (const char *at = text; (at = strstr(at, line)); at++)
    found += at == text || at[-1] == '\n';
  return found;
}

int main(void) {
  int own = 0;
  FILE *file = catch_output(&own);
#pragma omp target
  {
    HERE();
    for (int i = 0; i < 4; i++)
      printf("line %d of one thread: %s %.2f\n", i, "text", i * 0.25);
  }
#pragma omp target teams distribute parallel for num_teams(TEAMS) thread_limit(THREADS)
  for (int i = 0; i < TEAMS * THREADS; i++)
    printf("thread %d: %ld %c\n", i, i * 10000000000l, 'a' + i % 26);
  read_output(file, own);
  for (int i = 0; i < 4; i++) {
    char line[100];
    snprintf(line, sizeof line, "line %d of one thread: text %.2f\n", i, i * 0.25);
    CHECK_EQ(count(line), 1);
  }
  for (int i = 0; i < TEAMS * THREADS; i++) {
    char line[100];
    snprintf(line, sizeof line, "thread %d: %ld %c\n", i, i * 10000000000l, 'a' + i % 26);
    CHECK_EQ(count(line), 1);
  }
  if (failed_checks)
    printf("printed was:\n%s", text);
  return finish();
}
