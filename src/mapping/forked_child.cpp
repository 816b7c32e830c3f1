// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of present data in the child of a fork: what threads of the parent had begun never ends there
// (docs/use/mapping.md).

#include <new>

#include "base/atomic_wait.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {

void HostDataToTargetMap::forget_other_threads() {
  WaitPlace::forget_all();
  new (&settled_) std::condition_variable; // notifying would wait for threads that do not exist
  for (Mapping *const mapping : index_.values())
    if (!MappingState::is_removed(mapping->state()))
      forget_other_threads(*mapping);
}

void HostDataToTargetMap::forget_other_threads(Mapping &mapping) {
  if (MappingExtras *const extras = mapping.extras()) {
    extras->pins = 0;
    std::erase_if(extras->attached, [](const auto &pointer) { return pointer.second.writer != nullptr; });
    const uintptr_t has_attached = extras->attached.empty() ? 0 : Mapping::kHasAttached;
    mapping.extras_.store(reinterpret_cast<uintptr_t>(extras) | has_attached, std::memory_order_release);
  }
  constexpr uint64_t kOthers = kInTurn | MappingState::kPinned | MappingState::kArriving;
  const uint64_t word = mapping.state_.fetch_and(~kOthers, std::memory_order_acq_rel);
  const MappingRef ref{&mapping, MappingState::generation(word)};
  if ((word & MappingState::kReady) && !MappingState::is_unused(word))
    return;
  // Nobody fills it, or nobody removes it. The next construct that allocates frees its memory.
  const Removed removed = word & MappingState::kReady ? remove_if_unused(ref) : discard(ref);
  if (removed.allocation == DevicePtr::kNull || !(word & MappingState::kStorage))
    return;
  std::lock_guard lock(mutex_);
  evicted_.push_back(removed.allocation);
  has_evicted_.store(true, std::memory_order_relaxed);
}

} // namespace omptarget
