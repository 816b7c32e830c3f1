// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of present data in the child of a fork: what threads of the parent had begun never ends there
// (docs/use/mapping.md).

#include "base/atomic_wait.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {

void HostDataToTargetMap::forget_other_threads() {
  WaitPlace::forget_all();
  attached_pointers_.forget_other_threads();
  large_frees_.forget_others();
  for (Mapping *const mapping : index_.values())
    if (!MappingState::is_removed(mapping->state()))
      forget_other_threads(*mapping);
}

void HostDataToTargetMap::forget_other_threads(Mapping &mapping) {
  if (mapping.extras())
    AttachedPointers::forget_unwritten(mapping);
  constexpr uint64_t kOthers = MappingState::kInTurn | MappingState::kArriving;
  const uint64_t word = mapping.state_.fetch_and(~kOthers, std::memory_order_acq_rel);
  const MappingRef ref{&mapping, MappingState::generation(word)};
  if ((word & MappingState::kReady) && !MappingState::is_unused(word))
    return;
  // Nobody fills it, or nobody removes it. The next construct that allocates frees its memory.
  const Removed removed = word & MappingState::kReady ? remove_if_unused(ref) : discard(ref);
  if (removed.is_large)
    large_frees_.end();
  if (removed.allocation == DevicePtr::kNull || !(word & MappingState::kStorage))
    return;
  std::lock_guard lock(rare_uses_.mutex());
  dormant_.add_evicted(removed.allocation);
}

} // namespace omptarget
