// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers that have a copy on the device, and point to data that are used in place. Each construct that maps such data
// attaches the pointer: its copy has the host's address then. An update also brings it up to date.

// REQUIRES: runtime-omptarget
// REQUIRES: emulator-cuda || emulator-amdgpu
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run SIM_CUDA_HMM=1 SIM_HSA_XNACK=1 OMPX_APU_MAPS=1 %t
// RUN: %run SIM_CUDA_HMM=0 SIM_CUDA_ATS=0 SIM_HSA_XNACK=0 %t
// RUN: %run SIM_CUDA_ATS=1 SIM_HSA_XNACK=1 SIM_HSA_APU=1 %t

#include "check.h"

enum { kCount = 3 };
typedef struct {
  int count;
  int *numbers;
} Row;

#pragma omp declare target
int *pointer;
Row row;
int *pointers[4];
struct {
  long before;
  Row rows[2];
} nested;
#pragma omp end declare target

static int sum(void) {
  int sum = 0;
#pragma omp target map(from : sum)
  {
    HERE();
    sum = pointer[0] + pointer[1] + pointer[2];
  }
  return sum;
}

static void point_to(int *numbers, int wanted) {
  int sum = 0;
  pointer = row.numbers = pointers[2] = nested.rows[1].numbers = numbers;
#pragma omp target map(tofrom : pointer[0 : kCount]) map(from : sum)
  {
    HERE();
    sum = pointer[0] + pointer[1] + pointer[2];
    pointer[0]++;
  }
  CHECK_EQ(sum, wanted);
#pragma omp target map(to : row.numbers[0 : kCount]) map(from : sum)
  {
    HERE();
    sum = row.numbers[0] + row.numbers[1] + row.numbers[2];
  }
  CHECK_EQ(sum, wanted + 1);
#pragma omp target map(to : pointers[2][0 : kCount]) map(from : sum)
  {
    HERE();
    sum = pointers[2][0] + pointers[2][1] + pointers[2][2];
  }
  CHECK_EQ(sum, wanted + 1);
#pragma omp target map(to : nested.rows[1].numbers[0 : kCount]) map(from : sum)
  {
    HERE();
    sum = nested.rows[1].numbers[0] + nested.rows[1].numbers[1] + nested.rows[1].numbers[2];
  }
  CHECK_EQ(sum, wanted + 1);
}

static void enter(int *numbers, int wanted) {
  pointer = numbers;
#pragma omp target enter data map(to : pointer[0 : kCount])
  CHECK_EQ(sum(), wanted);
#pragma omp target exit data map(release : pointer[0 : kCount])
#pragma omp target data map(to : pointer[0 : kCount])
  CHECK_EQ(sum(), wanted);
}

static int are_data_in_place(void) {
  int x = 0, is_present;
#pragma omp target data map(x)
  is_present = omp_target_is_present(&x, omp_get_default_device());
  return !is_present;
}

static void update(int *numbers, int *others) {
  pointer = row.numbers = numbers;
#pragma omp target map(to : pointer[0 : kCount], row.numbers[0 : kCount])
  HERE();
  pointer = others;
#pragma omp target update to(pointer)
  CHECK_EQ(sum(), others[0] + others[1] + others[2]);
  row.numbers = others;
  row.count = 3;
#pragma omp target update to(row.count)
#pragma omp target
  {
    HERE();
    row.count++;
    pointer++;
  }
#pragma omp target update from(pointer, row)
  CHECK(pointer == others + 1);
  CHECK_EQ(row.count, 4);
  CHECK(row.numbers == others); // the kernel has not changed it
#pragma omp target update to(pointer)
  pointer = numbers;
#pragma omp target enter data map(to : pointer[0 : kCount])
  CHECK_EQ(sum(), numbers[0] + numbers[1] + numbers[2]);
}

int main(void) {
  int few[kCount] = {1, 2, 3}, many[kCount] = {10, 20, 30};
  point_to(few, 6);
  point_to(many, 60);
  enter(few, 7);
  enter(many, 61);
  if (are_data_in_place())
    update(few, many);
  return finish();
}
