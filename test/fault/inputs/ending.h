// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The end of a program some call of which fails. It ends with 0 if every result that it was given is right. It ends
// with 3 if the runtime ended it and host data are as the specification leaves them, otherwise with 1.
#ifndef ENDING_H
#define ENDING_H

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/// The program's own: whether what nobody copies back is as it was, and what is copied back is old or new, element by
/// element.
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
