// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses that few mappings have, and for which the state word has no room. These are references of ompx_hold, many
// borrowers, and references that stand for base pointers.
#pragma once

#include <map>
#include <mutex>

#include "base/object_blocks.h"
#include "mapping/mapping.h"
#include "mapping/ordered_index.h"
#include "mapping/written_pointers.h"

namespace omptarget {

/// State that few mappings have. Type-stable, too: late readers of hold_count may come. Everything else is read and
/// written with the mutex of RareUses held.
struct MappingExtras {
  std::atomic<uint32_t> hold_count{0}; ///< changed with the mutex held
  uint32_t more_borrowers = 0;         ///< beyond those in the state word
  uint32_t base_pointers = 0; ///< dynamic references that stand for base pointers which the program did not name
  std::map<HostPtr, AttachedPointer> attached; ///< by host address of the pointer (AttachedPointers)
  MappingExtras *next_free = nullptr;
};

/// Any thread. One mutex guards the extras of all mappings. A mapping gets its extras with the mutex held, while nobody
/// removes it. It loses them with the mutex held, before it is used again. The bit kHeld of its state word tells whether
/// its number of holds is not zero.
class RareUses {
public:
  /// The index's stripes keep mappings from being removed.
  explicit RareUses(OrderedIndex &index) : index_(index) {}
  std::mutex &mutex() const { return mutex_; }

  // As retain and release of MappingRef, with the hold counter.
  Retained retain_hold(MappingRef ref);
  Released release_hold(MappingRef ref, bool reset, OnLast on_last = OnLast::kNothing);

  /// Notes that one of the dynamic references, which the caller has taken, stands for a base pointer that the program
  /// did not name.
  void note_base_pointer(MappingRef ref);
  /// Hands such a reference to the caller, who releases it; with all, the others are released. False if there is none.
  bool take_base_pointer(MappingRef ref, bool all);
  /// Somebody else releases all references.
  void forget_base_pointers(MappingRef ref);

  // For HostDataToTargetMap.
  /// Borrowing where the state word cannot count one more. False if the mapping has been removed since it was found.
  bool borrow_with_many(MappingRef ref);
  /// False if others have given theirs back meanwhile: few are left, and nothing has happened.
  bool give_back_one_of_many(MappingRef ref);
  // With the mutex held.
  /// Returns the mapping's extras, which it gets if it has none. The caller keeps the mapping from being removed.
  MappingExtras &of(Mapping &mapping);
  /// The same of a mapping that nobody need keep; null if it has been removed since it was found.
  MappingExtras *of(MappingRef ref);
  /// Takes the extras from a mapping that nobody uses any more.
  void recycle(Mapping &mapping);

private:
  static MappingExtras *known(MappingRef ref);

  OrderedIndex &index_;
  mutable std::mutex mutex_;
  ObjectBlocks<MappingExtras> extras_;
  MappingExtras *free_ = nullptr;
};

} // namespace omptarget
