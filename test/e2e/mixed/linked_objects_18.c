// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of clang 18 announce what those of 16 do, and want something else. The image's producer tells them apart,
// also in a program that clang 23 links; they are refused where both are in one image.

// RUN: %clang-16 -c -DPART=part %S/linked_objects.c -o %t.16.o
// RUN: %clang-18 -c -DPART=part %S/linked_objects.c -o %t.18.o
// RUN: %clang-19 %S/linked_objects.c %t.18.o -o %t.by19
// RUN: %run %t.by19
// RUN: %clang-18 %S/linked_objects.c %t.16.o -o %t.by18
// RUN: %expect-abort %t.by18 2>&1 | %check
// REQUIRES: clang-18
// UNSUPPORTED: runtime-llvm-mixed

// CHECK: omptarget error: a block of version 2 can be of clang 16, 18, which differ in whether kernels have an implicit parameter
// CHECK: omptarget error: kernel {{.*}}_main_l{{[0-9]+}} of {{.*}}by18 cannot be launched on device 0
