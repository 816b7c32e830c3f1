// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arguments of one construct, and what the construct has of each. Most constructs need no more than two passes over
// them: retain_present and find_present are these, if all data are present.
#pragma once

#include <memory>
#include <vector>

#include "mapping/copies.h"

namespace omptarget {

/// The mapping that a construct has retained or found for an argument, or null.
struct ArgumentRef {
  Mapping *mapping;
  uint32_t generation;
  bool is_counted;             ///< there is a reference to be released
  bool is_new;                 ///< the construct has made the mapping
  bool is_copied_back = false; ///< always, and that is done
  MappingRef ref() const { return {mapping, generation}; }
};
/// One for each argument, by its number.
using ArgumentRefs = llvm::SmallVector<ArgumentRef, 16>;

/// So few arguments that comparing each with all others is cheap.
inline constexpr uint32_t kFewArguments = 16;

/// A list of the library's own, where the compiler's does not do: what a mapper pushes takes its argument's place, and
/// PTR_AND_OBJ becomes two arguments, the pointer and what it points to. Neighbours in the one are neighbours in the
/// other.
struct ExpandedList {
  struct Facts {
    int32_t argument; ///< of the compiler's list; -1 for what a mapper has pushed, and for pointers
    int32_t parent;   ///< the argument of this list that it is a member of, or -1
    int32_t group;    ///< what a mapper pushed for one argument: the number of the first; or -1
    int32_t number;   ///< among what compilers and mappers pass, where a pointer has none of its own
  };
  llvm::SmallVector<void *, 8> bases, begins, names;
  llvm::SmallVector<int64_t, 8> sizes, types;
  llvm::SmallVector<Facts, 8> facts;
  MapList list{};
};

/// Used by one thread at a time.
class MapArguments {
public:
  /// list: the compiler's, and its arrays, outlive this.
  explicit MapArguments(const MapList &list) : list_(&list), compilers_(&list) {}
  explicit MapArguments(MapList &&) = delete;
  const MapList &list() const { return *list_; }
  const MapList &compilers_list() const { return *compilers_; }
  void set_expanded(std::unique_ptr<ExpandedList> expanded) {
    expanded_ = std::move(expanded);
    list_ = &expanded_->list;
  }
  bool is_expanded() const { return expanded_ != nullptr; }

  size_t size() const { return static_cast<size_t>(list_->count); }
  uint64_t type(size_t i) const { return static_cast<uint64_t>(list_->types[i]); }
  bool has(size_t i, uint64_t bits) const { return (type(i) & bits) != 0; }
  HostPtr begin(size_t i) const { return host_ptr(list_->begins[i]); }
  HostPtr base(size_t i) const { return host_ptr(list_->bases[i]); }
  int64_t bytes(size_t i) const { return list_->sizes[i]; }
  const char *name(size_t i) const { return list_->names ? static_cast<const char *>(list_->names[i]) : nullptr; }
  /// The argument that this one is a member of, or -1.
  int32_t parent(size_t i) const {
    return expanded_ ? expanded_->facts[i].parent : static_cast<int32_t>(type(i) >> map_type::kMemberOfShift) - 1;
  }
  int32_t group(size_t i) const { return expanded_ ? expanded_->facts[i].group : -1; }
  int32_t number(size_t i) const { return expanded_ ? expanded_->facts[i].number : static_cast<int32_t>(i); }
  /// The number in the compiler's list, or -1.
  int32_t argument(size_t i) const { return expanded_ ? expanded_->facts[i].argument : static_cast<int32_t>(i); }
  /// The argument after it of which it is not the pointer.
  size_t next(size_t i) const { return i + 1 < size() && has(i + 1, map_type::kPointer) ? i + 2 : i + 1; }
  void clear_bits(size_t i, uint64_t bits) { expanded_->types[i] &= ~static_cast<int64_t>(bits); }

  ArgumentRefs refs;
  /// All bits of their types but for simple ones (is_simple), which may be missing. Ask has() for those.
  uint64_t kinds = 0;

private:
  const MapList *list_;
  const MapList *const compilers_;
  std::unique_ptr<ExpandedList> expanded_;
};

/// Data that need one step to be entered if they are present, and one to be found at the exit.
inline bool is_simple(uint64_t type) {
  constexpr uint64_t kSimple = bits_that(&map_type::Bit::is_simple);
  return (type & ~kSimple) == 0;
}

/// A value, which is not mapped.
inline bool is_value(uint64_t type) {
  constexpr uint64_t kValue = map_type::kLiteral | map_type::kTargetParam | map_type::kImplicit;
  return (type & map_type::kLiteral) && !(type & ~kValue);
}

/// Values; and pointers that are attached where the construct maps something anew only.
inline bool has_no_range(uint64_t type) { return is_value(type) || type == map_type::kAttach; }

/// An argument that may be absent: the kernel gets its address as it is.
inline bool may_be_absent(uint64_t type, int64_t size) {
  constexpr uint64_t kTold = map_type::kReturnParam | map_type::kPresent;
  return size == 0 && (type & (map_type::kTargetParam | kTold)) == map_type::kTargetParam;
}

inline bool is_readable(const MapList &list) {
  return list.count > 0 && list.bases && list.begins && list.sizes && list.types;
}

/// The pass of entering: retains the mappings of simple data that are present. Returns whether that was all of them:
/// then nothing is left to do. Otherwise first, which is 0 before, becomes the number of the argument at which it has
/// stopped, and absence is what is known of that one.
bool retain_present(HostDataToTargetMap &map, MapArguments &arguments, size_t &first, Absence &absence);

/// The pass of exiting: finds the mappings of simple data. Returns whether that was all of them. The kinds are kDelete if
/// some are deleted.
bool find_present(HostDataToTargetMap &map, MapArguments &arguments);

/// Finds the mappings of all arguments that are left, and which references are to be released. awaited: gets those whose
/// storage or data may still be on the way. uses_host_memory: what is not present is used in place.
Status look_up_exit(HostDataToTargetMap &map, bool uses_host_memory, MapArguments &arguments,
                    llvm::SmallVectorImpl<MappingRef> &awaited);

/// The copy of an argument that lies in the mapping.
inline Copy copy_of_argument(const MapList &list, size_t i, MappingRef mapping) {
  return {mapping, host_ptr(list.begins[i]), list.sizes[i],
          list.names ? static_cast<const char *>(list.names[i]) : nullptr};
}
/// The same of an argument with a mapping; the part that lies in it, for implicit ones that reach beyond it.
Copy copy_of(const MapArguments &arguments, size_t i);

} // namespace omptarget
