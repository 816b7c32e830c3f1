// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/host_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cuda/memory.h"

namespace omptarget::cuda {

Status HostCopy::finish() {
  const std::lock_guard lock(mutex_);
  if (!block_)
    return Status::ok();
  std::memcpy(host_, block_, size_);
  return memory_.release_pinned(std::exchange(block_, nullptr));
}

Status HostCopy::drop() {
  const std::lock_guard lock(mutex_);
  return block_ ? memory_.release_pinned(std::exchange(block_, nullptr)) : Status::ok();
}

Status finish(const Copies &copies) {
  Status status;
  for (const auto &copy : copies)
    status.keep_first(copy->finish());
  return status;
}

void HostCopies::add(CUstream stream, std::shared_ptr<HostCopy> copy) {
  auto state = state_.lock();
  state->streams[stream].push_back(std::move(copy));
  count(*state);
}

void HostCopies::record(CUevent event, CUstream stream) {
  if (is_empty())
    return;
  auto state = state_.lock();
  const auto found = state->streams.find(stream);
  if (found != state->streams.end())
    state->events[event] = found->second;
  else
    state->events.erase(event);
  count(*state);
}

void HostCopies::wait_for(CUevent event, CUstream stream) {
  if (is_empty())
    return;
  auto state = state_.lock();
  const auto found = state->events.find(event);
  if (found == state->events.end())
    return;
  const Copies before = found->second;
  Copies &copies = state->streams[stream];
  copies.insert(copies.end(), before.begin(), before.end());
  count(*state);
}

bool HostCopies::overlaps(CUstream stream, const void *host, size_t size) {
  if (is_empty())
    return false;
  auto state = state_.lock();
  const auto found = state->streams.find(stream);
  return found != state->streams.end() && std::any_of(found->second.begin(), found->second.end(),
                                                      [&](const auto &copy) { return copy->overlaps(host, size); });
}

Copies HostCopies::before(CUevent event) {
  if (is_empty())
    return {};
  auto state = state_.lock();
  const auto found = state->events.find(event);
  return found != state->events.end() ? found->second : Copies();
}

void HostCopies::forget(CUevent event) {
  if (is_empty())
    return;
  auto state = state_.lock();
  state->events.erase(event);
  count(*state);
}

Copies HostCopies::take(CUstream stream) {
  Copies copies;
  if (is_empty())
    return copies;
  auto state = state_.lock();
  if (const auto found = state->streams.find(stream); found != state->streams.end()) {
    copies = std::move(found->second);
    state->streams.erase(found);
  }
  count(*state);
  return copies;
}

Copies HostCopies::take_all() {
  auto state = state_.lock();
  Copies all;
  for (auto &[stream, copies] : state->streams)
    all.insert(all.end(), copies.begin(), copies.end());
  *state = State();
  count(*state);
  return all;
}

} // namespace omptarget::cuda
