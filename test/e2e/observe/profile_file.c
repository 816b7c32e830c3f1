// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LIBOMPTARGET_PROFILE=file: links are not followed, nobody is waited for, an old file is replaced as a whole. Nor does
// the trace wait for somebody to read it.

// REQUIRES: runtime-omptarget, clang-15-or-later
// RUN: %clang -g %s -o %t
// RUN: rm -rf %t.folder && mkdir %t.folder && mkfifo %t.folder/fifo
// RUN: echo untouched > %t.folder/target && ln -s target %t.folder/link
// RUN: %run LIBOMPTARGET_PROFILE=%t.folder/link %t 2>&1 | %check --check-prefix=LINK
// RUN: grep -x untouched %t.folder/target
// RUN: %run LIBOMPTARGET_PROFILE=%t.folder/fifo %t 2>&1 | %check --check-prefix=FIFO
// RUN: echo '{"an older profile, other names for it": 1}' > %t.folder/old && ln %t.folder/old %t.folder/other
// RUN: %run LIBOMPTARGET_PROFILE=%t.folder/old %t
// RUN: %python -c 'import json; json.load(open("%t.folder/old"))["traceEvents"]'
// RUN: grep older %t.folder/other
// RUN: ls -A %t.folder | %check --check-prefix=FILES
// RUN: %run LIBOMPTARGET_DEBUG=1 LIBOMPTARGET_DEBUG_FILE=%t.folder/fifo %t 2>&1 | %check --check-prefix=TRACE

// Told once, and when the program begins.
// LINK: omptarget warning: LIBOMPTARGET_PROFILE: cannot write '{{.*}}/link': it is a symbolic link; only regular files
// LINK-NEXT: a region
// LINK-NOT: warning
// FIFO: omptarget warning: LIBOMPTARGET_PROFILE: cannot write '{{.*}}/fifo': it is a FIFO; only regular files
// FILES: fifo
// FILES-NEXT: link
// FILES-NEXT: old
// FILES-NEXT: other
// FILES-NEXT: target
// FILES-NOT: {{.}}
// TRACE: omptarget warning: LIBOMPTARGET_DEBUG_FILE: cannot open '{{.*}}/fifo': No such device or address

#include <stdio.h>

int main(void) {
  int x = 1;
#pragma omp target map(tofrom : x)
  x++;
  fprintf(stderr, "a region\n");
  return x != 2;
}
