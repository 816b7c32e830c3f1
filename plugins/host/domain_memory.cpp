// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/domain_memory.h"

#include <atomic>
#include <new>
#include <sys/mman.h>

#include "base/settings.h"
#include "host/image_check.h"

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

DomainMemory::Header *DomainMemory::map_piece(size_t bytes, size_t index) {
  void *const memory = map_aligned(bytes, kPiece);
  if (!memory)
    return nullptr;
  if (domain_.has_memory)
    if (Status status = bind_to_domain(memory, bytes, domain_); !status)
      warn_about_setting(SettingId::kHostDevices,
                         status.to_string() + "; pages lie where the thread runs that touches them first");
  return new (memory) Header{this, bytes, index};
}

void *DomainMemory::take_small(size_t size) {
  const size_t index = class_index(size);
  auto access = free_.lock();
  std::vector<void *> &blocks = (*access)[index];
  if (blocks.empty()) {
    Header *const piece = map_piece(kPiece, index);
    if (!piece)
      return nullptr;
    const size_t bytes = class_size(size);
    char *const begin = reinterpret_cast<char *>(piece) + kHeader;
    for (size_t i = (kPiece - kHeader) / bytes; i-- > 0;) // the lowest comes out first
      blocks.push_back(begin + i * bytes);
  }
  void *const block = blocks.back();
  blocks.pop_back();
  return block;
}

void *DomainMemory::allocate(size_t size) {
  if (size <= kLargestSmall)
    return take_small(size);
  if (size > SIZE_MAX / 2)
    return nullptr;
  Header *const piece = map_piece(piece_bytes(size, page_size()), kClasses);
  return piece ? reinterpret_cast<char *>(piece) + kHeader : nullptr;
}

void DomainMemory::release(void *block) {
  if (!block)
    return;
  auto *const piece = reinterpret_cast<Header *>(reinterpret_cast<uintptr_t>(block) & ~(kPiece - 1));
  if (piece->index == kClasses) {
    munmap(piece, piece->bytes);
    return;
  }
  auto access = piece->owner->free_.lock();
  (*access)[piece->index].push_back(block);
}

} // namespace omptarget::host
