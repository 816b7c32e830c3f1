// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map arguments of a construct as compilers pass them, and one of them in the inner form.
#pragma once

#include <cstdint>

#include "base/address.h"
#include "generations/map_bits.h"

namespace omptarget {

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
