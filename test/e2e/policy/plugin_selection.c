// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugins to use can be named; without the one that takes the images everything runs on the host.

// RUN: %clang %s -o %t
// RUN: %run LIBOMPTARGET_PLUGINS=%machine %t device 2>&1 | %check
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT LIBOMPTARGET_PLUGINS=cuda %t host 2>&1 | %check
// RUN: mkdir -p %t.folder && cp %prefix/lib/libomptarget.rtl.%machine.so %t.folder
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.folder %t device 2>&1 | %check
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.missing:%t.folder %t device 2>/dev/null | %check
// RUN: cp %s %t.folder/libomptarget.rtl.%machine.so
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.folder %t device 2>&1 | %check --check-prefix=NEXT
// RUN: head -c 5000 %prefix/lib/libomptarget.rtl.%machine.so > %t.folder/libomptarget.rtl.%machine.so
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.folder %t device 2>&1 | %check --check-prefix=NEXT
// REQUIRES: runtime-omptarget

// CHECK-NOT: {{.}}
// CHECK: ok
// A file in an earlier folder that is no plugin, or is cut off: named, with the reason, and the next folder's is used.
// NEXT: omptarget warning: {{.*}}plugin_selection.c.tmp.folder/libomptarget.rtl.[[MACHINE]].so: {{.+}}; {{.*}}/lib/libomptarget.rtl.[[MACHINE]].so is used instead
// NEXT: ok

#include "check.h"

#include <string.h>

int main(int argc, char **argv) {
  int x = 1;
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 2);
  return strcmp(argv[1], "device") == 0 ? finish() : finish_on_host(1);
}
