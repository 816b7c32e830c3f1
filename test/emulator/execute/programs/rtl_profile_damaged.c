// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images that say they count what they do, and what they say of it is wrong: a message says what, and the program goes
// on.
// REQUIRES: rtl-ours && emulator-amdgpu
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %clang -DKIND=0 %s -o %t
// RUN: %run LLVM_PROFILE_FILE=%t.d/x %t 2>&1 | %FileCheck %s --check-prefixes=LOST,NOWHERE
// RUN: %clang -DKIND=1 %s -o %t
// RUN: %run LLVM_PROFILE_FILE=%t.d/x %t 2>&1 | %FileCheck %s --check-prefixes=LOST,VERSION
// RUN: %clang -DKIND=2 %s -o %t
// RUN: %run LLVM_PROFILE_FILE=%t.d/x %t 2>&1 | %FileCheck %s --check-prefixes=LOST,EMPTY
// RUN: %clang -DKIND=3 %s -o %t
// RUN: %run LLVM_PROFILE_FILE=%t.d/x %t 2>&1 | %FileCheck %s --check-prefixes=LOST,RECORD
// RUN: %clang -DKIND=4 %s -o %t
// RUN: %run LLVM_PROFILE_FILE=%t.d/x %t 2>&1 | %FileCheck %s --check-prefixes=LOST,SIZE
// RUN: %clang -DKIND=5 %s -o %t
// RUN: %run LLVM_PROFILE_FILE=%t.d/x %t 2>&1 | %FileCheck %s --check-prefixes=LOST,BACKWARDS
// RUN: ls %t.d | wc -l | grep -x 0

// LOST: omptarget warning: device 0: the counters of an image's code (-fprofile-generate) are lost:
// NOWHERE-SAME: the format's version lies from 0x0 to 0x8, outside of the image
// VERSION-SAME: its format has version 99 (0x100000000000063); known are 10 and 11, with counters of 64 bits
// EMPTY-SAME: its section __llvm_prf_names is missing or empty
// RECORD-SAME: it points at 7 counters at 0x{{[0-9a-f]+}}, and there are 2 at 0x{{[0-9a-f]+}}; record 0 of 1 in __llvm_prf_data
// SIZE-SAME: __llvm_profile_sections has 16 bytes; known are 72
// BACKWARDS-SAME: __llvm_prf_cnts lies from 0x{{[0-9a-f]+}} to 0x{{[0-9a-f]+}}, outside of the image
// LOST: ok

#include "check.h"

#pragma omp begin declare target device_type(nohost)
const char names[8] = "names";
unsigned long counters[2];
// As version 10 has it: hashes, the distance to the counters, four addresses, how many counters.
unsigned long record[8] = {1, 2, 0, 0, 0, 0, 7, 0};
unsigned long version = KIND == 1 ? 0x0100000000000063 : 0x010000000000000a;
#if KIND == 0
const void *__llvm_profile_sections[9] = {0};
#elif KIND == 2
const void *__llvm_profile_sections[9] = {names, names, counters, counters + 2, record, record + 8, 0, 0, &version};
#elif KIND == 4
const void *__llvm_profile_sections[2] = {names, names + 8};
#elif KIND == 5
const void *__llvm_profile_sections[9] = {names, names + 8, counters + 2, counters, record, record + 8, 0, 0, &version};
#else
const void *__llvm_profile_sections[9] = {names, names + 8, counters, counters + 2, record, record + 8, 0, 0, &version};
#endif
#pragma omp end declare target

int main(void) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
  sum += 1;
  CHECK_EQ(sum, 1);
  return finish();
}
