// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends the process when a shared library of ours finds no memory for its own notes.
#pragma once

namespace omptarget {

/// From now on the process ends with SIGABRT and a message that names owner ("the library") when operator new of the
/// calling shared library finds no memory. Does nothing where the library shares the program's C++ library, whose
/// handler is the program's. owner lives for ever. Any thread.
void end_without_memory(const char *owner);

} // namespace omptarget
