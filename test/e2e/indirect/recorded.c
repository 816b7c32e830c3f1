// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plugin gets a sorted table with every function of the modules that are loaded on the device, each with the right
// device function. It gets a new one when a module joins or leaves. About a plugin that takes none there is one
// message, whatever the number of its devices.

// RUN: rm -rf %t.plugins %t.without && mkdir %t.plugins %t.without
// RUN: %indirect-clang -shared -fPIC -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %inputs/recorder_plugin.c -o %t.plugins/libomptarget.rtl.recorder.so
// RUN: %indirect-clang -shared -fPIC -DWITHOUT_MAP -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %inputs/recorder_plugin.c -o %t.without/libomptarget.rtl.recorder.so
// RUN: %indirect-clang -shared -fPIC %inputs/indirect_library.c -o %t.lib.so
// RUN: %indirect-clang %s -o %t -ldl
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=recorder %t %t.lib.so %t.plugins/libomptarget.rtl.recorder.so
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.without LIBOMPTARGET_PLUGINS=recorder %t %t.lib.so without 2>&1 | %check
// REQUIRES: runtime-omptarget

// CHECK: recorder takes no table of indirect functions
// CHECK-NOT: takes no table
// CHECK: ok

#include "indirect_check.h"

#include <dlfcn.h>
#include <string.h>

struct recorded {
  uint64_t count;
  uint64_t calls;
  __omp_offloading_fptr_map_ty *table;
};
static struct recorded *recorded;

typedef int (*Function)(int);

#define MANY(F) F(f0) F(f1) F(f2) F(f3) F(f4) F(f5) F(f6) F(f7) F(f8) F(f9)
#define DEFINE(name)                                                                                                   \
  static int name(int x) { return x + __COUNTER__ + side(); }                                                          \
  OMPTARGET_INDIRECT(name)
MANY(DEFINE)
#define NAME(name) name,
static const Function functions[] = {MANY(NAME)};
enum { kFunctions = 10 };

// The device's addresses, from the device itself.
static void device_functions(int device, uint64_t *addresses) {
#pragma omp target device(device) map(from : addresses[0 : kFunctions])
  {
    HERE();
    const Function mine[] = {MANY(NAME)};
    for (int i = 0; i < kFunctions; i++)
      addresses[i] = (uint64_t)mine[i];
  }
}

static void check_table(int device, uint64_t count) {
  uint64_t wanted[kFunctions];
  device_functions(device, wanted);
  if (!recorded)
    return;
  const struct recorded *record = &recorded[device];
  CHECK_EQ(record->count, count);
  for (uint64_t i = 1; i < record->count; i++)
    CHECK(record->table[i - 1].host_ptr < record->table[i].host_ptr);
  for (int function = 0; function < kFunctions; function++) {
    int found = 0;
    for (uint64_t i = 0; i < record->count; i++)
      if (record->table[i].host_ptr == (uint64_t)functions[function]) {
        CHECK_EQ(record->table[i].tgt_ptr, wanted[function]);
        found++;
      }
    CHECK_EQ(found, 1);
  }
}

int main(int argc, char **argv) {
  setvbuf(stdout, 0, _IONBF, 0);
  uint64_t addresses[kFunctions];
  device_functions(0, addresses);
  const int devices = 2;
  if (strcmp(argv[argc - 1], "without") != 0) {
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_NOLOAD);
    CHECK(plugin != 0);
    recorded = plugin ? (struct recorded *)dlsym(plugin, "recorded") : 0;
    CHECK(recorded != 0);
  }
  for (int device = 0; device < devices; device++)
    check_table(device, kFunctions);
  void *library = dlopen(argv[argc - 2], RTLD_NOW);
  CHECK(library != 0);
  for (int device = 0; device < devices; device++)
    check_table(device, kFunctions + 1);
  dlclose(library);
  for (int device = 0; device < devices; device++)
    check_table(device, kFunctions);
  if (recorded)
    CHECK_EQ(recorded[0].calls, 3);
  return finish();
}
