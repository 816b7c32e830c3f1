// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapping/attached_pointers.h"

#include <cstring>
#include <new>

#include "base/format.h"

namespace omptarget {

/// Returns the extras of a mapping whose storage the caller keeps, or null: the mapping may have been removed, but not
/// become another one.
MappingExtras *AttachedPointers::extras_of(MappingRef ref) {
  MappingExtras *const extras = ref.mapping->extras();
  return (ref.mapping->generation() | 1u) == (ref.generation | 1u) ? extras : nullptr;
}

/// With the mutex held. Null: there is no such pointer.
AttachedPointer *AttachedPointers::find(MappingRef ref, HostPtr host_address) {
  MappingExtras *const extras = extras_of(ref);
  if (!extras)
    return nullptr;
  const auto place = extras->attached.find(host_address);
  return place == extras->attached.end() ? nullptr : &place->second;
}

void AttachedPointers::mark(Mapping &mapping, const MappingExtras &extras) {
  const uintptr_t has_attached = extras.attached.empty() ? 0 : Mapping::kHasAttached;
  mapping.extras_.store(reinterpret_cast<uintptr_t>(&extras) | has_attached, std::memory_order_release);
}

bool AttachedPointers::note(MappingRef ref, const AttachedPointer &pointer, bool waits) {
  if (written_.has(ref, pointer))
    return false;
  std::unique_lock lock(uses_.mutex());
  MappingExtras *const extras = uses_.of(ref);
  if (!extras)
    return false;
  const auto [place, is_new] = extras->attached.try_emplace(pointer.host_address, pointer);
  if (is_new) {
    mark(*ref.mapping, *extras);
    return true;
  }
  AttachedPointer &known = place->second;
  const bool is_same = known.device_value == pointer.device_value && known.host_value == pointer.host_value;
  const bool is_under_way = known.writer && known.writer != pointer.writer;
  if (is_same && is_under_way && waits) {
    settled_.wait(lock, [&] {
      const AttachedPointer *const now = find(ref, pointer.host_address);
      return !now || !now->writer;
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

void AttachedPointers::settle(MappingRef ref, HostPtr host_address, const void *writer) {
  std::lock_guard lock(uses_.mutex());
  AttachedPointer *const pointer = find(ref, host_address);
  if (!pointer || pointer->writer != writer)
    return;
  pointer->writer = nullptr;
  written_.note(ref, *pointer);
  settled_.notify_all();
}

bool AttachedPointers::is_attached(MappingRef ref, HostPtr pointer, MappingRef target) {
  const HostPtr host_value = load_pointer(pointer);
  const std::optional<DevicePtr> device_value = target_of(target, host_value);
  const std::optional<DevicePtr> device_address = target_of(ref, pointer);
  if (!device_value || !device_address)
    return false;
  if (written_.has(ref, {pointer, host_value, *device_address, *device_value}))
    return true;
  std::lock_guard lock(uses_.mutex());
  const AttachedPointer *const known = find(ref, pointer);
  if (!known || known->writer || (known->host_value == host_value && known->device_value != *device_value))
    return false;
  written_.note(ref, *known);
  return true;
}

std::vector<AttachedPointer> AttachedPointers::in(MappingRef ref, HostPtr begin, int64_t size) const {
  std::vector<AttachedPointer> result;
  if (!ref.mapping->has_attached_pointers())
    return result;
  std::lock_guard lock(uses_.mutex());
  const MappingExtras *const extras = extras_of(ref);
  if (!extras)
    return result;
  const auto end = extras->attached.lower_bound(begin + size);
  for (auto place = extras->attached.upper_bound(begin + -static_cast<int64_t>(sizeof(void *))); place != end; ++place)
    result.push_back(place->second);
  return result;
}

void AttachedPointers::restore(MappingRef ref, HostPtr begin, int64_t size) const {
  for (const AttachedPointer &pointer : in(ref, begin, size))
    std::memcpy(raw(pointer.host_address), &pointer.host_value, sizeof pointer.host_value);
}

void AttachedPointers::forget_all(MappingExtras &extras) {
  if (extras.attached.empty())
    return;
  extras.attached.clear();
  settled_.notify_all();
}

void AttachedPointers::forget_other_threads() {
  new (&settled_) std::condition_variable; // notifying would wait for threads that do not exist
}

void AttachedPointers::forget_unwritten(Mapping &mapping) {
  MappingExtras &extras = *mapping.extras();
  std::erase_if(extras.attached, [](const auto &pointer) { return pointer.second.writer != nullptr; });
  mark(mapping, extras);
}

std::string AttachedPointers::fault(const Mapping &mapping) {
  const MappingExtras *const extras = mapping.extras();
  const size_t noted = extras ? extras->attached.size() : 0;
  if ((noted != 0) != mapping.has_attached_pointers())
    return format("has %zu attached pointers and tells that there are %s", noted, noted == 0 ? "some" : "none");
  if (noted == 0)
    return {};
  for (const auto &[address, pointer] : extras->attached)
    if (address < mapping.begin() || mapping.end() < address + static_cast<int64_t>(sizeof(void *)))
      return format("has an attached pointer at 0x%llx, outside of it",
                    static_cast<unsigned long long>(static_cast<uintptr_t>(address)));
  return {};
}

} // namespace omptarget
