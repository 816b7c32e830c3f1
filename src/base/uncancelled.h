// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While one of these lives, its thread cannot be cancelled (pthread_cancel). For work that takes long under a lock: a
// cancelled thread would keep that for ever.
#pragma once

#include <pthread.h>

namespace omptarget {

class Uncancelled {
public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_); }
  ~Uncancelled() { pthread_setcancelstate(state_, nullptr); }
  Uncancelled(const Uncancelled &) = delete;
  Uncancelled &operator=(const Uncancelled &) = delete;

private:
  int state_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace omptarget
