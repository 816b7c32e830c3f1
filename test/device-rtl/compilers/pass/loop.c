// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pointer called in a loop is translated once, before it; what is inlined to a known function, not at all.

// RUN: %base %plugin -fopenmp-targets=x86_64-pc-linux-gnu -c %s -save-temps=obj -o %t.o
// RUN: %FileCheck %s < %T/loop-openmp-x86_64-pc-linux-gnu.s
// RUN: %FileCheck --check-prefix=HOST %s < %T/loop-host-x86_64-pc-linux-gnu.s
// REQUIRES: indirect-plugin

// HOST-NOT: call{{.*}}__kmpc_target_translate_fptr

#pragma omp begin declare target
// CHECK-LABEL: in_loop:
// CHECK: call{{q?}} {{.*}}__kmpc_target_translate_fptr
// CHECK-NOT: __kmpc_target_translate_fptr
// CHECK: call{{q?}} *%r
// CHECK-LABEL: .size in_loop
int in_loop(int (*function)(int), int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += function(i);
  return sum;
}

// CHECK-LABEL: inlined:
// CHECK-NOT: __kmpc_target_translate_fptr
// CHECK-LABEL: .size inlined
int add_one(int x);
static int apply(int (*function)(int), int x) { return function(x); }
int inlined(int x) { return apply(add_one, x); }
#pragma omp end declare target
