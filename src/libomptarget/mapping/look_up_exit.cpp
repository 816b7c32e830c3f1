// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the data of a construct that exits, where find_present does not do.

#include "mapping/base_pointers.h"
#include "mapping/construct_counts.h"

namespace omptarget {

namespace {

constexpr int64_t kPointerSize = sizeof(void *);

/// Looks the arguments of one construct up.
class ExitLookup {
public:
  ExitLookup(HostDataToTargetMap &map, bool uses_host_memory, MapArguments &arguments,
             llvm::SmallVectorImpl<MappingRef> &awaited)
      : map_(map), uses_host_memory_(uses_host_memory), arguments_(arguments), awaited_(awaited), counts_(arguments) {}

  Status run() {
    arguments_.refs.assign(arguments_.size(), ArgumentRef{});
    for (size_t i = 0; i < arguments_.size(); ++i)
      if (!arguments_.has(i, map_type::kLiteral | map_type::kPrivate | map_type::kAttach | map_type::kLookUpOnly |
                                 map_type::kPointer))
        OMPTARGET_TRY(look_up(i));
    return Status::ok();
  }

private:
  /// The pointer of pointee i. An absent pointee was not entered with its pointer if it is an empty section, or the
  /// host's. Any other one is gone since.
  void look_up_pointer(size_t i, bool is_pointee_present) {
    const size_t own = i - 1;
    const bool is_base = is_base_pointer(arguments_, own);
    if (!is_pointee_present && (!is_base || arguments_.bytes(i) == 0 || uses_host_memory_))
      return;
    const Found pointer = map_.find(arguments_.begin(own), kPointerSize);
    if (!pointer.is_contained)
      return;
    arguments_.refs[own] = {pointer.ref.mapping, pointer.ref.generation, false, false};
    const bool deletes = is_base && deletes_pointee(arguments_, i);
    if (!counts_.counts(own, pointer.ref) && !deletes)
      return;
    arguments_.refs[own].is_counted = !is_base || map_.rare_uses().take_base_pointer(pointer.ref, deletes);
  }

  /// Returns whether the argument takes a reference of the mapping away. Base pointers take back what was entered for
  /// them and nothing else.
  bool releases(size_t i, MappingRef ref) {
    const bool is_base = is_base_pointer(arguments_, i);
    // Deleting a member deletes the struct's mapping; the struct itself only releases it.
    const bool deletes = arguments_.has(i, map_type::kDelete) || (is_base && deletes_pointee(arguments_, i));
    if (!counts_.counts(i, ref) && !deletes)
      return false;
    if (!is_base)
      return true;
    arguments_.clear_bits(i, map_type::kDelete);
    return map_.rare_uses().take_base_pointer(ref, deletes);
  }

  Status look_up(size_t i) {
    const HostPtr begin = arguments_.begin(i);
    const int64_t size = arguments_.bytes(i);
    OMPTARGET_TRY(check_range(begin, size, arguments_.name(i)));
    const Found found = map_.find(begin, size);
    const bool is_present = found.is_contained || (found.is_overlapped && arguments_.has(i, map_type::kImplicit));
    if (arguments_.has(i, map_type::kPointee))
      look_up_pointer(i, is_present);
    if (is_present) {
      arguments_.refs[i] = {found.ref.mapping, found.ref.generation, false, false};
      add_awaited(awaited_, found);
      arguments_.refs[i].is_counted = releases(i, found.ref);
      return Status::ok();
    }
    if (!uses_host_memory_ && arguments_.has(i, map_type::kPresent))
      return missing_present(begin, size, arguments_.name(i), "map type modifier");
    return Status::ok();
  }

  HostDataToTargetMap &map_;
  const bool uses_host_memory_;
  MapArguments &arguments_;
  llvm::SmallVectorImpl<MappingRef> &awaited_;
  ConstructCounts counts_;
};

} // namespace

Status look_up_exit(HostDataToTargetMap &map, bool uses_host_memory, MapArguments &arguments,
                    llvm::SmallVectorImpl<MappingRef> &awaited) {
  return ExitLookup(map, uses_host_memory, arguments, awaited).run();
}

} // namespace omptarget
