// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/host_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace omptarget::gpu {

Status HostCopy::drop(CachingAllocator &blocks) {
  void *const done = std::exchange(block, nullptr);
  return done && !is_kept ? blocks.release(done) : Status::ok();
}

Status HostCopy::finish(CachingAllocator &blocks) {
  if (block)
    std::memcpy(host, block, size);
  return drop(blocks);
}

bool HostCopy::overlaps(const void *begin, size_t bytes) const {
  const char *const first = static_cast<const char *>(begin);
  const char *const mine = static_cast<const char *>(host);
  return first < mine + size && mine < first + bytes;
}

Status SharedCopy::finish(CachingAllocator &blocks) {
  const std::lock_guard lock(mutex_);
  return copy_.finish(blocks);
}

Status SharedCopy::drop(CachingAllocator &blocks) {
  const std::lock_guard lock(mutex_);
  return copy_.drop(blocks);
}

Status finish(CachingAllocator &blocks, const SharedCopies &copies) {
  Status status;
  for (const auto &copy : copies)
    status.keep_first(copy->finish(blocks));
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

// Another thread may be carrying out a shared copy: then this one waits for it.
Status HostCopies::finish(CachingAllocator &blocks) {
  Status status = gpu::finish(blocks, shared_);
  shared_.clear();
  for (HostCopy &copy : own_)
    status.keep_first(copy.finish(blocks));
  own_.clear();
  return status;
}

void HostCopies::drop(CachingAllocator &blocks) {
  for (const auto &copy : shared_)
    copy->drop(blocks).consume();
  for (HostCopy &copy : own_)
    copy.drop(blocks).consume();
  shared_.clear();
  own_.clear();
}

} // namespace omptarget::gpu
