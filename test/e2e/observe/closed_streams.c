// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program closes its standard streams, or some of them, and writes to their numbers. No file of the library has such
// a number. The journal of a profile and the trace stay whole, and what the program opens gets the lowest number.

// REQUIRES: runtime-omptarget, clang-15-or-later
// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %expect-killed LIBOMPTARGET_PROFILE=%t.d/k.json %t 2
// RUN: %prefix/bin/omptarget-profile recover %t.d/k.json.journal | %FileCheck %s --check-prefix=TOLD
// RUN: %prefix/bin/omptarget-profile summary %t.d/k.json | %check
// RUN: %expect-killed LIBOMPTARGET_PROFILE=%t.d/e.json LIBOMPTARGET_DEBUG=all LIBOMPTARGET_DEBUG_FILE=%t.d/trace %t 3
// RUN: %prefix/bin/omptarget-profile recover %t.d/e.json.journal | %FileCheck %s --check-prefix=TOLD
// RUN: %FileCheck %s --check-prefix=TRACE --input-file=%t.d/trace
// TOLD: json: {{[0-9]+}} events of process
// CHECK: regions,"target","{{.*}}closed_streams.c:[[#]]:1","",20,
// TRACE: registering
// TRACE-NOT: garbage

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count;

static void write_garbage(int streams) {
  char garbage[4096];
  for (size_t i = 0; i + 8 <= sizeof garbage; i += 8)
    memcpy(garbage + i, "garbage\n", 8);
  for (int stream = 0; stream < streams; ++stream) {
    lseek(stream, 0, SEEK_SET);
    if (write(stream, garbage, sizeof garbage) >= 0)
      _exit(1);
  }
}

int main(int argc, char **argv) {
  const int streams = argc > 1 ? atoi(argv[1]) : 0;
  for (int stream = 0; stream < streams; ++stream)
    close(stream);
  for (int i = 0; i < 20; ++i) {
#pragma omp target map(tofrom : count)
    ++count;
    write_garbage(streams);
  }
  if (open("/dev/null", O_RDONLY) != 0)
    return 1;
  raise(SIGKILL);
  return 1;
}
