// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constructs as calls, and those with nowait as tasks of the program's host runtime. A construct waits in its task.
#pragma once

#include "gomp/map_list.h"

namespace omptarget::gomp {

/// In GCC's list of numbers of teams and threads: the value is the next word.
inline constexpr uintptr_t kValueFollows = 0x80;

struct TargetCall {
  int device;
  void (*function)(void *);
  Entries entries;
  void **arguments; ///< GCC's list of numbers of teams and threads, or null
  const void *code; ///< return address in the program's code
};

struct DataCall {
  int device;
  Construct construct; ///< kEnter, kExit or kUpdate
  Entries entries;
  const void *code;
};

/// Carries the construct out. Complete on return.
void run_target(const TargetCall &call);
void run_data(const DataCall &call);

/// Makes a task that does, with copies of all that the caller may change. depend: GCC's list, or null.
void defer(const TargetCall &call, void **depend);
void defer(const DataCall &call, void **depend);

} // namespace omptarget::gomp
