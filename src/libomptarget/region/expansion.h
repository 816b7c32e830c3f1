// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a compiler's argument arrays to items, and to a list of the library's own: user-defined mappers (OpenMP 5.2,
// section 5.8.8) are called, and what they push takes their argument's place.
#pragma once

#include "base/status.h"
#include "device/call.h"
#include "mapping/map_arguments.h"

namespace omptarget {

/// The components that a mapper function adds by __tgt_push_mapper_component. Its address is the handle. Used by one
/// thread.
class MapperComponents {
public:
  void push(const MapItem &component) { items_.push_back(component); }
  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  const MapItems &items() const { return items_; }

private:
  MapItems items_;
};

/// Returns argument i of the compiler's list; its parent is the number of an argument.
inline MapItem item_of(const MapList &list, int32_t i) {
  const auto type = static_cast<uint64_t>(list.types[i]);
  return {host_ptr(list.bases[i]),
          host_ptr(list.begins[i]),
          list.sizes[i],
          type,
          list.names ? static_cast<const char *>(list.names[i]) : nullptr,
          i,
          static_cast<int32_t>(type >> map_type::kMemberOfShift) - 1};
}

/// Appends the items of the list, and calls mappers, which run code of the program. Fails for negative counts and
/// parents that do not exist. code: return address in the code that passes them, for updates, whose sections need not
/// be contiguous.
Status gather_items(const MapList &list, MapItems &items, const void *code = nullptr);
/// Prepares the arguments for all that takes more than a pass over simple data: finds out their kinds, and expands the
/// list if it must be. is_exit: pointers are not read, as the program may have freed their memory. Fails as
/// gather_items.
Status prepare(MapArguments &arguments, const void *code, bool is_exit = false);

/// Gives the arguments an expanded list of these items.
void expand(const MapItems &items, MapArguments &arguments, bool is_exit = false);

/// Finds out what descriptors of sections that are not contiguous leave open, from the module with the code. For
/// updates.
Status find_offsets(MapItems &items, const void *code);

} // namespace omptarget
