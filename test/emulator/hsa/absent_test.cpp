// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The AMDGPU plugin on a machine without an AMD GPU: no devices, no failure, and the trace says why. Argument: what the
// trace has to say.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "omptarget/plugin.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const std::string file = "hsa_absent_" + std::to_string(getpid()) + ".trace";
  setenv("LIBOMPTARGET_DEBUG", "plugin", 1);
  setenv("LIBOMPTARGET_DEBUG_FILE", file.c_str(), 1);
  void *library = dlopen(PLUGIN_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto init = reinterpret_cast<decltype(&__tgt_rtl_init_plugin)>(dlsym(library, "__tgt_rtl_init_plugin"));
  const auto count =
      reinterpret_cast<decltype(&__tgt_rtl_number_of_devices)>(dlsym(library, "__tgt_rtl_number_of_devices"));
  const int initialised = init();
  const int devices = count();
  std::ifstream in(file);
  const std::string trace((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  unlink(file.c_str());
  if (initialised == 0 && devices == 0 && trace.find("no devices: ") != std::string::npos &&
      trace.find(argv[1]) != std::string::npos)
    return 0;
  std::fprintf(stderr, "init %d, %d devices, trace:\n%s", initialised, devices, trace.c_str());
  return 1;
}
