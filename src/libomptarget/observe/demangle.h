// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ names as programmers write them, of modules that may lie: the work, the stack and the result are bounded. A
// mangled name may stand for a text that is exponentially longer, or nest as deeply as it is long.
#pragma once

#include <string>
#include <string_view>

namespace omptarget::observe {

/// The readable form of an Itanium-mangled name ("_Z...") or of flang's ("_Q..."); the name itself where it is none, or
/// would take too much. Any thread; needs less than 1 MB of stack.
std::string readable_symbol(std::string_view name);

} // namespace omptarget::observe
