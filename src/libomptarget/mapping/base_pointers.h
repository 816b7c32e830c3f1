// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which items stand for base pointers that the program did not name. Compilers before clang 22 map these together
// with what they point to, and release them whether or not this construct's counterpart did so. docs/use/mapping.md has
// what they pass.
#pragma once

#include "mapping/plan.h"

namespace omptarget {

inline bool is_pointee(const MapItem &item) { return item.has(map_type::kPtrAndObj) && !item.has(map_type::kLiteral); }

/// Returns whether the item is a pointer of which the next one is the pointee.
inline bool is_followed_by_pointee(const MapItems &items, size_t index) {
  const MapItem &item = items[index];
  return index + 1 < items.size() && is_pointee(items[index + 1]) && items[index + 1].base == item.begin &&
         item.size == static_cast<int64_t>(sizeof(void *));
}

/// Returns whether the item is a struct that the compiler made of nothing but pointers to what the construct maps.
inline bool is_struct_of_pointers(const MapItems &items, size_t index) {
  const auto number = static_cast<int32_t>(index);
  const auto is_member = [&](size_t i) { return i < items.size() && items[i].parent == number; };
  if (items[index].has(map_type::kTo | map_type::kFrom) || !(is_member(index + 1) || is_member(index + 2)))
    return false;
  for (size_t i = index + 1; i < items.size() && items[i].parent <= number; ++i)
    if (is_member(i) && !is_pointee(items[i]) && !is_followed_by_pointee(items, i))
      return false;
  return true;
}

/// Returns whether the item's range is a base pointer that the program did not name, or a struct of such. Items that
/// mappers push belong to a named item.
inline bool is_base_pointer(const MapItems &items, size_t index) {
  const MapItem &item = items[index];
  return item.group < 0 && !item.has(map_type::kHold) &&
         (is_followed_by_pointee(items, index) || is_struct_of_pointers(items, index));
}

/// The same of the pointer of a PTR_AND_OBJ item. In data constructs clang 19 passes TARGET_PARAM with one that is
/// named beside its pointee.
inline bool has_base_pointer(const MapItem &item) {
  return is_pointee(item) && item.group < 0 && !item.has(map_type::kHold | map_type::kTargetParam);
}

/// Returns whether the item, or what its pointer leads to, is deleted. clang passes DELETE with the first and the
/// last level only.
inline bool deletes_pointee(const MapItems &items, size_t index) {
  while (!items[index].has(map_type::kDelete) && is_followed_by_pointee(items, index))
    ++index;
  return items[index].has(map_type::kDelete);
}

/// Notes the references that a data construct has taken for base pointers. Regions give back what they have taken
/// without notes.
inline void note_base_pointers(HostDataToTargetMap &map, const MapItems &items) {
  for (size_t i = 0; i < items.size(); ++i) {
    if ((items[i].flags & kItemCounted) && is_base_pointer(items, i)) [[unlikely]]
      map.rare_uses().note_base_pointer(items[i].mapping);
    if ((items[i].flags & kItemPointerCounted) && has_base_pointer(items[i]))
      map.rare_uses().note_base_pointer(items[i].pointer_mapping);
  }
}

} // namespace omptarget
