// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/domain_memory.h"

#include <new>
#include <sys/mman.h>

#include "base/settings.h"
#include "host/image_check.h"
#include "host/mapped_pages.h"

namespace omptarget::host {

DomainMemory::DomainMemory(const NumaDomain &domain) : domain_(domain) {}

KeptBlocks &DomainMemory::large() {
  std::call_once(made_large_, [this] {
    large_ = std::make_unique<KeptBlocks>(pieces_);
    has_large_.store(true, std::memory_order_release);
  });
  return *large_;
}

Result<void *> DomainMemory::PieceSource::allocate(size_t size) {
  Header *const piece = size > SIZE_MAX / 2 ? nullptr : owner_.map_piece(piece_bytes(size, page_size()), kClasses);
  if (!piece)
    return Status::error(format("no memory for %llu bytes", static_cast<unsigned long long>(size)));
  return static_cast<void *>(reinterpret_cast<char *>(piece) + kHeader);
}

Status DomainMemory::PieceSource::release(void *block) {
  Header *const piece = piece_of(block);
  munmap(piece, piece->bytes);
  return Status::ok();
}

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
  if (size > kLargestSmall)
    return large().allocate(size);
  if (void *const block = take_small(size))
    return block;
  trim();
  return take_small(size);
}

void DomainMemory::release(void *block) {
  if (!block)
    return;
  Header *const piece = piece_of(block);
  if (piece->index == kClasses) {
    piece->owner->large().release(block);
    return;
  }
  auto access = piece->owner->free_.lock();
  (*access)[piece->index].push_back(block);
}

void DomainMemory::trim() {
  if (KeptBlocks *const blocks = kept())
    blocks->trim();
}

} // namespace omptarget::host
