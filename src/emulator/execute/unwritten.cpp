// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See unwritten.h.

#include "unwritten.h"

#include "grid.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace emulator::executor {

namespace {
// The highest bit of exponents stays, so that floats are no numbers near zero and seldom no numbers at all.
constexpr std::array<uint8_t, 8> kFreshDifferences = {0xFF, 0xFF, 0xFF, 0xBF, 0xFF, 0xFF, 0xFF, 0xBF};
bool is_fresh(uint8_t difference) { return difference == kFreshDifferences[0] || difference == kFreshDifferences[3]; }
} // namespace

bool PageSet::has(uintptr_t number) const {
  const auto next = ends_.upper_bound(number);
  return next != ends_.begin() && std::prev(next)->second > number;
}

void PageSet::add(uintptr_t first, uintptr_t end) {
  remove(first, end);
  if (first < end)
    ends_[first] = end;
}

void PageSet::remove(uintptr_t first, uintptr_t end) {
  auto range = ends_.upper_bound(first);
  if (range != ends_.begin() && std::prev(range)->second > first)
    --range;
  while (range != ends_.end() && range->first < end) {
    const auto [begin, last] = *range;
    range = ends_.erase(range);
    if (begin < first)
      ends_[begin] = first;
    if (last > end)
      ends_[end] = last;
  }
}

UnwrittenMemory *UnwrittenMemory::find() {
  static UnwrittenMemory *const memory = [] {
    const char *const text = std::getenv("SIM_EXECUTOR_UNWRITTEN");
    const bool takes_fresh = text && *text == '1';
    return takes_fresh || Schedule::from_environment().refuses_absent ? new UnwrittenMemory(takes_fresh) : nullptr;
  }();
  return memory;
}

std::string describe_origin(UnwrittenMemory::Origin origin) {
  return origin & UnwrittenMemory::kOfLane ? "a shuffle's value from a lane that does not take part"
                                           : "memory that nobody wrote";
}

template <class Action> void UnwrittenMemory::for_pages(const void *bytes, size_t size, Action action) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes);
  for (size_t done = 0; done < size;) {
    const uintptr_t at = begin + done;
    const size_t part = std::min<size_t>(size - done, kPageSize - at % kPageSize);
    action(at / kPageSize, at % kPageSize, part, done);
    done += part;
  }
}

// With the lock held. Returns the page, or null if all of it is written.
UnwrittenMemory::Page *UnwrittenMemory::find_page(uintptr_t number) {
  if (const auto place = pages_.find(number); place != pages_.end())
    return place->second.get();
  if (!fresh_.has(number))
    return nullptr;
  fresh_.remove(number, number + 1);
  std::unique_ptr<Page> &page = pages_[number];
  page = std::make_unique<Page>();
  for (size_t i = 0; i < kPageSize; ++i)
    page->differences[i] = kFreshDifferences[i % kFreshDifferences.size()];
  return page.get();
}

// With the lock held. Whole pages of the range have no byte with two values.
void UnwrittenMemory::drop(const void *bytes, size_t size) {
  const auto begin = reinterpret_cast<uintptr_t>(bytes);
  const uintptr_t first = (begin + kPageSize - 1) / kPageSize, end = (begin + size) / kPageSize;
  if (first >= end)
    return;
  fresh_.remove(first, end);
  for (uintptr_t number = first; number < end && !pages_.empty(); ++number)
    pages_.erase(number);
}

// With the lock held. Null: they have one value.
void UnwrittenMemory::set(const void *bytes, size_t size, const uint8_t *differences, Origin origin) {
  if (!differences)
    drop(bytes, size);
  for_pages(bytes, size, [&](uintptr_t number, size_t first, size_t count, size_t done) {
    if (!differences && count == kPageSize)
      return;
    Page *page = find_page(number);
    if (!page && !differences)
      return;
    if (!page)
      page = (pages_[number] = std::make_unique<Page>()).get();
    for (size_t i = 0; i < count; ++i)
      page->differences[first + i] = differences ? differences[done + i] : 0;
    if (!differences) // bytes beside them in the word keep their place
      return;
    std::fill(page->origins.begin() + static_cast<std::ptrdiff_t>(first / kWord),
              page->origins.begin() + static_cast<std::ptrdiff_t>((first + count + kWord - 1) / kWord), origin);
  });
}

