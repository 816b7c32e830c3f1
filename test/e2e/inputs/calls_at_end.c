// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library without device code that other libraries need: when it is finalised, which is after them, it calls a
// function.

static void (*at_end)(void);

void call_at_end(void (*function)(void)) { at_end = function; }

__attribute__((destructor)) static void end(void) {
  if (at_end)
    at_end();
}
