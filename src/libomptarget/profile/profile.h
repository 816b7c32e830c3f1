// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_PROFILE: records what happens and writes it at the end. Recording takes two readings of the clock and
// one entry in a buffer of the thread's own per event, and no lock.
#pragma once

#include "observe/listener_table.h"

namespace omptarget::observe {

/// Data that are copied to a device are told apart by a bounded number of their words, spread evenly. Other threads may
/// go on recording while the profile is written, which happens once.
extern const Listener profile_listener;

} // namespace omptarget::observe
