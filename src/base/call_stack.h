// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls on a thread's stack. Taking them costs little; names and lines are found when they are shown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace omptarget {

/// Return addresses, those of the latest calls first.
using CallStack = std::vector<uintptr_t>;

/// Returns the calls on the calling thread's stack, at most 48. Any thread; takes no lock.
CallStack take_call_stack();

/// Where a call was made. Empty and 0: not known.
struct CallPlace {
  std::string function;
  std::string file; ///< of the source
  uint32_t line = 0;
  std::string module;  ///< file of the program or of a library
  uint64_t offset = 0; ///< in the module, as its symbols and lines count
};

/// Finds out where the calls were made, from the symbols and the lines of the modules' files (DWARF 2 to 5). Slow. Any
/// thread; waits for nobody who opens a library.
std::vector<CallPlace> places_of(std::span<const uintptr_t> calls);

/// Returns the name of the variable of static storage that lies there, as the symbols of the module's file have it.
/// Empty: there is none. Slow, but for addresses in no module. Any thread.
std::string variable_at(uintptr_t address);

/// Shows a stack up to main, one line for each call. If it begins with calls in libomptarget and its plugins, it shows
/// only the one of them that the program made.
std::string stack_text(const CallStack &stack);

} // namespace omptarget
