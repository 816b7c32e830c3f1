// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library's constructor, which holds the dynamic loader's lock, has a region. Meanwhile another thread has begun to
// load an image, or the plugins, and is going to take that lock. A plugin in front of the host's lets both get that far
// before either goes on.

// RUN: rm -rf %t.plugins && mkdir %t.plugins
// RUN: %plainclang -shared -fPIC -I%prefix/include -DREAL_PLUGIN='"%prefix/lib/libomptarget.rtl.%machine.so"' %inputs/gate_plugin.c -o %t.plugins/libomptarget.rtl.gate.so -ldl
// RUN: %clangxx -DLIBRARY -shared -fPIC %s -o %t.so
// RUN: %clangxx %s -o %t -rdynamic -ldl -pthread
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=gate GATE_AT=load %t %t.so
// RUN: %run LIBOMPTARGET_PLUGIN_PATH=%t.plugins LIBOMPTARGET_PLUGINS=gate,%machine GATE_AT=count %t %t.so
// The plugin is for this library; ThreadSanitizer's dlopen has a lock of its own.
// UNSUPPORTED: runtime-llvm, plugins-of-llvm-14, plugins-of-llvm-15, plugins-of-llvm-16, plugins-of-llvm-16-legacy, tsan

#include "check.h"

#ifdef LIBRARY

extern "C" void constructing(void);
static int in_constructor = -1;

__attribute__((constructor)) static void compute() {
  constructing();
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  in_constructor = on_host;
}

extern "C" int library_on_host() { return in_constructor; }

#else

#include <atomic>
#include <dlfcn.h>
#include <string.h>
#include <string>
#include <thread>

static std::atomic<bool> is_at_gate{false}, is_constructing{false};

static void wait_for(const std::atomic<bool> &event) {
  while (!event)
    std::this_thread::yield();
}

extern "C" void wait_at_gate(void) {
  is_at_gate = true;
  wait_for(is_constructing);
}
extern "C" void constructing(void) { is_constructing = true; }

int main(int, char **argv) {
  const bool is_at_load = strcmp(getenv("GATE_AT"), "load") == 0;
  if (is_at_load)
    CHECK_EQ(omp_get_num_devices(), 4);
  int x = 1;
  std::thread other([&] {
#pragma omp target map(tofrom : x)
    {
      HERE();
      x++;
    }
  });
  wait_for(is_at_gate);
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    printf("%s\n", dlerror());
  other.join();
  CHECK_EQ(x, 2);
  const auto on_host = reinterpret_cast<int (*)()>(dlsym(library, "library_on_host"));
  CHECK_EQ(on_host(), 0);
  if (is_at_load) { // an image that was loaded twice is there once
    const auto loaded = reinterpret_cast<int (*)()>(
        dlsym(dlopen((std::string(getenv("LIBOMPTARGET_PLUGIN_PATH")) + "/libomptarget.rtl.gate.so").c_str(), RTLD_NOW),
              "gate_loaded_images"));
    CHECK_EQ(loaded(), 2);
  }
#pragma omp target map(tofrom : x)
  {
    HERE();
    x++;
  }
  CHECK_EQ(x, 3);
  return finish();
}

#endif
