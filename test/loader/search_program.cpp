// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the plugins that a process of its kind finds.

#include <cstdio>
#include <sys/auxv.h>

#include "plugin/plugin_search.h"

int main() {
  const omptarget::PluginSet set = omptarget::load_plugins();
  for (const auto &plugin : set.plugins)
    std::printf("%s\n", plugin->name().c_str());
  return 0;
}
