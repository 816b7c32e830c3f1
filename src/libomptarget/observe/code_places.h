// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places and names that compilers do not pass, found by addresses of code: in the debug information and the symbols of
// the module.
#pragma once

struct ident_t;

namespace omptarget::observe {

/// Returns the location of the call that returns to this address, or null if nothing tells. Slow the first time. It
/// lives as long as the process.
const ident_t *location_of(const void *code);

/// Returns the name of a function: that of its symbol if that is wanted, or else where it lies ("region 0x11e9 of
/// a.out"). Symbols are slow the first time. It lives as long as the process.
const char *function_name(const void *function, bool is_symbol_wanted);

/// Returns the name of the variable of static storage at the address, or null. Slow the first time. It lives as long as
/// the process.
const char *static_variable_name(const void *address);

/// Returns the name that the compiler has passed for data, or else that of the variable of static storage, or null. For
/// messages.
const char *name_for_message(const char *name, const void *address);

} // namespace omptarget::observe
