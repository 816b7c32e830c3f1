// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map arguments of a construct as compilers pass them, and one of them in the inner form.
#pragma once

#include <cstdint>

#include "base/address.h"
#include "generations/map_bits.h"

namespace omptarget {

namespace map_type {

// Bits of the types in an expanded list, which no compiler passes.
inline constexpr uint64_t kPointer = 1ull << 45; ///< the pointer of the argument that follows, which has kPointee
inline constexpr uint64_t kPointee = 1ull << 46;
inline constexpr uint64_t kLookUpOnly = 1ull << 47; ///< stands for an argument with a mapper: gives its address only
inline constexpr uint64_t kExpanded = kPointer | kPointee | kLookUpOnly;

/// What constructs do with the bits that compilers pass. A new bit gets a row.
struct Bit {
  uint64_t bit;
  bool is_simple = false;    ///< data with such bits alone take one step to be entered if present, and one to be found
  bool is_inherited = false; ///< of an argument with a mapper: holds for all that it pushes (OpenMP 5.2, section 5.8.8)
  bool is_of_argument = false; ///< of an argument with a mapper: holds for the argument itself
  bool is_of_pointer = false;  ///< of PTR_AND_OBJ: holds for the pointer, too
};
inline constexpr Bit kBits[] = {
    {.bit = kTo, .is_simple = true},
    {.bit = kFrom, .is_simple = true},
    {.bit = kAlways, .is_inherited = true},
    {.bit = kDelete, .is_inherited = true},
    {.bit = kPtrAndObj},
    {.bit = kTargetParam, .is_simple = true, .is_of_argument = true},
    {.bit = kReturnParam, .is_simple = true, .is_of_argument = true},
    {.bit = kPrivate},
    {.bit = kLiteral},
    {.bit = kImplicit, .is_simple = true, .is_inherited = true, .is_of_pointer = true},
    {.bit = kClose, .is_simple = true, .is_inherited = true, .is_of_pointer = true},
    {.bit = kPresent, .is_simple = true, .is_inherited = true},
    {.bit = kHold, .is_inherited = true, .is_of_pointer = true},
    {.bit = kAttach},
    {.bit = kNullify, .is_simple = true},
    {.bit = kNonContiguous},
    {.bit = kMemberOf, .is_of_pointer = true},
};
/// Returns all bits of which that is true.
constexpr uint64_t bits_that(bool Bit::*are) {
  uint64_t bits = 0;
  for (const Bit &bit : kBits)
    bits |= bit.*are ? bit.bit : 0;
  return bits;
}

} // namespace map_type

/// Returns whether data are copied back by the construct that releases their last reference, or by any one with `always`
/// (OpenMP 5.2, section 5.8.3). type: of an argument of that construct; mappings remember no type.
inline bool copies_back(uint64_t type) { return (type & map_type::kFrom) != 0; }

/// Map arguments as the compiler passes them. names and mappers may be null, and so may their elements.
struct MapList {
  int32_t count;
  void **bases;
  void **begins;
  int64_t *sizes;
  int64_t *types;
  void **names;
  void **mappers;
};

/// One map argument as a compiler or a mapper passes it.
struct MapItem {
  HostPtr base;     ///< start of the array or struct; for PTR_AND_OBJ and ATTACH the address of the pointer
  HostPtr begin;    ///< first byte of the mapped range
  int64_t size;     ///< bytes; for non-contiguous updates the number of dimensions
  uint64_t type;    ///< map_type bits
  const char *name; ///< ";name;file;line;column;;" or null; lives as long as the module
  int32_t argument; ///< index in the caller's arrays; -1 for a component that a mapper pushed
  int32_t parent;   ///< index of the item that this is a member of, or -1; in a group the parent of the argument

  int32_t group = -1; ///< what a mapper pushed for one argument: index of the first such item
  uint8_t flags = 0;  ///< ItemFlag bits

  bool has(uint64_t bits) const { return (type & bits) != 0; }
  bool is_member() const { return has(map_type::kMemberOf); }
};

/// Where the item's array or struct begins: for PTR_AND_OBJ what the pointer holds.
inline HostPtr base_of(const MapItem &item) {
  return item.has(map_type::kPtrAndObj) ? load_pointer(item.base) : item.base;
}

enum ItemFlag : uint8_t {
  kItemLookUpOnly = 1,  ///< stands for an argument with a mapper: gives its address, changes nothing
  kItemByteOffsets = 2, ///< not contiguous, and its offsets are bytes although its descriptor does not say so
};

} // namespace omptarget
