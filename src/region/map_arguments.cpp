// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/map_arguments.h"

namespace omptarget {

namespace {

using Mapper = void (*)(void *handle, void *base, void *begin, int64_t size, int64_t type, void *name);

/// The number of the parent, counted from 0, or -1.
int32_t parent_number(uint64_t type) { return static_cast<int32_t>(type >> map_type::kMemberOfShift) - 1; }

MapItem item_of(const MapList &list, int32_t i) {
  return {host_ptr(list.bases[i]),
          host_ptr(list.begins[i]),
          list.sizes[i],
          static_cast<uint64_t>(list.types[i]),
          list.names ? static_cast<const char *>(list.names[i]) : nullptr,
          i,
          parent_number(static_cast<uint64_t>(list.types[i]))};
}

/// Puts the components in the argument's place. Their parents are counted from the first of them; a component that names
/// one that is not yet there means the argument's own parent.
void expand(const MapItem &argument, const MapperComponents &components, MapItems &items) {
  const auto first = static_cast<int32_t>(items.size());
  for (const MapItem &component : components.items()) {
    MapItem item = component;
    const auto position = static_cast<int32_t>(items.size()) - first;
    const int32_t number = parent_number(item.type);
    item.parent = number < 0 ? -1 : number < position ? first + number : argument.parent;
    if (position == 0 && !item.is_member())
      item.type |= argument.type & map_type::kDelete;
    items.push_back(item);
  }
}

Status gather_with_mappers(const MapList &list, MapItems &items) {
  llvm::SmallVector<int32_t, 16> item_of_argument;
  for (int32_t i = 0; i < list.count; ++i) {
    item_of_argument.push_back(static_cast<int32_t>(items.size()));
    MapItem item = item_of(list, i);
    if (item.parent >= i)
      return Status::error(format("map argument %d is a member of argument %d, which does not precede it", i,
                                  item.parent));
    item.parent = item.parent < 0 ? -1 : item_of_argument[static_cast<size_t>(item.parent)];
    if (!list.mappers[i]) {
      items.push_back(item);
      continue;
    }
    MapperComponents components;
    reinterpret_cast<Mapper>(list.mappers[i])(&components, list.bases[i], list.begins[i], list.sizes[i], list.types[i],
                                              list.names ? list.names[i] : nullptr);
    expand(item, components, items);
  }
  return Status::ok();
}

} // namespace

Status gather_items(const MapList &list, MapItems &items) {
  if (list.count < 0)
    return Status::error(format("the number of map arguments is %d", list.count));
  if (list.count == 0)
    return Status::ok();
  if (!list.bases || !list.begins || !list.sizes || !list.types)
    return Status::error(format("an array of the %d map arguments is null", list.count));
  if (list.mappers)
    return gather_with_mappers(list, items);
  for (int32_t i = 0; i < list.count; ++i) {
    items.push_back(item_of(list, i));
    if (items.back().parent >= i) [[unlikely]]
      return Status::error(format("map argument %d is a member of argument %d, which does not precede it", i,
                                  items.back().parent));
  }
  return Status::ok();
}

} // namespace omptarget
