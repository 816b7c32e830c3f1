// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which arguments stand for base pointers that the program did not name. Compilers before clang 22 map these together
// with what they point to, and release them whether or not this construct's counterpart did so. docs/use/mapping.md has
// what they pass.
#pragma once

#include "mapping/map_arguments.h"

namespace omptarget {

/// Returns whether the argument is a pointer of which the next one is the pointee.
inline bool is_followed_by_pointee(const MapArguments &arguments, size_t i) {
  return i + 1 < arguments.size() && arguments.has(i + 1, map_type::kPointer) &&
         arguments.begin(i + 1) == arguments.begin(i) && arguments.bytes(i) == static_cast<int64_t>(sizeof(void *));
}

/// Returns whether the argument is a struct that the compiler made of nothing but pointers to what the construct maps.
inline bool is_struct_of_pointers(const MapArguments &arguments, size_t i) {
  const auto number = static_cast<int32_t>(i);
  const auto is_member = [&](size_t j) { return j < arguments.size() && arguments.parent(j) == number; };
  const size_t first = arguments.next(i);
  if (arguments.has(i, map_type::kTo | map_type::kFrom) || !(is_member(first) || is_member(arguments.next(first))))
    return false;
  for (size_t j = first; j < arguments.size() && arguments.parent(j) <= number; j = arguments.next(j))
    if (is_member(j) && !arguments.has(j, map_type::kPointee) && !is_followed_by_pointee(arguments, j))
      return false;
  return true;
}

/// Returns whether the argument is a base pointer that the program did not name, or a struct of such pointers. Components
/// that mappers push belong to a named argument. The pointer of a pointee is one if the pointee is not named beside it: in data constructs
/// clang 19 passes TARGET_PARAM with one that is.
inline bool is_base_pointer(const MapArguments &arguments, size_t i) {
  if (!arguments.is_expanded() || arguments.group(i) >= 0 || arguments.has(i, map_type::kHold))
    return false;
  if (arguments.has(i, map_type::kPointer))
    return !arguments.has(i + 1, map_type::kTargetParam);
  return is_followed_by_pointee(arguments, i) || is_struct_of_pointers(arguments, i);
}

/// Returns whether the argument, or what its pointer leads to, is deleted. clang passes DELETE with the first and the
/// last level only.
inline bool deletes_pointee(const MapArguments &arguments, size_t i) {
  while (!arguments.has(i, map_type::kDelete) && is_followed_by_pointee(arguments, i))
    i += 2;
  return arguments.has(i, map_type::kDelete);
}

/// Notes the references that a data construct has taken for base pointers. Regions give back what they have taken
/// without notes.
inline void note_base_pointers(HostDataToTargetMap &map, const MapArguments &arguments) {
  for (size_t i = 0; arguments.is_expanded() && i < arguments.size(); ++i)
    if (arguments.refs[i].is_counted && is_base_pointer(arguments, i))
      map.rare_uses().note_base_pointer(arguments.refs[i].ref());
}

} // namespace omptarget
