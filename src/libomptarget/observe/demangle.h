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

/// A function's readable name without its parameters and its return type, and without template arguments unless those
/// are wanted: "ns::f" of "void ns::f<int>(int, int)". The name itself where it is none of a function. Any thread.
std::string short_symbol(std::string_view readable, bool with_template_arguments);

} // namespace omptarget::observe
