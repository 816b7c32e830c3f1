// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace omptarget {

/// Returns whether the calling thread may be inside of the dynamic loader, such as in the constructor of a library
/// that is being opened: then it holds the loader's lock, and must wait for nobody who opens a library. Goes through
/// the callers on the stack; true if they cannot all be told. Slow; takes no lock.
bool may_be_inside_loader();

/// The caller of constructors and destructors of libraries.
enum class LoaderCall { kNotTold, kNone, kOpen, kClose, kExit };

/// The nearest of dlopen, dlclose and exit among the callers on the stack; none if what has called main is nearer.
/// Not told: who calls cannot be told, as of functions without unwind tables, or the thread is not the program's
/// first one. Slow.
LoaderCall nearest_loader_call();

/// Returns whether one of the callers on the stack lies in [begin, end). Slow; takes no lock.
bool is_called_from(uintptr_t begin, uintptr_t end);

} // namespace omptarget
