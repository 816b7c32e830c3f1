// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/listener_table.h"
#include "observe/recording_choice.h"
#include "ompt/ompt.h"
#include "profile/profile.h"

namespace omptarget::observe {

// The tool comes before the profile: the time that a construct takes includes that of the tool's callbacks.
static constinit const Listener *const table[] = {&ompt_listener, &profile_listener, &recording_listener};
constinit const std::span<const Listener *const> all_listeners = table;

} // namespace omptarget::observe
