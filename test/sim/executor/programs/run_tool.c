// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-run chooses the device to model, runs the program, names what goes wrong, and refuses what it cannot do.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --seed=3 %t 2>&1 | %FileCheck %s --check-prefix=GOOD
// RUN: not --crash env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run %t wrong 2>&1 | %FileCheck %s --check-prefix=WRONG
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --count=2 --trace %t devices 2>&1 | %FileCheck %s --check-prefix=TRACE
// RUN: not %prefix/bin/omptarget-run --device=pocket %t 2>&1 | %FileCheck %s --check-prefix=DEVICE
// RUN: not %prefix/bin/omptarget-run --seed=many %t 2>&1 | %FileCheck %s --check-prefix=SEED
// RUN: not %prefix/bin/omptarget-run /bin/true 2>&1 | %FileCheck %s --check-prefix=NONE

#include "check.h"

int main(int argc, char **argv) {
  int values[64] = {0};
  const int at = argc > 1 && argv[1][0] == 'w' ? 1 << 20 : 0;
  int *const place = values;
  if (argc > 1 && argv[1][0] == 'd')
    printf("%d devices\n", omp_get_num_devices());
#pragma omp target teams distribute parallel for map(tofrom : place[:64])
  for (int i = 0; i < 64; ++i)
    place[i + at] = i;
  CHECK_EQ(values[63], 63);
  return finish();
}

// GOOD: omptarget-run: models 1 {{sm_80|gfx1100|gfx90a}} on this CPU; nothing here is about speed
// GOOD: ok
// WRONG: writes 4 bytes at 0x{{.*}}, which are in no allocation that this device reaches
// WRONG-NEXT: run_tool.c:23
// TRACE: {{(st|global_store|flat_store)}}
// DEVICE: omptarget-run: --device=pocket: sm_NN or gfxNNN is expected
// SEED: omptarget-run: --seed=many: a number from 1 is expected
// NONE: omptarget-run: /bin/true: no image for a GPU; --device=NAME says which to model
