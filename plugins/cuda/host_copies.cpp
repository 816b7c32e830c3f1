// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/host_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/memory.h"

namespace omptarget::cuda {

Status HostCopy::drop(Memory &memory) {
  void *const done = std::exchange(block, nullptr);
  return done && !is_kept ? memory.release_pinned(done) : Status::ok();
}

Status HostCopy::finish(Memory &memory) {
  if (block)
    std::memcpy(host, block, size);
  return drop(memory);
}

bool HostCopy::overlaps(const void *begin, size_t bytes) const {
  const char *const first = static_cast<const char *>(begin);
  const char *const mine = static_cast<const char *>(host);
  return first < mine + size && mine < first + bytes;
}

Status SharedCopy::finish(Memory &memory) {
  const std::lock_guard lock(mutex_);
  return copy_.finish(memory);
}

Status SharedCopy::drop(Memory &memory) {
  const std::lock_guard lock(mutex_);
  return copy_.drop(memory);
}

Status finish(Memory &memory, const SharedCopies &copies) {
  Status status;
  for (const auto &copy : copies)
    status.keep_first(copy->finish(memory));
  return status;
}

const SharedCopies &HostCopies::share() {
  for (const HostCopy &copy : own_)
    shared_.push_back(std::make_shared<SharedCopy>(copy));
  own_.clear();
  return shared_;
}

bool HostCopies::overlaps(const void *host, size_t size) const {
  const auto overlaps_it = [&](const auto &copy) { return copy->overlaps(host, size); };
  return std::any_of(shared_.begin(), shared_.end(), overlaps_it) ||
         std::any_of(own_.begin(), own_.end(), [&](const HostCopy &copy) { return copy.overlaps(host, size); });
}

bool HostCopies::may_be_awaited_by_kernels(Memory &memory) const {
  const auto is_pinned = [&](const void *host) { return host && memory.is_pinned(host); };
  return std::any_of(shared_.begin(), shared_.end(),
                     [&](const auto &copy) { return is_pinned(copy->unknown_host()); }) ||
         std::any_of(own_.begin(), own_.end(),
                     [&](const HostCopy &copy) { return is_pinned(copy.is_pageable ? nullptr : copy.host); });
}

Result<void *> HostCopies::take_block(Memory &memory, size_t size) {
  constexpr size_t kAlignment = 64;
  const size_t bytes = (size + kAlignment - 1) / kAlignment * kAlignment;
  if (size > kSmall || bytes > kRoom - used_)
    return static_cast<void *>(nullptr);
  if (!room_) {
    OMPTARGET_TRY_ASSIGN(void *const room, memory.allocate_pinned(kRoom));
    room_ = static_cast<char *>(room);
  }
  return static_cast<void *>(room_ + std::exchange(used_, used_ + bytes));
}

// What is shared may be another thread's to carry out at this moment: then this one waits until that is done.
Status HostCopies::finish(Memory &memory) {
  Status status = cuda::finish(memory, shared_);
  shared_.clear();
  for (HostCopy &copy : own_)
    status.keep_first(copy.finish(memory));
  own_.clear();
  used_ = 0;
  return status;
}

void HostCopies::drop(Memory &memory) {
  for (const auto &copy : shared_)
    copy->drop(memory).consume();
  for (HostCopy &copy : own_)
    copy.drop(memory).consume();
  shared_.clear();
  own_.clear();
}

} // namespace omptarget::cuda
