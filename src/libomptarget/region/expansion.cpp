// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/expansion.h"

#include "mapping/non_contiguous.h"
#include "region/section_offsets.h"

namespace omptarget {

namespace {

using Mapper = void (*)(void *handle, void *base, void *begin, int64_t size, int64_t type, void *name);

Status find_offsets(MapItem &item, const void *code) {
  if (!may_have_byte_offsets(item))
    return Status::ok();
  OMPTARGET_TRY_ASSIGN(const bool in_bytes, has_byte_offsets(code));
  if (in_bytes)
    item.flags |= kItemByteOffsets;
  return Status::ok();
}

Status parent_follows(int32_t argument, int32_t parent) {
  return Status::error(
      format("map argument %d is a member of argument %d, which does not precede it", argument, parent));
}

constexpr uint64_t kInherited = bits_that(&map_type::Bit::is_inherited);
constexpr uint64_t kOfArgument = bits_that(&map_type::Bit::is_of_argument);
constexpr uint64_t kOfPointer = bits_that(&map_type::Bit::is_of_pointer);

/// Puts the components in the argument's place.
void expand(const MapItem &argument, const MapperComponents &components, MapItems &items) {
  const auto group = static_cast<int32_t>(items.size());
  for (const MapItem &component : components.items()) {
    MapItem item = component;
    item.type = (item.type & ~kOfArgument) | (argument.type & kInherited);
    if (item.size == 0)
      item.type &= ~map_type::kPresent;
    item.parent = argument.parent;
    item.group = group;
    if (!item.name)
      item.name = argument.name;
    items.push_back(item);
  }
  if (!argument.has(kOfArgument))
    return;
  MapItem itself = argument;
  itself.type &= kOfArgument | map_type::kPtrAndObj;
  itself.size = 0;
  itself.flags = kItemLookUpOnly;
  items.push_back(itself);
}

/// Calls the mapper for each contiguous part of the argument.
Status call_mapper(MapItem argument, void *mapper, const void *code, MapperComponents &components) {
  OMPTARGET_TRY(find_offsets(argument, code));
  OMPTARGET_TRY_ASSIGN(const HostBlocks blocks, host_blocks(argument));
  const auto type = static_cast<int64_t>(argument.type & ~map_type::kNonContiguous);
  blocks.for_each([&](HostPtr begin, int64_t size) {
    reinterpret_cast<Mapper>(mapper)(&components, raw(argument.base), raw(begin), size, type,
                                     const_cast<char *>(argument.name));
  });
  return Status::ok();
}

Status gather_with_mappers(const MapList &list, MapItems &items, const void *code) {
  llvm::SmallVector<int32_t, 16> item_of_argument;
  for (int32_t i = 0; i < list.count; ++i) {
    item_of_argument.push_back(static_cast<int32_t>(items.size()));
    MapItem item = item_of(list, i);
    if (item.parent >= i)
      return parent_follows(i, item.parent);
    item.parent = item.parent < 0 ? -1 : item_of_argument[static_cast<size_t>(item.parent)];
    if (!list.mappers[i]) {
      items.push_back(item);
      continue;
    }
    MapperComponents components;
    OMPTARGET_TRY(call_mapper(item, list.mappers[i], code, components));
    expand(item, components, items);
    if (item_of_argument.back() == static_cast<int32_t>(items.size()))
      item_of_argument.back() = -1; // nothing has taken its place
  }
  return Status::ok();
}

/// Returns whether the item maps a part of the struct that items[index] maps. Mappers push the numbers of parents within
/// their group, which overflow.
bool is_part_of(const MapItems &items, size_t index, const MapItem &item) {
  if (items[index].group < 0)
    return item.parent == static_cast<int32_t>(index);
  const auto number = static_cast<uint16_t>(index - static_cast<size_t>(items[index].group) + 1);
  return item.group == items[index].group && static_cast<uint16_t>(item.type >> map_type::kMemberOfShift) == number;
}

/// Compilers mark a struct if one of its parts must be present, also if that lies behind a pointer. The struct need not
/// be present then (OpenMP 5.2, section 5.8.3).
void unmark_struct(MapItems &items, size_t index) {
  size_t i = index + 1;
  for (; i < items.size() && is_part_of(items, index, items[i]); ++i)
    if (items[i].has(map_type::kPresent) && !items[i].has(map_type::kPtrAndObj))
      return;
  if (i != index + 1)
    items[index].type &= ~map_type::kPresent;
}

void unmark_structs(MapItems &items) {
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].has(map_type::kPresent))
      unmark_struct(items, i);
}

bool is_pointee(uint64_t type) {
  return (type & map_type::kPtrAndObj) && !(type & (map_type::kLiteral | map_type::kPrivate));
}

