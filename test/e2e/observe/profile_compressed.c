// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile whose name ends in .gz is compressed, also that of a child of a fork and one that is recovered from a
// journal. omptarget-profile reads and writes such files. One that is damaged or cut off is refused by name.

// REQUIRES: runtime-omptarget, clang-15-or-later
// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run LIBOMPTARGET_PROFILE=%t.d/p.json.gz %t
// RUN: gzip -dc %t.d/p.json.gz > %t.d/plain.json && %python %inputs/check_profile.py %t.d/plain.json
// RUN: %prefix/bin/omptarget-profile summary %t.d/p.json.gz | %FileCheck %s
// RUN: env SLURM_PROCID=1 %run LIBOMPTARGET_PROFILE=%t.d/p.json.gz %t
// RUN: %prefix/bin/omptarget-profile merge -o %t.d/all.json.gz %t.d/p.json.gz %t.d/p.1.json.gz
// RUN: %prefix/bin/omptarget-profile summary %t.d/all.json.gz | %FileCheck %s --check-prefix=BOTH
// RUN: %prefix/bin/omptarget-profile merge -o %t.d/all.html.gz %t.d/p.json.gz %t.d/p.1.json.gz
// RUN: gzip -dc %t.d/all.html.gz | %FileCheck %s --check-prefix=PAGE
// RUN: %prefix/bin/omptarget-profile merge -o - %t.d/p.json.gz | %FileCheck %s --check-prefix=PLAIN
// RUN: %expect-killed LIBOMPTARGET_PROFILE=%t.d/k.json.gz %t kill
// RUN: %prefix/bin/omptarget-profile recover %t.d/k.json.gz.journal | %FileCheck %s --check-prefix=TOLD
// RUN: gzip -t %t.d/k.json.gz && %prefix/bin/omptarget-profile summary %t.d/k.json.gz | %FileCheck %s
// In a child the libomp of LLVM 16 trips over what the parent's has written down.
// RUN: %if clang-17-or-later %{ %run LIBOMPTARGET_PROFILE=%t.d/f.json.gz %t fork %}
// RUN: %if clang-17-or-later %{ sh -c 'cat %t.d/f.json.gz.[0-9]* | gzip -dc' | %FileCheck %s --check-prefix=PLAIN %}
// RUN: head -c 400 %t.d/p.json.gz > %t.d/short.json.gz
// RUN: not %prefix/bin/omptarget-profile summary %t.d/short.json.gz 2>&1 | %FileCheck %s --check-prefix=SHORT
// RUN: sh -c '(head -c 300 %t.d/p.json.gz; head -c 500 /dev/zero) > %t.d/bad.json.gz'
// RUN: not %prefix/bin/omptarget-profile summary %t.d/bad.json.gz 2>&1 | %FileCheck %s --check-prefix=BAD
// CHECK: regions,"target","{{.*}}profile_compressed.c:[[#]]:1","",20,
// BOTH: regions,"target","{{.*}}profile_compressed.c:[[#]]:1","",40,
// PAGE: <!DOCTYPE html>
// PLAIN: {"displayTimeUnit":"ns"
// TOLD: k.json.gz: {{[0-9]+}} events of process
// SHORT: omptarget-profile: {{.*}}short.json.gz is damaged: it ends too early
// BAD: omptarget-profile: {{.*}}bad.json.gz is damaged:

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int count;

int main(int argc, char **argv) {
  const char *const what = argc > 1 ? argv[1] : "";
#pragma omp target map(tofrom : count)
  count = 0;
  if (strcmp(what, "fork") == 0 && fork() != 0)
    return wait(NULL) < 0;
  for (int i = 0; i < 20; ++i) {
#pragma omp target map(tofrom : count)
    ++count;
  }
  if (strcmp(what, "kill") == 0)
    raise(SIGKILL);
  return count != 20;
}
