// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output of observers cannot be written: the program goes on, gets no signal, and a message says what is lost.

// RUN: %clang %s -o %t

// A file-size limit.
// RUN: rm -f %t.json %t.trace
// RUN: %run LIBOMPTARGET_PROFILE=%t.json %t limit 2>&1 | %check --check-prefix=PROFILE
// RUN: %run LIBOMPTARGET_DEBUG=1 LIBOMPTARGET_DEBUG_FILE=%t.trace %t limit 2>&1 | %check --check-prefix=TRACE
// PROFILE: end of main: 3, 0 signals
// PROFILE: omptarget warning: LIBOMPTARGET_PROFILE: cannot write '{{.*}}.json': File too large
// TRACE: omptarget warning: LIBOMPTARGET_DEBUG_FILE: cannot write to '{{.*}}.trace': File too large; lines of the trace are lost
// TRACE: end of main: 3, 0 signals

// A full disk. The library says it once, and so does the plugin.
// RUN: %run LIBOMPTARGET_DEBUG=1 LIBOMPTARGET_DEBUG_FILE=/dev/full %t 2>&1 | %check --check-prefix=FULL
// FULL: omptarget warning: LIBOMPTARGET_DEBUG_FILE: cannot write to '/dev/full': No space left on device; lines of the trace are lost
// FULL: end of main: 3, 0 signals

// A FIFO whose reader leaves.
// RUN: rm -f %t.fifo
// RUN: %run LIBOMPTARGET_DEBUG=1 %t fifo %t.fifo 2>&1 | %check --check-prefix=READER
// READER: omptarget warning: LIBOMPTARGET_DEBUG_FILE: cannot write to '{{.*}}.fifo': Broken pipe; lines of the trace are lost
// READER: end of main: 3, 0 signals

// UNSUPPORTED: runtime-llvm

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int region(int x) {
#pragma omp target map(tofrom : x)
  x++;
  return x;
}

/// Starts the program again with the trace in a FIFO that it reads itself.
static int start_with_fifo(char **arguments) {
  char reader[16];
  if (mkfifo(arguments[2], 0600) != 0)
    return 1;
  snprintf(reader, sizeof reader, "%d", open(arguments[2], O_RDONLY | O_NONBLOCK));
  setenv("LIBOMPTARGET_DEBUG_FILE", arguments[2], 1);
  execl(arguments[0], arguments[0], "reads", reader, NULL);
  return 1;
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (strcmp(mode, "fifo") == 0)
    return start_with_fifo(arguments);
  int x = region(1); // images are files in memory, which the limit would be for, too
  if (strcmp(mode, "limit") == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  if (strcmp(mode, "reads") == 0)
    close(atoi(arguments[2]));
  x = region(x);
  sigset_t pending;
  sigpending(&pending);
  printf("end of main: %d, %d signals\n", x, sigismember(&pending, SIGPIPE) || sigismember(&pending, SIGXFSZ));
  fflush(stdout);
  return 0;
}
