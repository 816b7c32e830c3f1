// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages about a variable have its name, size, and where it was declared and mapped.

// RUN: %clang -g -fopenmp-version=51 %s -o %t
// RUN: %expect-abort %t 1 2>&1 | %check --check-prefixes=PRESENT
// RUN: %expect-abort %t 2 2>&1 | %check --check-prefixes=UPDATE
// RUN: %expect-abort %t 3 2>&1 | %check --check-prefixes=EXIT
// RUN: %expect-abort %t 4 2>&1 | %check --check-prefixes=LARGER
// RUN: %expect-abort %t 5 2>&1 | %check --check-prefixes=MEMORY
// UNSUPPORTED: runtime-llvm

#include "check.h"

int main(int argc, char **argv) {
  int numbers[10] = {0};
  char *huge = argv[0];
  switch (atoi(argv[1])) {
  case 1: {
    // PRESENT: message: device mapping required by 'present' map type modifier does not exist for host address 0x{{[0-9a-f]+}} (40 bytes)
    // PRESENT: error: in the mapping of numbers (40 bytes) at {{.*}}errors_name_the_variable.c:{{[0-9]+}}:
    // PRESENT: errors_name_the_variable.c:[[@LINE+1]]:1: omptarget fatal error 1: failure of target construct while offloading is mandatory
#pragma omp target enter data map(present, to : numbers)
    break;
  }
  case 2: {
    // UPDATE: message: device mapping required by 'present' motion modifier does not exist for host address 0x{{[0-9a-f]+}} (40 bytes)
    // UPDATE: error: in the mapping of numbers (40 bytes) at
    // UPDATE: errors_name_the_variable.c:[[@LINE+1]]:1: omptarget fatal error 1
#pragma omp target update to(present : numbers)
    break;
  }
  case 3: {
    // EXIT: message: device mapping required by 'present' map type modifier does not exist for host address 0x{{[0-9a-f]+}} (40 bytes)
    // EXIT: error: in the mapping of numbers (40 bytes) at
    // EXIT: errors_name_the_variable.c:[[@LINE+1]]:1: omptarget fatal error 1
#pragma omp target exit data map(present, from : numbers)
    break;
  }
  case 4: {
    // LARGER: message: explicit extension not allowed: host address specified is 0x{{[0-9a-f]+}} (40 bytes), but device allocation maps to host at 0x{{[0-9a-f]+}} (8 bytes)
    // LARGER: error: in the mapping of numbers (40 bytes) at
    // LARGER: errors_name_the_variable.c:[[@LINE+2]]:1: omptarget fatal error 1
#pragma omp target enter data map(to : numbers[2 : 2])
#pragma omp target enter data map(to : numbers)
    break;
  }
  default: {
    // MEMORY: error: 1125899906842624 bytes for host address 0x{{[0-9a-f]+}} could not be allocated on device 0
    // MEMORY-NEXT: error: device 0 has 0.00 MB of mapped data in 1 mappings, the largest: numbers 0.00 MB
    // MEMORY: error: in the mapping of huge[0:1{{[uU][lL]}} << 50] (1125899906842624 bytes) at
    // MEMORY: errors_name_the_variable.c:[[@LINE+2]]:1: omptarget fatal error 1
#pragma omp target enter data map(to : numbers)
#pragma omp target enter data map(alloc : huge[0 : 1ul << 50])
    break;
  }
  }
  return 0;
}
