// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/stream.h"

#include <cstring>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"

namespace omptarget::amdgpu {

namespace {
// Operations that a stream remembers before it looks which of them are complete.
constexpr size_t kMostRemembered = 64;
} // namespace

Status HostCopy::finish() {
  const std::lock_guard lock(mutex_);
  if (!block_)
    return Status::ok();
  OMPTARGET_TRY(device_.signals().wait(signal_));
  std::memcpy(host_, block_, size_);
  signal_ = SignalRef();
  return device_.memory().release_block(std::exchange(block_, nullptr));
}

std::vector<SignalRef> Stream::dependencies_for(bool is_kernel) const {
  std::vector<SignalRef> dependencies = awaited_;
  if (last_ && !(is_kernel && last_is_kernel_))
    dependencies.push_back(last_);
  return dependencies;
}

void Stream::added(Operation operation, bool is_kernel) {
  if (last_ && is_kernel && last_is_kernel_)
    operation.dependencies.push_back(last_);
  last_ = operation.signal;
  last_is_kernel_ = is_kernel;
  if (timing_)
    timing_->operations.push_back({last_, is_kernel});
  awaited_.clear();
  operations_.push_back(std::move(operation));
}

Status Stream::release(Attachments &attachments) {
  Status status;
  if (attachments.block)
    status = device_.memory().release_block(std::exchange(attachments.block, nullptr));
  if (attachments.locked)
    status.keep_first(device_.memory().unlock_range(std::exchange(attachments.locked, nullptr)));
  if (attachments.environment)
    device_.queues().give_back_environment(std::move(attachments.environment));
  return status;
}

// The front operation is complete.
Status Stream::retire_front() {
  Operation operation = std::move(operations_.front());
  operations_.pop_front();
  Status status = operation.host_copy ? operation.host_copy->finish() : Status::ok();
  status.keep_first(release(operation.attachments));
  return status;
}

Status Stream::retire_complete() {
  while (operations_.size() >= kMostRemembered) {
    OMPTARGET_TRY_ASSIGN(const bool is_complete, device_.signals().is_complete(operations_.front().signal));
    if (!is_complete)
      return Status::ok();
    OMPTARGET_TRY(retire_front());
  }
  return Status::ok();
}

template <typename Start> Status Stream::add(bool is_kernel, Attachments attachments, Start start) {
  Operation operation{SignalRef(), dependencies_for(is_kernel), std::move(attachments), nullptr};
  const auto begin = [&]() -> Status {
    OMPTARGET_TRY(retire_complete());
    OMPTARGET_TRY_ASSIGN(operation.signal, device_.signals().take());
    return start(operation);
  };
  if (Status status = begin(); !status) {
    release(operation.attachments).consume();
    return status;
  }
  added(std::move(operation), is_kernel);
  return Status::ok();
}

Status Stream::launch(hsa_kernel_dispatch_packet_t packet, Attachments attachments) {
  return add(true, std::move(attachments), [&](const Operation &operation) {
    packet.completion_signal = operation.signal.handle();
    return queue->dispatch(operation.dependencies, packet);
  });
}

Status Stream::copy(const Copy &copy, Attachments attachments) {
  return add(false, std::move(attachments), [&](const Operation &operation) {
    std::vector<hsa_signal_t> handles;
    handles.reserve(operation.dependencies.size());
    for (const SignalRef &dependency : operation.dependencies)
      handles.push_back(dependency.handle());
    return device_.start_copy(copy, handles, operation.signal.handle());
  });
}

Status Stream::copy_out(const Copy &to_block, void *block, void *host) {
  if (Status status = copy(to_block, {}); !status) {
    device_.memory().release_block(block).consume();
    return status;
  }
  auto host_copy = std::make_shared<HostCopy>(device_, last_, block, host, to_block.size);
  operations_.back().host_copy = host_copy;
  host_copies_.push_back(std::move(host_copy));
  return Status::ok();
}

Status Stream::settle(const void *host, size_t size) {
  for (const auto &copy : host_copies_)
    if (copy->overlaps(host, size))
      OMPTARGET_TRY(copy->finish());
  return Status::ok();
}

Status Stream::wait() {
  for (const SignalRef &signal : awaited_)
    OMPTARGET_TRY(device_.signals().wait(signal));
  if (last_)
    OMPTARGET_TRY(device_.signals().wait(last_));
  Status status;
  while (!operations_.empty())
    status.keep_first(retire_front());
  for (const auto &copy : host_copies_)
    status.keep_first(copy->finish());
  host_copies_.clear();
  awaited_.clear();
  last_ = SignalRef();
  last_is_kernel_ = false;
  return status;
}

Result<bool> Stream::query() {
  std::vector<SignalRef> open = awaited_;
  if (last_)
    open.push_back(last_);
  for (const SignalRef &signal : open) {
    OMPTARGET_TRY_ASSIGN(const bool is_complete, device_.signals().is_complete(signal));
    if (!is_complete)
      return false;
  }
  OMPTARGET_TRY(wait());
  return true;
}

void Stream::record(Event &event) {
  const std::lock_guard lock(event.mutex);
  event.signals = awaited_;
  if (last_)
    event.signals.push_back(last_);
  event.copies = host_copies_;
}

void Stream::wait_for(Event &event) {
  const std::lock_guard lock(event.mutex);
  awaited_.insert(awaited_.end(), event.signals.begin(), event.signals.end());
  host_copies_.insert(host_copies_.end(), event.copies.begin(), event.copies.end());
}

void Stream::abandon() {
  operations_.clear();
  host_copies_.clear();
  awaited_.clear();
  last_ = SignalRef();
  last_is_kernel_ = false;
  timing_ = nullptr;
}

} // namespace omptarget::amdgpu
