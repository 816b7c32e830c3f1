// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that writes where nothing is: the program must end, with a message that names the kernel. "run" looks at
// both.

#include "check.h"

static __attribute__((noinline)) void write_nowhere(int *nowhere) {
#pragma omp target is_device_ptr(nowhere)
  nowhere[0] = 1;
}

int main(int argc, char **argv) {
  write_nowhere((int *)(unsigned long)(64 * argc));
  printf("the write to address 64 was not noticed\n");
  return 0;
}
