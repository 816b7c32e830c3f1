// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls through host function pointers without any annotation: the compiler plugin translates them.

// RUN: %indirect-clang %indirect-plugin %s -o %t
// RUN: %run %t
// Clang 19 ends in its code generator for AMD GPUs below -O2.
// RUN: %if !executor %{ %indirect-clang %indirect-plugin -O0 -g %s -o %t %}
// RUN: %run %t
// RUN: %indirect-clang %indirect-plugin -O2 %s -o %t
// RUN: %run %t
// REQUIRES: runtime-omptarget, indirect-plugin

#include "indirect_check.h"

typedef int (*Function)(int);

static int twice(int x) { return 2 * x + side(); }
int thrice(int x) { return 3 * x + side(); }
OMPTARGET_INDIRECT(twice)
OMPTARGET_INDIRECT(thrice)

struct Callback {
  Function function;
  struct Callback *next;
  int argument;
};

#pragma omp declare target
static int local(int x) { return x + 5; }
static Function const constants[2] = {local, twice};
static int through(Function function, int x) { return function(x); }
static int all(const struct Callback *callback) {
  int sum = 0;
  for (; callback; callback = callback->next)
    sum += callback->function(callback->argument);
  return sum;
}
#pragma omp end declare target

static void variables_and_arrays(void) {
  Function function = twice, table[2] = {thrice, twice};
  unsigned long address = (unsigned long)thrice;
  int results[5] = {0};
#pragma omp target map(tofrom : results) map(to : table) firstprivate(function, address)
  {
    HERE();
    results[0] = function(1);
    results[1] = table[0](1) + table[1](1);
    results[2] = through(table[1], 4);
    results[3] = ((Function)address)(2);
    for (int i = 0; i < 10; i++)
      results[4] += table[i % 2](i);
  }
  CHECK_EQ(results[0], 2 + ON_DEVICE);
  CHECK_EQ(results[1], 5 + 2 * ON_DEVICE);
  CHECK_EQ(results[2], 8 + ON_DEVICE);
  CHECK_EQ(results[3], 6 + ON_DEVICE);
  CHECK_EQ(results[4], 3 * 20 + 2 * 25 + 10 * ON_DEVICE);
}

static void callbacks_in_mapped_structs(void) {
  struct Callback second = {twice, 0, 10}, first = {thrice, &second, 1};
  int sum = 0;
#pragma omp target map(from : sum) map(to : first, second, first.next[0 : 1])
  {
    HERE();
    sum = all(&first);
  }
  CHECK_EQ(sum, 23 + 2 * ON_DEVICE);
}

static void device_functions_are_called_as_they_are(void) {
  int results[3] = {0}, which = 1;
#pragma omp target map(from : results) firstprivate(which)
  {
    HERE();
    Function function = which ? local : twice;
    results[0] = function(1);
    results[1] = constants[which](1);
    results[2] = through(local, 2);
  }
  CHECK_EQ(results[0], 6);
  CHECK_EQ(results[1], 2 + ON_DEVICE);
  CHECK_EQ(results[2], 7);
}

int main(void) {
  Function function = twice;
  CHECK_EQ(function(1), 2 + ON_HOST);
  variables_and_arrays();
  callbacks_in_mapped_structs();
  device_functions_are_called_as_they_are();
  return finish();
}
