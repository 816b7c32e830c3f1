// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_PROFILE=1 prints tables as - does, so does a larger number, and 0 switches it off: neither is a file.
// Ranks name themselves in each line of their tables. A profile names program, command line, node, date and version.

// REQUIRES: runtime-omptarget, clang-15-or-later
// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.folder && mkdir %t.folder
// RUN: cd %t.folder && %run LIBOMPTARGET_PROFILE=1 %t 2>&1 | %check --check-prefix=TABLES
// RUN: cd %t.folder && %run LIBOMPTARGET_PROFILE=2 %t 2>&1 | %check --check-prefix=TABLES
// RUN: cd %t.folder && %run LIBOMPTARGET_PROFILE=off %t > out 2>&1 && test ! -s out && rm out
// RUN: cd %t.folder && env SLURM_PROCID=3 %run LIBOMPTARGET_PROFILE=- %t 2>&1 | %check --check-prefix=RANK
// RUN: cd %S && rmdir %t.folder
// RUN: %run LIBOMPTARGET_PROFILE=%t.json %t "two words" && %check --check-prefix=JSON < %t.json
// TABLES: {{^}}omptarget profile: {{[0-9]+}} events
// TABLES: {{^}}Kernels
// RANK-NOT: {{^[^[]}}
// RANK: {{^}}[3@{{.+}}] omptarget profile: {{[0-9]+}} events
// RANK-NOT: {{^[^[]}}
// JSON: "otherData":{"producer":"omptarget","version":"{{[0-9]+\.[0-9]+\.[^"]*}}",
// JSON-SAME: "program":"profile_words.c.tmp","commandLine":"{{.*}}profile_words.c.tmp two words",
// JSON-SAME: "date":"20{{[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9:]+ [+-][0-9]+}}"

int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x++;
  return x != 2;
}
