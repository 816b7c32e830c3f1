// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gdb stops in device code for the CPU and names functions, lines and variables there, with DWARF 4 and with DWARF 5.

// REQUIRES: runtime-omptarget, lasts, gdb
// UNSUPPORTED: sanitizer, emulated
// DEFINE: %{version} =
// DEFINE: %{gdb} = %clang -gdwarf-%{version} -O0 %s -o %t.%{version} && \
// DEFINE:   %run gdb -nx -batch -ex 'set width 0' -ex 'set breakpoint pending on' -ex 'break scaled' -ex run \
// DEFINE:   -ex 'info symbol $pc' -ex 'backtrace 2' -ex next -ex 'print product' -ex up -ex 'print p' \
// DEFINE:   -ex 'print numbers' -ex 'info source' -ex 'delete' -ex continue %t.%{version} 2>&1 \
// DEFINE:   | %FileCheck %s -DVERSION=%{version}
// REDEFINE: %{version} = 4
// RUN: %{gdb}
// REDEFINE: %{version} = 5
// RUN: %{gdb}
// CHECK: Breakpoint 1{{.*}}, scaled (value=1, factor=6) at {{.*}}debugger.c:[[#@LINE+17]]
// CHECK: scaled + {{[0-9]+}} in section .text of /proc/{{[0-9]+}}/fd/{{[0-9]+}}
// CHECK: #0 {{.*}}scaled (value=1, factor=6) at {{.*}}debugger.c:[[#@LINE+15]]
// CHECK-NEXT: #1 {{.*}} in __omp_offloading_{{.*}}_main_l[[#@LINE+21]]{{.*}} at {{.*}}debugger.c:[[#@LINE+23]]
// CHECK: = 6
// CHECK: = {{.*}}{x = 5, y = 6}
// CHECK: = {{.*}}{1, 2, 3, 4}
// CHECK: Compiled with DWARF [[VERSION]] debugging format.
// CHECK: sum 60

#include <stdio.h>

struct point {
  int x, y;
};

static int scaled(int value, int factor) {
  const int product = value * factor;
  return product;
}

int main(void) {
  int numbers[4] = {1, 2, 3, 4}, sum = 0;
  struct point p = {5, 6};
#pragma omp target map(to : numbers, p) map(tofrom : sum)
  for (int i = 0; i < 4; i++)
    sum += scaled(numbers[i], p.y);
  printf("sum %d\n", sum);
  return sum != 60;
}
