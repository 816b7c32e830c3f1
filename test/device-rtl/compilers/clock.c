// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of AMD's GPUs by clang 16, whose plugin says nothing of it: GFX11 has a message in place of the
// instruction, and GFX9 before gfx90a has 25 MHz (0x17d7840) instead of 100 (0x5f5e100).

// RUN: %base --offload-arch=gfx908 %s %gpu-rtl -o %t && %carve %t 224 %t.hsaco && %objdump -d %t.hsaco | %check --check-prefixes=MHZ25,READ
// RUN: %base --offload-arch=gfx90a %s %gpu-rtl -o %t && %carve %t 224 %t.hsaco && %objdump -d %t.hsaco | %check --check-prefixes=MHZ100,READ
// RUN: %base --offload-arch=gfx1100 %s %gpu-rtl -o %t && %carve %t 224 %t.hsaco && %objdump -d %t.hsaco | %check --check-prefixes=MHZ100,ASK
// REQUIRES: clang-16, lld, llvm-runtimes, gpu-rtl

// MHZ25-NOT: 0x5f5e100
// MHZ25-DAG: 0x17d7840
// MHZ100-NOT: 0x17d7840
// MHZ100-DAG: 0x5f5e100
// READ-DAG: s_memrealtime
// ASK-DAG: s_sendmsg_rtn_b64 {{.*}}sendmsg(MSG_RTN_GET_REALTIME)
#include <omp.h>

int main(void) {
  double now = 0;
#pragma omp target map(from : now)
  now = omp_get_wtime();
  return now == 0;
}
