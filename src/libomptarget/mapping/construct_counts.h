// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the mappings whose count an argument changes. Members are counted with their struct. The components that a mapper
// pushes for one argument count each mapping once, however many of them lie in it. The numbers of parents that mappers
// push cannot tell: they overflow, and name the wrong parent from the second element on (docs/use/mapping.md).
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <memory>

#include "mapping/map_arguments.h"

namespace omptarget {

/// Used by one construct, which asks for its arguments in their order.
class ConstructCounts {
public:
  explicit ConstructCounts(const MapArguments &arguments) : arguments_(arguments) {}

  /// Returns whether an argument that lies in the mapping is to be counted. Pointees always are, once.
  bool counts(size_t i, MappingRef mapping) {
    if (arguments_.group(i) >= 0)
      return is_first_in_group(i, mapping);
    return arguments_.has(i, map_type::kPointee) || !arguments_.has(i, map_type::kMemberOf) ||
           arguments_.parent(i) < 0 || !(parent_of(i) == mapping);
  }

  /// Some arguments are to be asked for again, as what they lay in is gone. The others have what they have.
  void start_again() {
    group_ = -1;
    latest_ = {};
  }

  /// Returns the mapping that an argument of the same group lay in last, and that was counted then. Or null.
  MappingRef latest(size_t i) const { return arguments_.group(i) == group_ ? latest_ : MappingRef{}; }

  /// The mapping was gone when it should have been counted.
  void take_back(size_t i, MappingRef mapping) {
    if (arguments_.group(i) < 0)
      return;
    counted_->erase(key(mapping));
    latest_ = {};
  }

private:
  MappingRef parent_of(size_t i) const { return arguments_.refs[static_cast<size_t>(arguments_.parent(i))].ref(); }

  /// With its generation: what replaces a removed mapping is another one.
  using Key = std::pair<const Mapping *, uint32_t>;
  static Key key(MappingRef mapping) { return {mapping.mapping, mapping.generation}; }

  bool is_first_in_group(size_t i, MappingRef mapping) {
    if (!counted_)
      counted_ = std::make_unique<llvm::DenseSet<Key>>();
    if (group_ != arguments_.group(i))
      begin_group(i);
    if (mapping == latest_)
      return false;
    latest_ = mapping;
    return counted_->insert(key(mapping)).second;
  }

  void begin_group(size_t i) {
    group_ = arguments_.group(i);
    latest_ = {};
    counted_->clear();
    if (arguments_.parent(i) >= 0 && parent_of(i))
      counted_->insert(key(parent_of(i)));
    for (size_t j = first_in_group(i); j < arguments_.refs.size() && arguments_.group(j) == group_; ++j)
      if (arguments_.refs[j].is_counted) // by an earlier attempt
        counted_->insert(key(arguments_.refs[j].ref()));
  }
  size_t first_in_group(size_t i) const {
    while (i > 0 && arguments_.group(i - 1) == group_)
      --i;
    return i;
  }

  const MapArguments &arguments_;
  int32_t group_ = -1;
  MappingRef latest_{};
  std::unique_ptr<llvm::DenseSet<Key>> counted_;
};

/// Returns whether the argument is a struct of which those that follow map parts.
inline bool is_combined(const MapArguments &arguments, size_t i) {
  if (arguments.has(i, map_type::kMemberOf) || i + 1 >= arguments.size())
    return false;
  const int32_t group = arguments.group(i + 1);
  if (group < 0 || group != arguments.group(i))
    return arguments.parent(i + 1) == static_cast<int32_t>(i);
  return static_cast<int64_t>(arguments.type(i + 1) >> map_type::kMemberOfShift) == arguments.number(i) - group + 1;
}

} // namespace omptarget
