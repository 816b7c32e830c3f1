// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a stand-in's process. Kernels may still run then, and LLVM may still work for them. So objects that LLVM's
// archives have in a stand-in are never destroyed.
#pragma once

namespace emulator {

/// Registers a function for the process's end, as std::atexit, which does nothing in a stand-in. Nor do destructors of
/// static objects run there. Any thread.
void at_exit(void (*function)());

} // namespace emulator
