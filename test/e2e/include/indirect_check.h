// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs with indirect functions: their device versions differ visibly from the host's.
#ifndef INDIRECT_CHECK_H
#define INDIRECT_CHECK_H

#include "check.h"
#include "omptarget/indirect.h"

enum { ON_HOST = 0, ON_DEVICE = 1000 };

// What every indirect function adds to its result.
static inline int side(void) { return ON_HOST; }
#pragma omp begin declare variant match(device = {kind(nohost)})
static inline int side(void) { return ON_DEVICE; }
#pragma omp end declare variant

#endif
