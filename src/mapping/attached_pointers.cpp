// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attached pointers of each mapping: which device addresses the copies of its pointers hold, and who is about to
// write them.

#include "mapping/host_data_to_target_map.h"

namespace omptarget {

namespace {

/// Returns whether a caller that keeps the mapping's storage still has it: the mapping may have been removed, but not
/// become another one.
bool is_kept(uint64_t word, MappingRef ref) { return (MappingState::generation(word) | 1u) == (ref.generation | 1u); }

} // namespace

bool HostDataToTargetMap::note_attached(MappingRef ref, const AttachedPointer &pointer, bool waits) {
  if (written_.has(ref, pointer))
    return false;
  std::unique_lock lock(mutex_);
  Mapping &mapping = *ref.mapping;
  MappingExtras *extras;
  {
    const OrderedIndex::Holder holder(index_, static_cast<uintptr_t>(mapping.begin())); // nobody removes it now
    if (mapping.generation() != ref.generation && !OMPTARGET_PLANTED("state_extras_of_a_free_one"))
      return false;
    extras = &extras_of(mapping);
  }
  const auto [place, is_new] = extras->attached.try_emplace(pointer.host_address, pointer);
  if (is_new) {
    mapping.extras_.store(reinterpret_cast<uintptr_t>(extras) | Mapping::kHasAttached, std::memory_order_release);
    return true;
  }
  AttachedPointer &known = place->second;
  const bool is_same = known.device_value == pointer.device_value && known.host_value == pointer.host_value;
  const bool is_under_way = known.writer && known.writer != pointer.writer;
  if (is_same && is_under_way && waits) {
    settled_.wait(lock, [&] {
      if (!is_kept(mapping.state(), ref))
        return true;
      const MappingExtras *const current = mapping.extras();
      if (!current)
        return true;
      const auto now = current->attached.find(pointer.host_address);
      return now == current->attached.end() || !now->second.writer;
    });
    return false;
  }
  if (is_same && !is_under_way) {
    if (!known.writer)
      written_.note(ref, known);
    return false;
  }
  written_.forget(pointer.host_address);
  known = pointer;
  return true;
}

void HostDataToTargetMap::settle_attached(MappingRef ref, HostPtr host_address, const void *writer) {
  std::lock_guard lock(mutex_);
  MappingExtras *const extras = ref.mapping->extras();
  if (!is_kept(ref.mapping->state(), ref) || !extras)
    return;
  const auto place = extras->attached.find(host_address);
  if (place == extras->attached.end() || place->second.writer != writer)
    return;
  place->second.writer = nullptr;
  written_.note(ref, place->second);
  settled_.notify_all();
}

bool HostDataToTargetMap::is_attached(MappingRef ref, HostPtr pointer, MappingRef target) {
  const HostPtr host_value = load_pointer(pointer);
  const std::optional<DevicePtr> device_value = target_of(target, host_value);
  const std::optional<DevicePtr> device_address = target_of(ref, pointer);
  if (!device_value || !device_address)
    return false;
  if (written_.has(ref, {pointer, host_value, *device_address, *device_value}))
    return true;
  std::lock_guard lock(mutex_);
  const MappingExtras *const extras = ref.mapping->extras();
  if (!extras || !is_kept(ref.mapping->state(), ref))
    return false;
  const auto place = extras->attached.find(pointer);
  if (place == extras->attached.end() || place->second.writer)
    return false;
  if (place->second.host_value == host_value && place->second.device_value != *device_value)
    return false;
  written_.note(ref, place->second);
  return true;
}

std::vector<AttachedPointer> HostDataToTargetMap::attached_in(MappingRef ref, HostPtr begin, int64_t size) const {
  std::vector<AttachedPointer> result;
  const Mapping &mapping = *ref.mapping;
  if (!mapping.has_attached_pointers())
    return result;
  std::lock_guard lock(mutex_);
  const MappingExtras *const extras = mapping.extras();
  if (!is_kept(mapping.state(), ref) || !extras)
    return result;
  const auto end = extras->attached.lower_bound(begin + size);
  for (auto place = extras->attached.upper_bound(begin + -static_cast<int64_t>(sizeof(void *))); place != end; ++place)
    result.push_back(place->second);
  return result;
}

} // namespace omptarget
