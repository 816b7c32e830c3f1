// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder/reached_memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <new>

#include "device/mapped_storage.h"

namespace omptarget {

namespace {

constexpr uint64_t kWord = sizeof(uint64_t);

uint64_t number(DevicePtr address) { return static_cast<uint64_t>(address); }

/// Buffers of a recording may be as large as all memory: the program goes on without them.
std::unique_ptr<std::byte[]> buffer_of(uint64_t size) {
  return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[size]);
}
Status no_buffer(uint64_t size) {
  return Status::error(format("%" PRIu64 " bytes for a copy of device memory could not be allocated", size));
}

} // namespace

ReachedMemory::~ReachedMemory() {
  for (const MappingRef &ref : borrowed_)
    if (!ref.give_back_simply())
      free_removed(device_, device_.map().give_back(ref)).consume();
}

void ReachedMemory::find_ranges(const std::vector<AllocatedRange> &allocated, const AllocatedRange &own) {
  using record::BlockKind;
  std::vector<Range> all;
  for (const HostDataToTargetMap::Snapshot &entry : device_.map().snapshot())
    if (entry.target_begin != DevicePtr::kNull && entry.begin < entry.end)
      all.push_back({entry.target_begin,
                     entry.target_begin + (entry.end - entry.begin),
                     entry.begin,
                     entry.name,
                     BlockKind::kMapped,
                     {entry.begin}});
  for (const AllocatedRange &range : allocated)
    all.push_back({range.begin, range.begin + static_cast<int64_t>(range.size), {}, nullptr, BlockKind::kAllocated});
  if (own.size != 0)
    all.push_back({own.begin, own.begin + static_cast<int64_t>(own.size), {}, nullptr, BlockKind::kPrivate});
  std::stable_sort(all.begin(), all.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (Range &range : all) {
    if (ranges_.empty() || ranges_.back().end <= range.begin) {
      ranges_.push_back(std::move(range));
      continue;
    }
    // Memory that the program has allocated, and associated with host data; or one memory for several host data.
    Range &whole = ranges_.back();
    whole.end = std::max(whole.end, range.end);
    whole.mappings.insert(whole.mappings.end(), range.mappings.begin(), range.mappings.end());
    whole.name = whole.name ? whole.name : range.name;
  }
}

ReachedMemory::Range *ReachedMemory::range_of(DevicePtr address) {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                      [](DevicePtr place, const Range &range) { return place < range.begin; });
  if (after == ranges_.begin() || std::prev(after)->end <= address)
    return nullptr;
  return &*std::prev(after);
}

uint32_t ReachedMemory::reach(Range &range) {
  if (range.block)
    return *range.block;
  range.block = static_cast<uint32_t>(recording_.blocks.size());
  recording_.blocks.push_back({number(range.begin),
                               static_cast<uint64_t>(range.host),
                               number(range.end) - number(range.begin),
                               range.kind,
                               range.name ? range.name : "",
                               {},
                               {}});
  ranges_of_blocks_.push_back(static_cast<size_t>(&range - ranges_.data()));
  return *range.block;
}

std::optional<uint32_t> ReachedMemory::reach(MappingRef ref) {
  if (!ref)
    return std::nullopt;
  const std::optional<DevicePtr> target = target_of(ref, ref.mapping->begin());
  Range *const range = target ? range_of(*target) : nullptr;
  return range ? std::optional(reach(*range)) : std::nullopt;
}

std::optional<ReachedMemory::Place> ReachedMemory::reach(DevicePtr address) {
  Range *const range = range_of(address);
  if (!range)
    return std::nullopt;
  return Place{reach(*range), address - range->begin};
}

void ReachedMemory::reach_global(HostPtr variable) {
  const Found found = device_.map().find(variable, 1);
  if (!found.is_contained || found.begin != variable || MappingState::count(found.state) != MappingState::kInfinite)
    return;
  if (const std::optional<uint32_t> block = reach(found.ref))
    recording_.blocks[*block].kind = record::BlockKind::kGlobal;
}

void ReachedMemory::add_pointer(DevicePtr place, DevicePtr value) {
  const std::optional<Place> from = reach(place);
  const std::optional<Place> to = reach(value);
  if (from && to)
    recording_.pointers.push_back({from->block, static_cast<uint64_t>(from->offset), to->block, to->offset});
}

Status ReachedMemory::read(uint64_t most) {
  uint64_t bytes = 0;
  for (uint32_t block = 0; block < recording_.blocks.size(); ++block) { // what it reaches comes behind it
    bytes += recording_.blocks[block].size;
    if (bytes > most)
      return Status::error(
          format("it reaches %" PRIu64 " bytes or more, and LIBOMPTARGET_RECORD_MEMSIZE is %" PRIu64, bytes, most));
    OMPTARGET_TRY(read_block(block));
  }
  std::sort(recording_.pointers.begin(), recording_.pointers.end(),
            [](const record::Pointer &a, const record::Pointer &b) {
              return a.block != b.block ? a.block < b.block : a.offset < b.offset;
            });
  recording_.unknown_pointers = 0;
  for (uint32_t block = 0; block < recording_.blocks.size(); ++block)
    recording_.unknown_pointers += count_unknown(block);
  return Status::ok();
}

