// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other half of data/globals.c.

#pragma omp declare target
int other = 1000;
int other_on_device(int add) { return other += add; }
#pragma omp end declare target
