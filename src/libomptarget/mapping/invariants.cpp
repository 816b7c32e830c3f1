// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks over the table of present data: what must hold whenever its lock is free. Builds with OMPTARGET_ASSERTIONS walk
// after each construct (region/device_work); tests at any time.

#include "base/format.h"
#include "base/memory_orders.h"
#include "mapping/host_data_to_target_map.h"

namespace omptarget {

namespace {

std::string range_text(const Mapping &mapping) {
  return format("the mapping of host addresses 0x%llx to 0x%llx",
                static_cast<unsigned long long>(static_cast<uintptr_t>(mapping.begin())),
                static_cast<unsigned long long>(static_cast<uintptr_t>(mapping.end())));
}

/// Returns the fault of a state word, or nothing. Threads that take no lock change only counts meanwhile.
std::string state_fault(uint64_t word, uint32_t hold_count) {
  if (MappingState::is_dormant(word)) {
    constexpr uint64_t kAllowed = ~uint64_t{0} << MappingState::kGenerationShift | MappingState::kStorage;
    return word & ~kAllowed ? "is dormant and used" : "";
  }
  if (MappingState::generation(word) & 1)
    return "is in the table with the generation of a removed one";
  if ((word & MappingState::kReady) && !(word & MappingState::kStorage))
    return "is ready without storage";
  if ((word & MappingState::kArriving) && !(word & MappingState::kReady))
    return "waits for an event before it is ready";
  if (((word & MappingState::kHeld) != 0) != (hold_count != 0))
    return format("is %s with a hold count of %u", word & MappingState::kHeld ? "held" : "not held", hold_count);
  return {};
}

} // namespace

std::string HostDataToTargetMap::fault() const {
  std::lock_guard lock(rare_uses_.mutex());
  std::lock_guard everything(index_);
  if (std::string fault = index_.fault(); !fault.empty())
    return fault;
  const Mapping *previous = nullptr;
  for (const Mapping *mapping : index_.values()) {
    std::string fault = state_fault(mapping->state_.load(kRelaxed), mapping->hold_count());
    if (fault.empty())
      fault = AttachedPointers::fault(*mapping);
    if (fault.empty() && mapping->end() < mapping->begin())
      fault = "ends before it begins";
    if (!fault.empty())
      return range_text(*mapping) + " " + fault;
    if (previous && mapping->begin() < previous->end())
      return range_text(*previous) + " overlaps " + range_text(*mapping);
    previous = mapping;
  }
  return store_.fault(index_.free_lists());
}

std::string OrderedIndex::leaf_fault(const Leaf &leaf, uintptr_t lowest, uintptr_t limit) {
  const Used used = leaf.used.load(kRelaxed);
  if (used.first + used.count > kLeafCapacity)
    return format("a leaf counts %u keys from %u of at most %u", used.count, used.first, kLeafCapacity);
  const View<Mapping> keys = leaf.view();
  for (uint32_t i = 0; i < keys.count; ++i) {
    const uintptr_t key = keys.slots[i].key.load(kRelaxed);
    const Mapping *const mapping = keys.slots[i].value.load(kRelaxed);
    if (key < lowest || key >= limit)
      return format("the key 0x%zx lies in a leaf for keys from 0x%zx to 0x%zx", key, lowest, limit);
    if (i > 0 && keys.slots[i - 1].key.load(kRelaxed) >= key)
      return format("the key 0x%zx does not come after the one before it", key);
    if (!mapping || static_cast<uintptr_t>(mapping->begin()) != key)
      return format("the key 0x%zx leads to a mapping that begins elsewhere", key);
  }
  return {};
}

} // namespace omptarget