Status ReachedMemory::read_block(uint32_t block) {
  // A copy: both lists of blocks may grow.
  const Range range = ranges_[ranges_of_blocks_[block]];
  for (const HostPtr host : range.mappings)
    if (const Found found = device_.map().find(host, 1); found.is_contained && device_.map().borrow(found.ref))
      borrowed_.push_back(found.ref);
  OMPTARGET_TRY_ASSIGN(auto bytes, retrieve(recording_.blocks[block]));
  recording_.blocks[block].before = {bytes.get(), recording_.blocks[block].size};
  bytes_.push_back(std::move(bytes));
  follow_attached(range);
  for_each_word(block, [&](uint64_t, uint64_t word) { (void)reach(static_cast<DevicePtr>(word)); });
  return Status::ok();
}

Result<std::unique_ptr<std::byte[]>> ReachedMemory::retrieve(const record::Block &block) {
  std::unique_ptr<std::byte[]> bytes = buffer_of(block.size);
  if (!bytes)
    return no_buffer(block.size);
  OMPTARGET_TRY(device_.plugin_device().data_retrieve(bytes.get(), reinterpret_cast<const void *>(block.device),
                                                      static_cast<int64_t>(block.size), nullptr));
  return bytes;
}

/// Calls with the offset and the value of each aligned word of the block.
template <typename Function> void ReachedMemory::for_each_word(uint32_t block, Function function) const {
  const uint64_t address = recording_.blocks[block].device;
  const std::span<const std::byte> bytes = recording_.blocks[block].before;
  const uint64_t least = ranges_.empty() ? 0 : number(ranges_.front().begin);
  const uint64_t most = ranges_.empty() ? 0 : number(ranges_.back().end);
  for (uint64_t offset = (kWord - address % kWord) % kWord; offset + kWord <= bytes.size(); offset += kWord) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + offset, sizeof word);
    if (word >= least && word < most)
      function(offset, word);
  }
}

uint64_t ReachedMemory::count_unknown(uint32_t block) {
  uint64_t count = 0;
  for_each_word(block, [&](uint64_t offset, uint64_t word) {
    const auto known =
        std::lower_bound(recording_.pointers.begin(), recording_.pointers.end(), offset,
                         [&](const record::Pointer &pointer, uint64_t place) {
                           return pointer.block != block ? pointer.block < block : pointer.offset < place;
                         });
    const bool is_known = known != recording_.pointers.end() && known->block == block && known->offset == offset;
    if (!is_known && range_of(static_cast<DevicePtr>(word)))
      ++count;
  });
  return count;
}

void ReachedMemory::follow_attached(const Range &range) {
  for (const HostPtr host : range.mappings) {
    const Found found = device_.map().find(host, 1);
    if (!found.is_contained || !found.ref.mapping->has_attached_pointers())
      continue;
    for (const AttachedPointer &pointer :
         device_.map().attached_pointers().in(found.ref, found.begin, found.end - found.begin))
      follow_attached(pointer);
  }
}

/// The copy may hold something else by now: a kernel has written it.
void ReachedMemory::follow_attached(const AttachedPointer &pointer) {
  const std::optional<Place> from = reach(pointer.device_address);
  const std::span<const std::byte> bytes = from ? recording_.blocks[from->block].before : std::span<const std::byte>();
  if (bytes.size() < kWord || static_cast<uint64_t>(from->offset) > bytes.size() - kWord)
    return;
  DevicePtr value;
  std::memcpy(&value, bytes.data() + from->offset, sizeof value);
  std::optional<Place> to;
  if (value == pointer.device_value) {
    // It may point before the part of an array that is mapped.
    const Found target = device_.map().find(pointer.host_value, 0);
    if (target.is_contained && target_of(target.ref, pointer.host_value) == value)
      if (const std::optional<uint32_t> block = reach(target.ref))
        to = Place{*block, value - static_cast<DevicePtr>(recording_.blocks[*block].device)};
  }
  if (!to)
    to = reach(value);
  if (to)
    recording_.pointers.push_back({from->block, static_cast<uint64_t>(from->offset), to->block, to->offset});
}

Status ReachedMemory::read_changes() {
  for (record::Block &block : recording_.blocks) {
    OMPTARGET_TRY_ASSIGN(const auto after, retrieve(block));
    OMPTARGET_TRY(note_changes(block, after.get()));
  }
  recording_.has_result = true;
  return Status::ok();
}

/// Changes that lie close together are one: each takes 16 bytes of its own.
Status ReachedMemory::note_changes(record::Block &block, const std::byte *after) {
  constexpr uint64_t kClose = 64, kStep = 64;
  std::vector<std::pair<uint64_t, uint64_t>> parts; // begin and end
  for (uint64_t step = 0; step < block.size; step += kStep) {
    const uint64_t end = std::min(step + kStep, block.size);
    if (std::memcmp(block.before.data() + step, after + step, end - step) == 0)
      continue;
    for (uint64_t i = step; i < end; ++i) {
      if (block.before[i] == after[i])
        continue;
      if (!parts.empty() && i - parts.back().second <= kClose)
        parts.back().second = i + 1;
      else
        parts.emplace_back(i, i + 1);
    }
  }
  uint64_t size = 0;
  for (const auto &[begin, end] : parts)
    size += end - begin;
  std::unique_ptr<std::byte[]> bytes = buffer_of(size);
  if (!bytes)
    return no_buffer(size);
  std::byte *next = bytes.get();
  for (const auto &[begin, end] : parts) {
    std::memcpy(next, after + begin, end - begin);
    block.changes.push_back({begin, {next, end - begin}});
    next += end - begin;
  }
  bytes_.push_back(std::move(bytes));
  return Status::ok();
}

} // namespace omptarget
