// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile keeps a bounded number of events. Its tables count all, in the profile that is
// recovered from a journal, too. Two threads record, and the module has gone. Data are copied before and after the
// bound.

// REQUIRES: runtime-omptarget, clang-15-or-later
// RUN: %clang -g -pthread %s -o %t -ldl
// RUN: %clang -g -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %run LIBOMPTARGET_PROFILE=1 %t %t.so 2>&1 | %check
// RUN: %expect-killed LIBOMPTARGET_PROFILE=%t.d/k.json %t %t.so kill
// RUN: %prefix/bin/omptarget-profile recover %t.d/k.json.journal | %check --check-prefix=TOLD
// RUN: %prefix/bin/omptarget-profile summary %t.d/k.json > %t.d/tables && rm %t.d/k.json
// RUN: %check --check-prefix=TABLES < %t.d/tables
// UNSUPPORTED: emulator-cuda, emulator-amdgpu
// CHECK: omptarget profile: {{[0-9]+}} events
// CHECK: Constructs
// CHECK-DAG: target profile_many_events.c:{{[0-9]+}}:1 280000{{ }}
// CHECK-DAG: target update profile_many_events.c:{{[0-9]+}}:1 3000{{ }}
// CHECK: Kernels
// CHECK-DAG: region, line {{[0-9]+.*}} 280000{{ }}
// CHECK: Copies by variable
// CHECK-DAG: data {{.*}}to device 3000 2.40 MB
// CHECK: Copied although nothing had changed
// CHECK: data {{.*}}to device 2999 3000 2.40 MB
// TOLD: k.json: {{[0-9]+}} events of process
// TABLES: regions,"target","profile_many_events.c:{{[0-9]+}}:1","",280000,
// TABLES: kernels,"region, line {{[0-9]+}}","profile_many_events.c:{{[0-9]+}}:1","",280000,
// TABLES: variables,"data","profile_many_events.c:{{[0-9]+:[0-9]+}}","to device",3000,{{[0-9]+}},{{[0-9]+}},2400000,2999,2399200

#ifdef LIBRARY
double data[100];

// Clang 15 and 16 take stack for each region until the function ends.
static __attribute__((noinline)) void region(void) {
#pragma omp target
  data[1] += 0;
}

void work(int times) {
  for (int i = 0; i < times; ++i)
    region();
}

void update(int times) {
  for (int i = 0; i < times; ++i) {
#pragma omp target update to(data)
  }
}

void enter(void) {
#pragma omp target enter data map(alloc : data)
}

void leave(void) {
#pragma omp target exit data map(release : data)
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

static void *regions(void *work) {
  ((void (*)(int))work)(140000);
  return NULL;
}

int main(int argc, char **argv) {
  void *const library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return 1;
  void (*const enter)(void) = (void (*)(void))dlsym(library, "enter");
  void (*const leave)(void) = (void (*)(void))dlsym(library, "leave");
  void (*const update)(int) = (void (*)(int))dlsym(library, "update");
  enter();
  update(1000);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, regions, dlsym(library, "work"));
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  update(2000);
  leave();
  dlclose(library);
  if (argc > 2)
    raise(SIGKILL);
  return 0;
}
#endif
