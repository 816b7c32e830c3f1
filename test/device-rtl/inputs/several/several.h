// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that the program's files call of each other.

#define THREADS 32

#pragma omp begin declare target
int own_number(void);
void write_numbers(int *where);
int neighbour_behind_barrier(int *where);
#pragma omp end declare target
int numbers_in_teams(void);