void UnwrittenMemory::add(const void *bytes, size_t size) {
  constexpr size_t kMost = size_t{64} << 20; // as garbage.h
  if (!takes_fresh_)
    return;
  const std::lock_guard lock(mutex_);
  std::array<uint8_t, kPageSize> differences{};
  drop(bytes, std::min(size, kMost));
  for_pages(bytes, std::min(size, kMost), [&](uintptr_t, size_t first, size_t count, size_t done) {
    if (count == kPageSize)
      return;
    for (size_t i = 0; i < count; ++i)
      differences[i] = kFreshDifferences[(first + i) % kFreshDifferences.size()];
    set(static_cast<const uint8_t *>(bytes) + done, count, differences.data(), 0);
  });
  const auto begin = reinterpret_cast<uintptr_t>(bytes);
  fresh_.add((begin + kPageSize - 1) / kPageSize, (begin + std::min(size, kMost)) / kPageSize);
}

void UnwrittenMemory::forget(const void *bytes, size_t size) {
  const std::lock_guard lock(mutex_);
  set(bytes, size, nullptr, 0);
}

void UnwrittenMemory::note_fresh(const void *bytes, size_t size) {
  if (UnwrittenMemory *const memory = find())
    memory->add(bytes, size);
}

void UnwrittenMemory::note_forgotten(const void *bytes, size_t size) {
  if (UnwrittenMemory *const memory = find())
    memory->forget(bytes, size);
}

void UnwrittenMemory::copy(void *to, const void *from, size_t size) {
  std::vector<uint8_t> differences(size);
  Origin origin = 0;
  write(to, size, read(from, size, differences.data(), origin) ? differences.data() : nullptr, origin);
}

bool UnwrittenMemory::read(const void *bytes, size_t size, uint8_t *differences, Origin &origin) const {
  std::fill_n(differences, size, uint8_t{0});
  bool differs = false;
  const std::lock_guard lock(mutex_);
  if (pages_.empty() && fresh_.is_empty())
    return false;
  for_pages(bytes, size, [&](uintptr_t number, size_t first, size_t count, size_t done) {
    const auto place = pages_.find(number);
    const Page *const page = place == pages_.end() ? nullptr : place->second.get();
    if (!page && !fresh_.has(number))
      return;
    for (size_t i = 0; i < count; ++i) {
      differences[done + i] =
          page ? page->differences[first + i] : kFreshDifferences[(first + i) % kFreshDifferences.size()];
      if (differences[done + i] != 0 && !differs) {
        differs = true;
        origin = page ? page->origins[(first + i) / kWord] : 0;
      }
    }
  });
  return differs;
}

void UnwrittenMemory::write(void *bytes, size_t size, const uint8_t *differences, Origin origin) {
  const std::lock_guard lock(mutex_);
  if (differences && std::all_of(differences, differences + size, [](uint8_t byte) { return byte == 0; }))
    differences = nullptr;
  set(bytes, size, differences, origin);
  note_width(bytes, size);
}

// With the lock held. Pages where all is written are not kept.
void UnwrittenMemory::note_width(const void *bytes, size_t size) {
  for_pages(bytes, size, [&](uintptr_t number, size_t first, size_t count, size_t) {
    const auto place = pages_.find(number);
    if (place == pages_.end())
      return;
    const auto width = static_cast<uint8_t>(std::min<size_t>(size, kWord));
    for (size_t word = first / kWord; word <= (first + count - 1) / kWord; ++word)
      place->second->widths[word] = std::max(place->second->widths[word], width);
  });
}

// With the lock held. The widest store near the address: to the structure that it is in, most likely.
size_t UnwrittenMemory::width_around(uintptr_t address) const {
  constexpr uintptr_t kNear = 64;
  size_t width = 0;
  for (uintptr_t at = (address - kNear) / kWord * kWord; at < address + kNear; at += kWord)
    if (const auto place = pages_.find(at / kPageSize); place != pages_.end())
      width = std::max<size_t>(width, place->second->widths[at % kPageSize / kWord]);
  return width;
}

