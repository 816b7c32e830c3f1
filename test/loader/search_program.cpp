// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what kind of process it is, and the plugins that it finds.

#include <cstdio>
#include <sys/auxv.h>

#include "plugin/plugin_search.h"

/// A privileged process cannot read its own environment, where the tests tell AddressSanitizer so.
extern "C" [[gnu::visibility("default")]] const char *__asan_default_options() { return "detect_leaks=0"; }

int main() {
  std::printf("%s", getauxval(AT_SECURE) != 0 ? "privileged:" : "ordinary:");
  const omptarget::PluginSet set = omptarget::load_plugins(omptarget::PluginNeed::all());
  for (const auto &plugin : set.plugins)
    std::printf(" %s", plugin->name().c_str());
  return 0;
}
