// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The message of a copy to the host of memory that nobody wrote.
#pragma once

#include <cstdio>
#include <string>

#include "emulator/execute/unwritten.h"

namespace emulator {

/// size: of the copy. describe(code) is a place in the source.
template <class Describe>
void say_unwritten(const char *library, const executor::UnwrittenMemory::Part &part, size_t size, Describe describe) {
  std::string text = std::string(library) + " stand-in: a copy of " + std::to_string(size) +
                     " bytes to the host: bytes " + std::to_string(part.first) + " to " + std::to_string(part.last) +
                     (part.origin ? " depend on memory that nobody wrote" : " are from memory that nobody wrote") +
                     "\n";
  if (part.origin != 0)
    text += "  that memory is read: at " + describe(part.origin) + "\n";
  std::fputs(text.c_str(), stderr);
}

} // namespace emulator
