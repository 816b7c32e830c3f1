// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables with declare target. Regions refer to them by their symbols, so that the host's are the device's, too: no
// clause copies them. The data that a pointer among them leads to are used in place.
// RUN: %gcc %s -o %t
// RUN: %run %t
// RUN: %run LIBOMPTARGET_CHECK=mapping %t 2>&1 | %check --check-prefix=NOTES
// NOTES: omptarget note: the target region at declare_target.c:[[# @LINE + 98]]:1 drops what device 0 wrote
// NOTES-NOT: omptarget note
// NOTES: ok
// RUN: %gcc -O0 -s %s -o %t.stripped
// RUN: %run %t.stripped
// RUN: %run %t copied 2>&1 | %check --check-prefix=COPIED
// COPIED: target enter data at {{.*}}declare_target.c:[[# @LINE + 107]]:1: pointer is a variable with declare target
// COPIED-SAME: another copy on the device already
// COPIED-NOT: pointer is a variable
// RUN: %run LIBOMPTARGET_INFO=8 %t 2>&1 | %check --check-prefix=TABLE
// TABLE-NOT: Name=counter
// TABLE: Creating new map entry {{.*}}Name=pointed
#include "check.h"

#pragma omp declare target
int counter = 1, numbers[8];
static int hidden = 5;
int *pointer, *other;
struct box {
  int before, *values, behind;
} box;
void count(void) { ++counter; }
int first_of_pointer(void) { return pointer[0]; }
#pragma omp end declare target
int linked[16], *linked_pointer;
#pragma omp declare target link(linked, linked_pointer)
#pragma omp declare target
int second_of_linked(void) { return linked[1]; }
#pragma omp end declare target
static int pointed[4], plain = 7;

static void scalars(void) {
  counter = 1;
#pragma omp target update to(counter)
#pragma omp target map(tofrom : counter)
  {
    HERE();
    count();
  }
  CHECK_EQ(counter, 2);
#pragma omp target map(always, tofrom : counter)
  count();
#pragma omp target update from(counter)
  CHECK_EQ(counter, 3);
#pragma omp target enter data map(to : counter, hidden)
#pragma omp target
  hidden += counter;
#pragma omp target update from(hidden)
#pragma omp target exit data map(delete : counter, hidden)
  CHECK_EQ(hidden, 8);
  CHECK(omp_target_is_present(&counter, 0));
  CHECK(omp_target_associate_ptr(&counter, pointed, sizeof counter, 0, 0) != 0);
#pragma omp target data use_device_addr(counter)
  CHECK(omp_target_is_present(&counter, 1));
  CHECK(!omp_target_is_present(&plain, 0));
}

static void arrays(void) {
#pragma omp target map(tofrom : numbers[2 : 3])
  numbers[2] = 2;
  CHECK_EQ(numbers[2], 2);
#pragma omp target data map(to : numbers[1 : 4])
  {
    numbers[3] = 3;
#pragma omp target update to(numbers[3 : 1])
#pragma omp target
    numbers[4] = numbers[3] + 1;
#pragma omp target update from(numbers[4 : 1])
  }
  CHECK_EQ(numbers[4], 4);
  int *at = numbers;
  at += 5;
#pragma omp target map(tofrom : at[0 : 2])
  {
    at[0] = 5;
    numbers[6] = at[0] + 1;
  }
  CHECK(numbers[5] == 5 && numbers[6] == 6);
}

static void pointers(void) {
  pointer = pointed;
#pragma omp target map(tofrom : pointer[0 : 4])
  pointer[1] = 1;
  CHECK_EQ(pointed[1], 1);
#pragma omp target enter data map(to : pointer[0 : 4])
  CHECK(omp_target_is_present(pointed + 3, 0));
  pointed[0] = 10;
#pragma omp target update to(pointer[0 : 1])
#pragma omp target
  pointer[2] = first_of_pointer() + 2;
#pragma omp target map(tofrom : pointed)
  pointed[3] = pointed[2] + 1;
#pragma omp target update from(pointer[2 : 2])
  CHECK(pointed[2] == 12 && pointed[3] == 13);
#pragma omp target exit data map(from : pointer[0 : 4])
  CHECK(pointed[0] == 10 && pointed[2] == 12);
  CHECK(!omp_target_is_present(pointed, 0));
#pragma omp target map(to : pointed) // a copy again
  pointed[0] = 0;
  CHECK_EQ(pointed[0], 10);
  box.values = pointed;
#pragma omp target map(tofrom : box.before, box.values[0 : 4])
  box.behind = box.values[0] += ++box.before;
  CHECK(box.before == 1 && box.behind == 11 && pointed[0] == 11);
#pragma omp target data map(tofrom : pointer[0 : 4]) use_device_ptr(pointer)
  CHECK(pointer == pointed);
}

static void copied(void) {
  other = pointer = pointed;
#pragma omp target data map(tofrom : pointed)
  for (int i = 0; i < 2; ++i) {
#pragma omp target enter data map(to : pointer[0 : 4])
#pragma omp target exit data map(release : pointer[0 : 4])
  }
}

static void links(void) {
  linked[1] = 1;
#pragma omp target map(tofrom : linked)
  linked[2] = second_of_linked() + 1;
  CHECK_EQ(linked[2], 2);
#pragma omp target enter data map(to : linked)
#pragma omp target
  {
    linked[1] = 5;
    linked[3] = second_of_linked();
  }
#pragma omp target exit data map(from : linked)
  CHECK_EQ(linked[3], 5);
  linked_pointer = pointed;
#pragma omp target map(tofrom : linked_pointer[0 : 4])
  linked_pointer[1] = 21;
  CHECK_EQ(pointed[1], 21);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    copied();
  else {
    scalars();
    arrays();
    pointers();
    links();
  }
  return finish();
}
