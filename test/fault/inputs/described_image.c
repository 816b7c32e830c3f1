// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image with something of everything that the dynamic linker reads: relocations of all kinds, needed and defined
// versions, data of threads. None of its code runs when it is loaded.
#include <math.h>
#include <stdio.h>

__thread int thread_variable = 3;
static __thread int thread_array[4];
int variable = 41;
double table[100];
int *pointer = &variable;
const char *names[] = {"a", "b", "c"};
FILE **output = &stdout;

int add_one(int x) { return x + 1; }
int (*function)(int) = add_one;
__attribute__((visibility("protected"))) int add_variable(int x) { return x + variable; }

void kernel_empty(void) {
  fprintf(*output, "%d %g %d\n", variable, sin(table[0]), thread_variable + thread_array[0] + add_variable(3));
}
