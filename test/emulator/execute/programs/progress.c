// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a terminal omptarget-run shows a line about a kernel that takes long: its teams and what is left. The line goes
// when the kernel ends, and before a report. There is none elsewhere, in the background, or if it is not wanted.
// RUN: %clang -gline-tables-only %s -o %t
// DEFINE: %{run} = env LD_LIBRARY_PATH=%ompfolder SIM_EXECUTOR_PROGRESS=0
// RUN: %{run} %python %S/in_terminal.py %prefix/bin/omptarget-run %t | %FileCheck %s
// RUN: %{run} %python %S/in_terminal.py %prefix/bin/omptarget-run --check=mapping %t | %FileCheck %s
// RUN: %{run} %python %S/in_terminal.py --columns=64 %prefix/bin/omptarget-run %t | %FileCheck %s --check-prefix=NARROW
// RUN: %{run} %python %S/in_terminal.py --columns=9 %prefix/bin/omptarget-run %t | %FileCheck %s --check-prefix=TINY
// RUN: %{run} %python %S/in_terminal.py %prefix/bin/omptarget-run %t fault | %FileCheck %s --check-prefix=FAULT
// RUN: %{run} %python %S/in_terminal.py %prefix/bin/omptarget-run --no-progress %t | %FileCheck %s --check-prefix=NONE
// RUN: %{run} %python %S/in_terminal.py %prefix/bin/omptarget-run --json=%t.json %t | %FileCheck %s --check-prefix=NONE
// RUN: %{run} %python %S/in_terminal.py %prefix/bin/omptarget-run --break=1 %t | %FileCheck %s --check-prefix=NONE
// RUN: %{run} %python %S/in_terminal.py --background %prefix/bin/omptarget-run %t | %FileCheck %s --check-prefix=NONE
// RUN: env TERM=dumb LD_LIBRARY_PATH=%ompfolder SIM_EXECUTOR_PROGRESS=0 %python %S/in_terminal.py %prefix/bin/omptarget-run %t | %FileCheck %s --check-prefix=NONE
// RUN: %{run} %prefix/bin/omptarget-run %t 2>&1 | %FileCheck %s --check-prefix=NONE

#include "check.h"

int main(int argc, char **argv) {
  unsigned found[8] = {0};
  unsigned *const place = found;
  const int far = argc > 1 ? 1 << 20 : 0;
  // Not to be worked out before it runs; so long that the clock is looked at in each team.
#pragma omp target teams distribute num_teams(8) thread_limit(32) map(tofrom : place[ : 8])
  for (int team = 0; team < 8; ++team) {
    unsigned value = (unsigned)team;
    for (int n = 0; n < 30000; ++n)
      value = value * 1664525 + (value >> 7) + 1013904223;
    place[team == 7 ? team + far : team] = value;
  }
  CHECK_EQ(found[0] != found[7], 1);
  return finish();
}

// CHECK: drawn: kernel __omp_offloading_{{.*}}_main_l[[# @LINE - 11]]: 0 of 8 teams done in {{[0-9]+}} s{{$}}
// CHECK: drawn: kernel __omp_offloading_{{.*}}: {{[1-7]}} of 8 teams done in {{[0-9]+}} s, about {{[0-9]+}} s left
// CHECK-NOT: shown: {{.*}} teams
// CHECK: shown: ok
// CHECK-NOT: teams
// NARROW: drawn: kernel ...{{.*}}_main_l[[# @LINE - 16]]: 0 of 8 teams done in
// TINY: drawn: kernel :{{$}}
// TINY: shown: ok
// FAULT: drawn: kernel {{.*}} of 8 teams done
// FAULT-NOT: shown: {{.*}} teams
// FAULT: shown: lib{{.*}} stand-in: kernel {{.*}}: writes 4 bytes at {{.*}}, which are in no allocation
// FAULT-NEXT: shown: {{.*}}progress.c:[[# @LINE - 17]]
// FAULT-NOT: shown: {{.*}} teams
// NONE-NOT: teams
// NONE: ok
// NONE-NOT: teams
