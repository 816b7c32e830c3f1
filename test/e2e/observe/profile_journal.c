// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that is killed leaves the journal of its profile, and omptarget-profile recovers the profile from it. So
// does a child of a fork. A program that ends on its own leaves none. A journal of an earlier run is not replaced. If it
// cannot be written, a warning says so, and the program goes on. A damaged journal is refused.

// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run LIBOMPTARGET_PROFILE=%t.d/p.json %t 3
// RUN: not ls %t.d/p.json.journal
// RUN: %expect-killed LIBOMPTARGET_PROFILE=%t.d/k.json %t 300 9
// RUN: not ls %t.d/k.json
// RUN: %prefix/bin/omptarget-profile recover %t.d/k.json.journal | %FileCheck %s --check-prefix=TOLD
// RUN: %prefix/bin/omptarget-profile summary %t.d/k.json | %FileCheck %s
// RUN: %FileCheck %s --check-prefix=JSON --input-file=%t.d/k.json
// RUN: %expect-killed LIBOMPTARGET_PROFILE=%t.d/k.json %t 4 15
// RUN: sh -c 'ls %t.d/k.json.journal %t.d/k.json.*.journal'
// RUN: %run LIBOMPTARGET_PROFILE=%t.d/f.json %t 2 fork
// RUN: sh -c '%prefix/bin/omptarget-profile recover -o %t.d/child.json %t.d/f.json.*.journal' | %FileCheck %s --check-prefix=CHILD
// RUN: %inputs/limit-files 50 %run LIBOMPTARGET_PROFILE=%t.d/limit.json %t 3 2>&1 | %FileCheck %s --check-prefix=LIMIT
// RUN: head -c 9000 %t.d/k.json.journal > %t.d/short.json.journal
// RUN: not %prefix/bin/omptarget-profile recover %t.d/short.json.journal 2>&1 | %FileCheck %s --check-prefix=SHORT
// RUN: head -c 90 %t.d/k.json.journal > %t.d/shorter.json.journal
// RUN: not %prefix/bin/omptarget-profile recover %t.d/shorter.json.journal 2>&1 | %FileCheck %s --check-prefix=NONE
// RUN: not %prefix/bin/omptarget-profile recover %t.d/k.json 2>&1 | %FileCheck %s --check-prefix=NAME
// UNSUPPORTED: runtime-llvm, emulator-cuda, emulator-amdgpu
// TOLD: k.json: {{[0-9]+}} events of process {{[0-9]+}}, profile_journal
// CHECK: regions,"target","{{.*}}profile_journal.c:[[#]]:1","",300,
// CHECK: kernels,"main, line [[#]]","{{.*}}profile_journal.c:[[#]]:1","",300,
// JSON: "commandLine":"{{[^"]*}} 300 9"
// CHILD: child.json: {{[0-9]+}} events
// LIMIT: LIBOMPTARGET_PROFILE: the journal '{{.*}}limit.json.journal' cannot be written: File too large; if the program is killed, its profile is lost
// LIMIT: 3
// SHORT: short.json.journal: the journal is damaged: the block at byte
// NONE: shorter.json.journal is no journal of a profile
// NAME: k.json does not end in .journal: the result's name is missing: -o RESULT

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;

static void add(void) {
#pragma omp target map(tofrom : count)
  ++count;
}

int main(int argc, char **argv) {
  const int times = atoi(argv[1]);
  for (int i = 0; i < times; ++i) {
#pragma omp target map(tofrom : count)
    ++count;
  }
  if (argc > 2 && strcmp(argv[2], "fork") == 0) {
    if (fork() == 0) {
      add();
      raise(SIGKILL);
    }
    wait(NULL);
  } else if (argc > 2) {
    raise(atoi(argv[2]));
  }
  printf("%d\n", count);
  return count != times;
}
