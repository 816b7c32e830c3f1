// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attached pointers of each mapping: which device addresses the copies of its pointers hold, and who is about to
// write them.
#pragma once

#include <condition_variable>
#include <string>
#include <vector>

#include "mapping/rare_uses.h"
#include "mapping/written_pointers.h"

namespace omptarget {

/// Any thread. The pointers lie in the extras of their mapping, with the mutex of RareUses held, and go with them. Each
/// has at most one writer, and each lies in its mapping.
class AttachedPointers {
public:
  explicit AttachedPointers(RareUses &uses) : uses_(uses) {}

  /// Notes an attached pointer; false if the same was noted already, and its copy written, or if the mapping was
  /// removed. While another construct is still writing it: with waits blocks until that has settled it, otherwise
  /// true, since writing it twice does no harm. Takes no lock for one that is known to be written.
  bool note(MappingRef ref, const AttachedPointer &pointer, bool waits);
  /// The writer tells that the copy is written. Never to be forgotten, and nothing may be waited for before.
  void settle(MappingRef ref, HostPtr host_address, const void *writer);
  /// Returns whether the pointer, which lies in ref, is attached to the target's present place, and its copy is
  /// written. Also true if the program has changed the host's pointer since it was attached. The caller keeps ref and
  /// target. Takes no lock for one that is known to be written.
  bool is_attached(MappingRef ref, HostPtr pointer, MappingRef target);
  /// The attached pointers that lie in [begin, begin + size) of the mapping, which the caller keeps.
  std::vector<AttachedPointer> in(MappingRef ref, HostPtr begin, int64_t size) const;

  /// Gives pointers of the range their host values again, which became attached while it was copied to the host.
  void restore(MappingRef ref, HostPtr begin, int64_t size) const;

  // For HostDataToTargetMap, with the mutex held.
  /// The mapping of these extras goes.
  void forget_all(MappingExtras &extras);
  /// In the child of a fork: nobody waits, and nobody writes what other threads were writing.
  void forget_other_threads();
  static void forget_unwritten(Mapping &mapping);
  /// The first broken invariant of a mapping, in words; empty if there is none.
  static std::string fault(const Mapping &mapping);

private:
  static MappingExtras *extras_of(MappingRef ref);
  static AttachedPointer *find(MappingRef ref, HostPtr host_address);
  static void mark(Mapping &mapping, const MappingExtras &extras);

  RareUses &uses_;
  WrittenPointers written_;
  std::condition_variable settled_; // some attached pointer has no writer any more
};

} // namespace omptarget
