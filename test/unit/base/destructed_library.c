// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library whose destructors tell that they run. The linker makes the last one DT_FINI.

#include <string.h>
#include <unistd.h>

static void tell(const char *name) {
  if (write(STDERR_FILENO, name, strlen(name)) < 0)
    _exit(2);
}

__attribute__((destructor(101))) static void first(void) { tell("first "); }
__attribute__((destructor(102))) static void second(void) { tell("second "); }
void last(void) { tell("last "); }
__attribute__((visibility("default"))) void function(void) {}
