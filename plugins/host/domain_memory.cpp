// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/domain_memory.h"

#include <atomic>
#include <bit>
#include <new>
#include <sys/mman.h>

#include "base/settings.h"

namespace omptarget::host {

namespace {

/// Memory of that size and alignment, a power of two; null if there is none.
void *map_aligned(size_t bytes, size_t alignment) {
  void *const whole = mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (whole == MAP_FAILED)
    return nullptr;
  const auto begin = reinterpret_cast<uintptr_t>(whole);
  const uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  if (aligned != begin)
    munmap(whole, aligned - begin);
  munmap(reinterpret_cast<void *>(aligned + bytes), begin + alignment - aligned);
  return reinterpret_cast<void *>(aligned);
}

} // namespace

/// Four classes for each power of two, from 64 bytes on: 64, 80, 96, 112, 128, 160, ...
size_t DomainMemory::class_size(size_t index) { return (size_t{64} << (index / 4)) / 4 * (4 + index % 4); }

size_t DomainMemory::class_of(size_t size) {
  if (size <= 64)
    return 0;
  const auto power = static_cast<size_t>(std::bit_width(size - 1)) - 1; // 2^power < size <= 2^(power + 1)
  const size_t quarter = size_t{1} << (power - 2);
  return (power - 6) * 4 + (size - (size_t{1} << power) + quarter - 1) / quarter;
}

DomainMemory::Header *DomainMemory::map_piece(size_t bytes, size_t class_index) {
  void *const memory = map_aligned(bytes, kPiece);
  if (!memory)
    return nullptr;
  if (domain_.has_memory)
    if (Status status = bind_to_domain(memory, bytes, domain_); !status)
      warn_about_setting(SettingId::kHostDevices,
                         status.to_string() + "; pages lie where the thread runs that touches them first");
  return new (memory) Header{this, bytes, class_index};
}

void *DomainMemory::take_small(size_t class_index) {
  auto access = free_.lock();
  std::vector<void *> &blocks = (*access)[class_index];
  if (blocks.empty()) {
    Header *const piece = map_piece(kPiece, class_index);
    if (!piece)
      return nullptr;
    const size_t size = class_size(class_index);
    char *const begin = reinterpret_cast<char *>(piece) + kHeader;
    for (size_t i = (kPiece - kHeader) / size; i-- > 0;) // the lowest comes out first
      blocks.push_back(begin + i * size);
  }
  void *const block = blocks.back();
  blocks.pop_back();
  return block;
}

void *DomainMemory::allocate(size_t size) {
  if (size <= kLargestSmall)
    return take_small(class_of(size));
  if (size > SIZE_MAX / 2)
    return nullptr;
  const size_t bytes = (kHeader + size + kHeader - 1) / kHeader * kHeader;
  Header *const piece = map_piece(bytes, kClasses);
  return piece ? reinterpret_cast<char *>(piece) + kHeader : nullptr;
}

void DomainMemory::release(void *block) {
  if (!block)
    return;
  auto *const piece = reinterpret_cast<Header *>(reinterpret_cast<uintptr_t>(block) & ~(kPiece - 1));
  if (piece->class_index == kClasses) {
    munmap(piece, piece->bytes);
    return;
  }
  auto access = piece->owner->free_.lock();
  (*access)[piece->class_index].push_back(block);
}

} // namespace omptarget::host
