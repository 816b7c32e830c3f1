// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the process: the program is known to be ending, or not.
#pragma once

namespace omptarget {

/// Any thread.
bool is_process_exiting();

void note_process_exit();

/// Registers an exit handler that calls note_process_exit(): modules that came before are unregistered after it has
/// run. Only the first 256 calls do something.
void expect_process_exit();

} // namespace omptarget
