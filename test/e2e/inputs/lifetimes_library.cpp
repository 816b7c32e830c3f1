// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that uses a device when it is loaded, if LIFETIME_MOMENT is what it was compiled for.

#include "lifetimes.h"

namespace {

struct AtLoad {
  AtLoad() {
    if (lifetimes::is_moment(MOMENT))
      lifetimes::prepare_and_act();
  }
} at_load;

} // namespace
