// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

int ask_where(void);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int where_in_constructor = -1;

__attribute__((constructor)) static void construct(void) { where_in_constructor = ask_where(); }

EXPORTED int ask_now(void) { return ask_where(); }
