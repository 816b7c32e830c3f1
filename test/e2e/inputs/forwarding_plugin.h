// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For plugins that hand calls on to the host plugin, REAL_PLUGIN: FUNCTIONS(F), defined before this is included, lists
// as F(name) those that are handed on as they are. find_others(plugin) looks up what else the including file calls.
#pragma once

#include "omptarget/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define JUMP(name) "jmp *real_" #name "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, real_" #name "\nldr x16, [x16, :lo12:real_" #name "]\nbr x16\n"
#endif
#define FORWARD(name)                                                                                                  \
  __attribute__((visibility("hidden"))) void *real_##name;                                                             \
  __asm__(".globl __tgt_rtl_" #name "\n.type __tgt_rtl_" #name ", %function\n__tgt_rtl_" #name ": " JUMP(name));
FUNCTIONS(FORWARD)

static void find_others(void *plugin);

__attribute__((constructor)) static void find_functions(void) {
  void *plugin = dlopen(REAL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
#define FIND(name) real_##name = dlsym(plugin, "__tgt_rtl_" #name);
  FUNCTIONS(FIND)
  find_others(plugin);
}
