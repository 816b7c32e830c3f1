// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mappings whose count an item changes. Members are counted with their struct. The items that a mapper pushes for
// one argument count each mapping once, however many elements and members lie in it. The numbers of parents that
// mappers push cannot tell: they overflow, and name the wrong parent from the second element on (docs/use/mapping.md).
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <memory>

#include "mapping/plan.h"

namespace omptarget {

/// Used by one planner, which asks for the items in their order.
class ConstructCounts {
public:
  explicit ConstructCounts(const MapItems &items) : items_(items) {}

  /// Returns whether the item's range or pointer, lying in the mapping, is to be counted. Pointees always are, once.
  bool counts(const MapItem &item, MappingRef mapping, bool is_pointee) {
    if (item.group >= 0) [[unlikely]]
      return is_first_in_group(item, mapping);
    return is_pointee || !item.is_member() || item.parent < 0 || parent_of(item).mapping != mapping;
  }

  /// The mapping was gone when it should have been counted.
  void take_back(const MapItem &item, MappingRef mapping) {
    if (item.group < 0)
      return;
    counted_->erase(key(mapping));
    latest_ = {};
  }

private:
  const MapItem &parent_of(const MapItem &item) const { return items_[static_cast<size_t>(item.parent)]; }

  /// With its generation: what replaces a removed mapping is another one.
  using Key = std::pair<const Mapping *, uint32_t>;
  static Key key(MappingRef mapping) { return {mapping.mapping, mapping.generation}; }

  bool is_first_in_group(const MapItem &item, MappingRef mapping) {
    if (!counted_)
      counted_ = std::make_unique<llvm::DenseSet<Key>>();
    if (group_ != item.group) {
      group_ = item.group;
      latest_ = {};
      counted_->clear();
      if (item.parent >= 0 && parent_of(item).mapping)
        counted_->insert(key(parent_of(item).mapping));
    }
    if (mapping == latest_)
      return false;
    latest_ = mapping;
    return counted_->insert(key(mapping)).second;
  }

  const MapItems &items_;
  int32_t group_ = -1;
  MappingRef latest_{};
  std::unique_ptr<llvm::DenseSet<Key>> counted_;
};

/// Returns whether the item is a struct of which the items that follow map parts.
inline bool is_combined(const MapItems &items, size_t index) {
  const MapItem &item = items[index];
  if (item.is_member() || index + 1 >= items.size()) [[likely]]
    return false;
  const MapItem &next = items[index + 1];
  if (next.group < 0 || next.group != item.group)
    return next.parent == static_cast<int32_t>(index);
  return next.type >> map_type::kMemberOfShift == index - static_cast<size_t>(item.group) + 1;
}

} // namespace omptarget
