// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a program some call of which fails. It ends with 0 if every result that it was given is right. It ends
// with 3 if the runtime ended it and host data are as the specification leaves them, otherwise with 1.
#ifndef ENDING_H
#define ENDING_H

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/// Defined by the program. True if data that nobody copies back are as they were, and each element that is copied back
/// is old or new.
static int is_intact(void);

/// For SIGABRT.
static void ended(int number) {
  (void)number;
  _exit(is_intact() ? 3 : 1);
}

static int wrong(const char *what) {
  fprintf(stderr, "wrong: %s\n", what);
  return 1;
}

#endif
