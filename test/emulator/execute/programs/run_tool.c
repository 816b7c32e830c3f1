// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omptarget-run chooses the device to model, runs the program, names what goes wrong, and refuses what it cannot do.
// RUN: %clang -gline-tables-only %s -o %t
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --seed=3 %t 2>&1 | %FileCheck %s --check-prefix=GOOD
// RUN: not --crash env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run %t wrong 2>&1 | %FileCheck %s --check-prefix=WRONG
// RUN: not --crash env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run %t behind 2>&1 | %FileCheck %s --check-prefix=BEHIND
// RUN: not --crash env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run %t late 2>&1 | %FileCheck %s --check-prefix=LATE
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --seed=1 %t fresh > %t.1
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --seed=2 %t fresh > %t.2
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --seed=2 %t fresh > %t.3
// RUN: not cmp %t.1 %t.2
// RUN: cmp %t.2 %t.3
// RUN: env LD_LIBRARY_PATH=%ompfolder %prefix/bin/omptarget-run --count=2 --trace %t devices 2>&1 | %FileCheck %s --check-prefix=TRACE
// RUN: not %prefix/bin/omptarget-run --device=pocket %t 2>&1 | %FileCheck %s --check-prefix=DEVICE
// RUN: not %prefix/bin/omptarget-run --seed=many %t 2>&1 | %FileCheck %s --check-prefix=SEED
// RUN: not %prefix/bin/omptarget-run /bin/true 2>&1 | %FileCheck %s --check-prefix=NONE

#include <string.h>

#include "check.h"

/// On the device behind an array's end, after the array's end of life, and before anything was written to it.
static int other_mistakes(const char *which) {
  int *const values = malloc(100 * sizeof *values);
  int *const place = omp_target_alloc(100 * sizeof *place, omp_get_default_device());
  int many = *which == 'b' ? 101 : 100;
  if (*which == 'l')
    omp_target_free(place, omp_get_default_device());
  if (*which == 'f') {
#pragma omp target map(from : values[:100]) is_device_ptr(place)
    for (int i = 0; i < 100; ++i)
      values[i] = place[i];
    for (int i = 0; i < 100; ++i)
      printf("%d\n", values[i]);
    return 0;
  }
#pragma omp target is_device_ptr(place)
  for (int i = 0; i < many; ++i)
    place[i] = i; // here
  return 1;
}

int main(int argc, char **argv) {
  if (argc > 1 && strchr("blf", argv[1][0]))
    return other_mistakes(argv[1]);
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
// WRONG-NEXT: run_tool.c:[[# @LINE - 8]]
// BEHIND: writes 4 bytes at 0x{{.*}}, which are in no allocation that this device reaches
// BEHIND-NEXT: run_tool.c:[[# @LINE - 24]]
// LATE: writes {{[0-9]+}} bytes at 0x{{.*}}, which are in no allocation that this device reaches
// LATE-NEXT: run_tool.c:[[# @LINE - 26]]
// TRACE: {{(st|global_store|flat_store)}}
// DEVICE: omptarget-run: --device=pocket: there is no such GPU to model; --list-devices lists them
// SEED: omptarget-run: --seed=many: a number from 1 is expected
// NONE: omptarget-run: /bin/true: no image for a GPU; --device=NAME says which to model
