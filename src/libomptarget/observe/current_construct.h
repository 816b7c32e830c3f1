// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The construct that the calling thread carries out. Private to observe/.
#pragma once

#include "observe/construct_events.h"

namespace omptarget::observe {

/// Null outside of constructs, and if nobody listened when it began.
ConstructRecord *current_construct();

/// Returns the context of events of the calling thread.
EventContext event_context();

/// Numbers constructs and operations, from 1.
uint64_t next_number();

} // namespace omptarget::observe
