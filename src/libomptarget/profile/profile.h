// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_PROFILE: records what happens and writes it at the end. Recording takes two readings of the clock and
// one entry in a buffer of the thread's own per event, and no lock.
#pragma once

#include "observe/listener_table.h"

namespace omptarget::observe {

/// Writes the profile once, at the end of the process. Other threads may go on recording meanwhile. The fingerprint of
/// copied data comes from a bounded number of their words, which are spread evenly.
extern const Listener profile_listener;

} // namespace omptarget::observe
