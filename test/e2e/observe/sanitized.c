// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command of docs/use/debuggers.md links a program with the address sanitizer. It finds an overflow in device code,
// and has nothing to say about the library.

// REQUIRES: runtime-omptarget, lasts, clang-19
// UNSUPPORTED: sanitizer, emulated, plugins-of-llvm-16, plugins-of-llvm-17, plugins-of-llvm-18
// DEFINE: %{link} = %clang -g -fsanitize=address -fno-sanitize-link-runtime -Wl,-u,atexit -l:libc_nonshared.a
// RUN: bash -c 'runtime=$(dirname $(clang-19 -print-file-name=libclang_rt.asan-x86_64.so)); \
// RUN:   %{link} -L$runtime -Wl,-rpath,$runtime -lclang_rt.asan-x86_64 %s -o %t'
// RUN: %run %t 10 2>&1 | %check --check-prefix=CLEAN
// RUN: not %run %t 11 2>&1 | %check --check-prefix=OVERFLOW
// CLEAN-NOT: {{.}}
// CLEAN: computed 9
// CLEAN-NOT: {{.}}
// OVERFLOW: ERROR: AddressSanitizer: heap-buffer-overflow
// OVERFLOW: #0 {{.*}}__omp_offloading_{{.*}}_main_l[[#@LINE+8]]{{.*}}sanitized.c:[[#@LINE+10]]

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
  int length = count > 1 ? atoi(words[1]) : 0;
  int *numbers = malloc(10 * sizeof(int));
#pragma omp target map(tofrom : numbers[0 : 10])
  for (int i = 0; i < length; i++)
    numbers[i] = i;
  printf("computed %d\n", numbers[9]);
  free(numbers);
  return 0;
}