// With the lock held. Padding comes before a member that must be aligned, or ends a structure that has such a member.
// So it is a part of an aligned piece of memory of that member's size, and not its beginning. A store near it is as
// wide. What was computed differs in other bits than what nobody wrote.
bool UnwrittenMemory::is_padding(const uint8_t *bytes, const std::vector<uint8_t> &differences, size_t begin,
                                 size_t end) const {
  const auto address = reinterpret_cast<uintptr_t>(bytes);
  // The first byte may have bits of a bit-field that are used, below those that are not.
  const uint8_t lowest = differences[begin], fresh = kFreshDifferences[(address + begin) % kFreshDifferences.size()];
  if (lowest != fresh && lowest == (fresh & -(lowest & -lowest)))
    ++begin;
  if (!std::all_of(differences.begin() + static_cast<std::ptrdiff_t>(begin),
                   differences.begin() + static_cast<std::ptrdiff_t>(end), is_fresh))
    return false;
  for (size_t align = 2; align <= kWord; align *= 2)
    if ((address + end) % align == 0 && end - begin < align && begin != 0 && width_around(address + begin) >= align)
      return true;
  return false;
}

void AccessLog::begin() {
  turn_ = Turn::kFirst;
  accesses_.clear();
  next_ = 0;
  are_same_ = true;
  origin_ = 0;
}

void AccessLog::note(uint8_t *bytes, uint32_t size, uint64_t address, Access access, UnwrittenMemory::Origin code) {
  Bytes &noted = accesses_.emplace_back(Bytes{bytes, address, size, !is_read(access), {}});
  if (access == Access::kWrite)
    return;
  UnwrittenMemory::Origin origin = 0;
  if (memory_->read(bytes, size, noted.other.data(), origin) && origin_ == 0)
    origin_ = origin ? origin : code;
  for (uint32_t i = 0; i < size; ++i)
    noted.other[i] ^= bytes[i];
}

void AccessLog::begin_again() { turn_ = Turn::kSecond; }

uint8_t *AccessLog::next(uint32_t size, uint64_t address) {
  are_same_ =
      are_same_ && next_ < accesses_.size() && accesses_[next_].size == size && accesses_[next_].address == address;
  return are_same_ ? accesses_[next_++].other.data() : nullptr;
}

void AccessLog::end(UnwrittenMemory::Origin origin) {
  const bool has_others = turn_ == Turn::kSecond;
  turn_ = Turn::kNone;
  for (Bytes &access : accesses_) {
    if (!access.writes)
      continue;
    for (uint32_t i = 0; has_others && i < access.size; ++i)
      access.other[i] ^= access.bytes[i];
    memory_->write(access.bytes, access.size, has_others ? access.other.data() : nullptr, origin ? origin : origin_);
  }
}

std::optional<UnwrittenMemory::Part> UnwrittenMemory::find_in(const void *bytes, size_t size) const {
  std::vector<uint8_t> differences(size);
  Origin origin = 0;
  if (!read(bytes, size, differences.data(), origin))
    return std::nullopt;
  const auto *const begin = static_cast<const uint8_t *>(bytes);
  const std::lock_guard lock(mutex_);
  Part part;
  for (size_t first = 0, end = 0; first < size; first = end + 1) {
    end = first;
    while (end < size && differences[end] != 0)
      ++end;
    if (end == first || is_padding(begin, differences, first, end))
      continue;
    if (part.pieces++ == 0) {
      const auto address = reinterpret_cast<uintptr_t>(begin + first);
      const auto page = pages_.find(address / kPageSize);
      part.first = first;
      part.last = end - 1;
      part.origin = page == pages_.end() ? 0 : page->second->origins[address % kPageSize / kWord];
    }
    part.bytes += end - first;
  }
  return part.pieces == 0 ? std::nullopt : std::optional(part);
}

} // namespace emulator::executor
