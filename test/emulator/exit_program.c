/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * exit_program PLUGIN lasts|ends: uses a device of the plugin in exit handlers, which run when the objects of the
 * thread have been destroyed: in one that runs before those of the driver, and, where the driver lasts, in one that
 * runs after them. For valgrind.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omptarget/plugin.h"

#define FUNCTIONS(F)                                                                                                   \
  F(init_plugin)                                                                                                       \
  F(number_of_devices)                                                                                                 \
  F(init_device)                                                                                                       \
  F(data_alloc)                                                                                                        \
  F(data_submit)                                                                                                       \
  F(data_retrieve) F(data_delete) F(data_submit_async) F(synchronize) F(last_error) F(deinit_device) F(deinit_plugin)

static struct {
#define F(name) __typeof__(&__tgt_rtl_##name) name;
  FUNCTIONS(F)
#undef F
} plugin;

static void require(int condition, const char *what) {
  if (condition)
    return;
  char text[256] = "";
  plugin.last_error(text, sizeof text);
  printf("%s: %s\n", what, text);
  fflush(stdout);
  _Exit(1);
}

static void use_device(const char *when) {
  char bytes[64] = "there", back[64] = "";
  char text[256] = "";
  __tgt_async_info queue = {NULL};
  void *const memory = plugin.data_alloc(0, sizeof bytes, NULL, OMPTARGET_ALLOC_DEVICE);
  require(memory != NULL, "data_alloc");
  require(plugin.data_submit_async(0, memory, bytes, sizeof bytes, &queue) == 0, "data_submit_async");
  require(plugin.synchronize(0, &queue) == 0, "synchronize");
  require(plugin.data_retrieve(0, back, memory, sizeof back) == 0 && strcmp(back, bytes) == 0, "data_retrieve");
  require(plugin.data_delete(0, memory, OMPTARGET_ALLOC_DEVICE) == 0, "data_delete");
  require(!plugin.data_alloc(0, INT64_MAX / 2, NULL, OMPTARGET_ALLOC_DEVICE), "so much memory is refused");
  require(plugin.last_error(text, sizeof text) > 0, "the refusal has a text");
  printf("%s: the device works\n", when);
}

static int lasts;

static void before_the_driver(void) {
  use_device("exit handler before the driver's");
  if (lasts)
    return;
  require(plugin.deinit_device(0) == 0 && plugin.deinit_plugin() == 0, "the plugin ends");
}

static void after_the_driver(void) {
  if (!lasts)
    return;
  use_device("exit handler after the driver's");
  require(plugin.deinit_device(0) == 0 && plugin.deinit_plugin() == 0, "the plugin ends");
}

int main(int argc, char **argv) {
  void *const file = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!file) {
    fprintf(stderr, "exit_program PLUGIN lasts|ends: %s\n", argc == 3 ? dlerror() : "no plugin");
    return 2;
  }
#define F(name) *(void **)&plugin.name = dlsym(file, "__tgt_rtl_" #name);
  FUNCTIONS(F)
#undef F
  lasts = strcmp(argv[2], "lasts") == 0;
  atexit(after_the_driver);
  require(plugin.init_plugin() == 0 && plugin.number_of_devices() > 0, "init_plugin");
  require(plugin.init_device(0) == 0, "init_device");
  atexit(before_the_driver);
  use_device("main");
  return 0;
}
