// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of one-byte elements that are not contiguous: clang 22 gives their offsets as indices and clang 23 as bytes,
// in descriptors that look alike. The images of the module that passes them tell whose they are, or the libomptarget
// that the module needs, or the module's own file. A section is refused if none of these tells it.

// RUN: %clang-22 -fopenmp-version=51 -shared -fPIC -DPART=by22 %s -o %t.22.so
// RUN: %clang-23 -fopenmp-version=51 -shared -fPIC -DPART=by23 %s -o %t.23.so
// RUN: %clang-23 -fopenmp-version=51 -shared -fPIC -fno-ident -DPART=unsigned23 %s -o %t.unsigned23.so
// RUN: %clang-22 -fopenmp-version=51 -shared -fPIC -fno-ident -DPART=unsigned22 %s -o %t.unsigned22.so
// RUN: %indirect-clang-23 -fopenmp-version=51 -shared -fPIC -Xopenmp-target -fno-ident -DPART=file23 %s -o %t.file23.so
// RUN: %indirect-clang-22 -fopenmp-version=51 -shared -fPIC -Xopenmp-target -fno-ident -DPART=file22 %s -o %t.file22.so
// RUN: %clang-23 %s %t.22.so %t.23.so %t.unsigned22.so %t.unsigned23.so %t.file22.so %t.file23.so -Wl,--allow-shlib-undefined -o %t
// RUN: %run %t

// RUN: %clang-22 -fopenmp-version=51 -c -DPART=by22 %s -o %t.22.o
// RUN: %clang-23 -fopenmp-version=51 -DREFUSED %s %t.22.o -o %t.both
// RUN: %expect-abort %t.both 2>&1 | %FileCheck --check-prefix=BOTH %s
// RUN: %indirect-clang-23 -fopenmp-version=51 -shared -fPIC -fno-ident -DPART=by22 %s -o %t.nobody.so
// RUN: %clang-23 -DREFUSED %s %t.nobody.so -Wl,--allow-shlib-undefined -o %t.nobody
// RUN: %expect-abort %t.nobody 2>&1 | %FileCheck --check-prefix=NOBODY %s
// REQUIRES: clang-23
// UNSUPPORTED: runtime-llvm-mixed

// BOTH: one-byte elements that is not contiguous {{.*}}.both does not say which one compiled it: both compiled parts of it
// NOBODY: one-byte elements that is not contiguous {{.*}}.nobody.so does not say which one compiled it: it has no mark of a known clang

#include "check.h"

#ifdef PART
void PART(char (*rows)[4]) {
#pragma omp target update from(rows[2 : 3][1 : 2])
}
#else
static char rows[16][4];
void by22(char (*)[4]);
void by23(char (*)[4]);
void unsigned22(char (*)[4]);
void unsigned23(char (*)[4]);
void file22(char (*)[4]);
void file23(char (*)[4]);

static void check(void (*update)(char (*)[4])) {
  for (int i = 0; i < 64; i++)
    rows[i / 4][i % 4] = 0;
#pragma omp target
  {
    HERE();
    for (int i = 0; i < 64; i++)
      rows[i / 4][i % 4] = (char)(i + 1);
  }
  update(rows);
  for (int i = 0; i < 64; i++)
    CHECK_EQ(rows[i / 4][i % 4], i / 4 >= 2 && i / 4 < 5 && i % 4 >= 1 && i % 4 < 3 ? i + 1 : 0);
}

int main(void) {
#pragma omp target enter data map(to : rows)
  check(by22);
#ifndef REFUSED
  for (int i = 0; i < 2; i++) {
    check(by23);
    check(unsigned22);
    check(unsigned23);
    check(file22);
    check(file23);
  }
#endif
#pragma omp target exit data map(delete : rows)
  return finish();
}
#endif
