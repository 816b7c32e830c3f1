// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A variable that holds no interoperability object is reported in use and destroy. It was never initialised, or its object
// was destroyed by way of a copy. With omp_interop_none there is nothing to do.

// RUN: %clang -fopenmp-version=51 -gline-tables-only %s -o %t
// RUN: %run %t none 2>&1 | %FileCheck %s --check-prefix=NONE --implicit-check-not=omptarget
// RUN: %expect-abort %t use 2>&1 | %check --check-prefixes=CHECK,USE
// RUN: %expect-abort %t destroy 2>&1 | %check --check-prefixes=CHECK,DESTROY
// RUN: %expect-abort %t twice 2>&1 | %check --check-prefixes=CHECK,DESTROY
// An object that the device fails to make is omp_interop_none. An object for the target has its queue when it is asked.
// RUN: %if emulator-cuda %{ %run LIBOMPTARGET_NUM_INITIAL_STREAMS=0 SIM_CUDA_FAIL=cuStreamCreate:+:2 %t fails 2>&1 | %FileCheck %s --check-prefix=FAILS %}
// UNSUPPORTED: runtime-llvm

// NONE: ok
// FAILS: cuStreamCreate
// FAILS: omptarget error: in interop init at {{.*}}interop.c:
// FAILS-NEXT: targetsync: no object
// FAILS: cuStreamCreate
// FAILS: omptarget error: in omp_get_interop_ptr
// FAILS-NEXT: target: object, no queue, code -6
// CHECK: omptarget error: 0x{{[0-9a-f]+}} is no interoperability object: it was never initialised, or it was destroyed before
// USE: omptarget error: in interop use at {{.*}}interop.c:
// DESTROY: omptarget error: in interop destroy at {{.*}}interop.c:
// CHECK-NOT: after

#include <omp.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  omp_interop_t object = omp_interop_none;
  if (strcmp(what, "none") == 0) {
#pragma omp interop use(object)
#pragma omp interop destroy(object)
    puts("ok");
    return 0;
  }
  if (strcmp(what, "fails") == 0) {
    setvbuf(stdout, NULL, _IONBF, 0);
#pragma omp interop init(targetsync : object)
    puts(object ? "targetsync: an object" : "targetsync: no object");
#pragma omp interop init(target : object)
    int code = 0;
    const void *queue = omp_get_interop_ptr(object, omp_ipr_targetsync, &code);
    printf("target: %s, %s queue, code %d\n", object ? "object" : "no object", queue ? "a" : "no", code);
#pragma omp interop destroy(object)
    return 0;
  }
  object = (omp_interop_t)what;
  if (strcmp(what, "use") == 0) {
#pragma omp interop use(object)
  } else if (strcmp(what, "destroy") == 0) {
#pragma omp interop destroy(object) nowait
  } else {
#pragma omp interop init(targetsync : object)
    omp_interop_t copy = object ? object : (omp_interop_t)what; // the CPU has no such objects
#pragma omp interop destroy(object)
#pragma omp interop init(targetsync : object)
#pragma omp interop destroy(copy)
  }
  puts("after");
  return 0;
}