/// Adds items to an expanded list.
class Expander {
public:
  Expander(ExpandedList &list, const MapItems &items, bool reads_pointers)
      : list_(list), reads_pointers_(reads_pointers) {
    const size_t most = 2 * items.size();
    for (auto *const pointers : {&list.bases, &list.begins, &list.names})
      pointers->reserve(most);
    for (auto *const values : {&list.sizes, &list.types})
      values->reserve(most);
    list.facts.reserve(most);
    argument_of_item_.reserve(items.size());
  }

  void add(const MapItem &item) {
    uint64_t type = item.type & ~map_type::kExpanded;
    if (item.flags & kItemLookUpOnly) {
      type = (type & ~map_type::kPtrAndObj) | map_type::kLookUpOnly;
    } else if (is_pointee(type)) {
      add(item, raw(item.base), raw(item.base), sizeof(void *), (type & kOfPointer) | map_type::kPointer, -1);
      type = (type & ~map_type::kPtrAndObj) | map_type::kPointee;
    }
    const HostPtr base = is_pointee(item.type) && reads_pointers_ ? base_of(item) : item.base;
    add(item, raw(base), raw(item.begin), item.size, type, item.argument);
    argument_of_item_.push_back(static_cast<int32_t>(list_.facts.size()) - 1);
    ++number_;
  }

  void finish() {
    list_.list = {static_cast<int32_t>(list_.facts.size()),
                  list_.bases.data(),
                  list_.begins.data(),
                  list_.sizes.data(),
                  list_.types.data(),
                  list_.names.data(),
                  nullptr};
  }

private:
  void add(const MapItem &item, void *base, void *begin, int64_t size, uint64_t type, int32_t argument) {
    list_.bases.push_back(base);
    list_.begins.push_back(begin);
    list_.names.push_back(const_cast<char *>(item.name));
    list_.sizes.push_back(size);
    list_.types.push_back(static_cast<int64_t>(type));
    const int32_t parent = item.parent < 0 ? -1 : argument_of_item_[static_cast<size_t>(item.parent)];
    list_.facts.push_back({argument, parent, item.group, number_});
  }

  ExpandedList &list_;
  const bool reads_pointers_;
  llvm::SmallVector<int32_t, 16> argument_of_item_;
  int32_t number_ = 0;
};

/// The kinds of a compiler's list. must_expand: whether the list does not do as it is.
Status find_kinds(const MapList &list, uint64_t &kinds, bool &must_expand) {
  for (int32_t i = 0; i < list.count; ++i) {
    const auto type = static_cast<uint64_t>(list.types[i]);
    kinds |= type;
    must_expand = must_expand || is_pointee(type) || (list.mappers && list.mappers[i]);
    if (const auto parent = static_cast<int32_t>(type >> map_type::kMemberOfShift) - 1; parent >= i)
      return parent_follows(i, parent);
  }
  const bool may_unmark = (kinds & map_type::kPresent) && (kinds & map_type::kMemberOf); // gather_items does
  must_expand = must_expand || may_unmark || (kinds & map_type::kExpanded) != 0;
  return Status::ok();
}

} // namespace

Status gather_items(const MapList &list, MapItems &items, const void *code) {
  if (list.count < 0)
    return Status::error(format("the number of map arguments is %d", list.count));
  if (list.count == 0)
    return Status::ok();
  if (!list.bases || !list.begins || !list.sizes || !list.types)
    return Status::error(format("an array of the %d map arguments is null", list.count));
  if (list.mappers) {
    OMPTARGET_TRY(gather_with_mappers(list, items, code));
    unmark_structs(items);
    return Status::ok();
  }
  items.resize_for_overwrite(static_cast<size_t>(list.count));
  for (int32_t i = 0; i < list.count; ++i) {
    MapItem &item = items[static_cast<size_t>(i)];
    item = item_of(list, i);
    if (item.parent >= i)
      return parent_follows(i, item.parent);
  }
  unmark_structs(items);
  return Status::ok();
}

void expand(const MapItems &items, MapArguments &arguments, bool is_exit) {
  auto expanded = std::make_unique<ExpandedList>();
  Expander expander(*expanded, items, !is_exit);
  for (const MapItem &item : items)
    expander.add(item);
  expander.finish();
  arguments.kinds = 0;
  for (const int64_t type : expanded->types)
    arguments.kinds |= static_cast<uint64_t>(type);
  arguments.set_expanded(std::move(expanded));
}

Status prepare(MapArguments &arguments, const void *code, bool is_exit) {
  if (arguments.is_expanded())
    return Status::ok();
  const MapList &list = arguments.list();
  bool must_expand = false;
  if (is_readable(list))
    OMPTARGET_TRY(find_kinds(list, arguments.kinds, must_expand));
  if (!must_expand && (is_readable(list) || list.count == 0))
    return Status::ok();
  MapItems items;
  OMPTARGET_TRY(gather_items(list, items, code));
  expand(items, arguments, is_exit);
  return Status::ok();
}

Status find_offsets(MapItems &items, const void *code) {
  for (MapItem &item : items)
    if (item.has(map_type::kNonContiguous))
      OMPTARGET_TRY(find_offsets(item, code));
  return Status::ok();
}

} // namespace omptarget
