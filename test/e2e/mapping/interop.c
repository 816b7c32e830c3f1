// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interoperability objects: made, used and destroyed by the directive, after the work that they depend on, by several
// threads. The host device has no foreign runtime, so its objects are omp_interop_none, as LLVM's are,
// whatever prefer_type asks for. The plugins for GPUs have handles.

// libomp 15 fails at times in counting the dependences of tasks (kmp_taskdeps.h).
// ALLOW_RETRIES: 3
// RUN: %clang -fopenmp-version=51 %s -o %t
// RUN: %run %t %plugin-name
// Clang 16 writes bitcode that it cannot read if a directive has dependences.
// RUN: %if clang-16 %{ true %} %else %{ %clang -fopenmp-version=51 -DDEPENDENCES %s -o %t.dependences && %run %t.dependences %}
// The runtimes of LLVM know fewer of the properties, and 14 and 15 take an object for no object.
// UNSUPPORTED: runtime-llvm

#include "check.h"

#include <string.h>

#ifndef DEPENDENCES
static const struct Runtime {
  const char *plugin;
  int id, vendor_id;
} runtimes[] = {{"cuda", 2, 11}, {"amdgpu", 7, 1}};
static const struct Runtime *runtime; // the plugin's, or null

static void numbers(omp_interop_t object, int device) {
  int code = 99;
  CHECK_EQ(omp_get_interop_int(object, omp_ipr_device_num, &code), device);
  CHECK_EQ(code, omp_irc_success);
  CHECK_EQ(omp_get_interop_int(object, omp_ipr_fr_id, &code), runtime ? runtime->id : 0);
  CHECK_EQ(code, runtime ? omp_irc_success : omp_irc_no_value);
  CHECK_EQ(omp_get_interop_int(object, omp_ipr_vendor, NULL), runtime ? runtime->vendor_id : 0);
}

// Threads make, use and destroy objects of their own, and all use one.
static void threads(omp_interop_t shared, int device) {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 20; i++) {
    omp_interop_t own = omp_interop_none, copy = shared;
#pragma omp interop init(targetsync : own) device(device)
#pragma omp interop use(copy)
#pragma omp interop use(own) nowait
    CHECK_EQ(omp_get_interop_int(own, omp_ipr_device_num, NULL), device);
    CHECK_EQ(omp_get_interop_int(copy, omp_ipr_device_num, NULL), device);
    CHECK(own != copy);
#pragma omp interop destroy(own)
  }
}

#else
// The directive waits for the tasks that it depends on, and its own are in order.
static void dependences(int device) {
  int x = 0, seen = -1;
  omp_interop_t object = omp_interop_none;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target device(device) map(tofrom : x) nowait depend(out : x)
    {
      HERE();
      x = 5;
    }
#pragma omp interop init(targetsync : object) device(device) depend(inout : x)
    seen = x;
#pragma omp interop use(object) depend(inout : x)
#pragma omp interop destroy(object) depend(inout : x)
#pragma omp taskwait
  }
  CHECK_EQ(seen, 5);
  CHECK(object == omp_interop_none);
}
#endif

int main(int argc, char **argv) {
#ifdef DEPENDENCES
  for (int device = 0; device < omp_get_num_devices(); device++)
    dependences(device);
#else
  for (int i = 0; i < 2; i++)
    if (argc > 1 && strcmp(argv[1], runtimes[i].plugin) == 0)
      runtime = &runtimes[i];
  for (int device = 0; device < omp_get_num_devices(); device++) {
    omp_interop_t plain = omp_interop_none, queue = omp_interop_none;
#pragma omp interop init(target : plain) device(device)
#pragma omp interop init(prefer_type("cuda", "hsa"), targetsync : queue) device(device)
    if (!runtime) {
      CHECK(plain == omp_interop_none && queue == omp_interop_none);
#pragma omp interop use(queue)
#pragma omp interop destroy(queue)
      continue;
    }
    CHECK(plain != omp_interop_none && queue != omp_interop_none && plain != queue);
    numbers(plain, device);
    numbers(queue, device);
    threads(queue, device);
#pragma omp interop use(queue)
    numbers(queue, device);
#pragma omp interop destroy(plain)
#pragma omp interop destroy(queue)
    CHECK(plain == omp_interop_none && queue == omp_interop_none);
  }
#endif
  return finish();
}
