// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/stream.h"

#include <array>
#include <span>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"

namespace omptarget::amdgpu {

namespace {
// Operations that a stream remembers before it looks which of them are complete.
constexpr size_t kMostRemembered = 64;
// Signals that it keeps.
constexpr size_t kMostSpare = 16;
} // namespace

/// The signals that an operation waits for, as the driver takes them.
class Stream::Dependencies {
public:
  Dependencies(const std::vector<SignalRef> &events, hsa_signal_t behind) {
    if (events.size() + 1 > few_.size()) [[unlikely]]
      many_.resize(events.size() + 1);
    hsa_signal_t *const all = many_.empty() ? few_.data() : many_.data();
    size_t count = 0;
    for (const SignalRef &event : events)
      all[count++] = event.handle();
    if (behind.handle != kNoSignal.handle)
      all[count++] = behind;
    all_ = {all, count};
  }
  Dependencies(const Dependencies &) = delete;
  Dependencies &operator=(const Dependencies &) = delete;
  std::span<const hsa_signal_t> all() const { return all_; }

private:
  std::array<hsa_signal_t, 6> few_;
  std::vector<hsa_signal_t> many_;
  std::span<const hsa_signal_t> all_;
};

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

// The operation is complete.
Status Stream::retire(Operation &operation) {
  if (operation.signal.is_alone() && spare_.size() < kMostSpare)
    spare_.push_back(std::move(operation.signal));
  return release(operation.attachments);
}

Status Stream::retire_complete() {
  while (operations_.size() - first_ >= kMostRemembered) {
    Operation &front = operations_[first_];
    OMPTARGET_TRY_ASSIGN(const bool is_complete, device_.signals().is_complete(front.signal));
    if (!is_complete)
      return Status::ok();
    Status status = retire(front);
    front = Operation();
    if (++first_ == kMostRemembered) {
      operations_.erase(operations_.begin(), operations_.begin() + static_cast<ptrdiff_t>(first_));
      first_ = 0;
    }
    OMPTARGET_TRY(std::move(status));
  }
  return Status::ok();
}

Result<SignalRef> Stream::take_signal() {
  if (spare_.empty())
    return device_.signals().take();
  SignalRef signal = std::move(spare_.back());
  spare_.pop_back();
  SignalPool::set_again(signal);
  return signal;
}

template <typename Start> Status Stream::add(bool is_kernel, Attachments &&attachments, Start start) {
  Operation operation{{}, last_, {}, std::move(attachments)};
  const auto begin = [&]() -> Status {
    if (operations_.size() >= kMostRemembered) [[unlikely]]
      OMPTARGET_TRY(retire_complete());
    OMPTARGET_TRY_ASSIGN(operation.signal, take_signal());
    const Dependencies dependencies(awaited_, is_kernel && last_is_kernel_ ? kNoSignal : last_.handle());
    return start(operation, dependencies.all());
  };
  if (Status status = begin(); !status) {
    release(operation.attachments).consume();
    return status;
  }
  last_ = operation.signal;
  last_is_kernel_ = is_kernel;
  if (timing_) [[unlikely]]
    timing_->operations.push_back({last_, is_kernel});
  operation.events.swap(awaited_);
  operations_.push_back(std::move(operation));
  return Status::ok();
}

Status Stream::launch(hsa_kernel_dispatch_packet_t &packet, Attachments &&attachments) {
  return add(true, std::move(attachments), [&](const Operation &operation, std::span<const hsa_signal_t> dependencies) {
    packet.completion_signal = operation.signal.handle();
    return queue->dispatch(dependencies, packet);
  });
}

Status Stream::copy(const Copy &copy, Attachments &&attachments) {
  return add(false, std::move(attachments),
             [&](const Operation &operation, std::span<const hsa_signal_t> dependencies) {
               return device_.start_copy(copy, dependencies, operation.signal.handle());
             });
}

Status Stream::add_barrier() {
  return add(false, {}, [&](const Operation &operation, std::span<const hsa_signal_t> dependencies) {
    return queue->barrier(dependencies, operation.signal);
  });
}

Status Stream::add_barrier_to_ask() {
  if (has_barrier_)
    return Status::ok();
  OMPTARGET_TRY(add_barrier());
  has_barrier_ = true;
  return Status::ok();
}

// All operations are complete. Each keeps the signal of the one before it, so that the last one goes first.
Status Stream::emptied() {
  Status status;
  last_ = SignalRef();
  last_is_kernel_ = may_write_host_ = has_barrier_ = false;
  awaited_.clear();
  for (size_t i = operations_.size(); i-- > first_;) {
    status.keep_first(retire(operations_[i]));
    operations_[i].behind = SignalRef();
  }
  operations_.clear();
  first_ = 0;
  if (!copies.is_empty())
    status.keep_first(copies.finish(device_.memory().blocks()));
  room.empty();
  return status;
}

Status Stream::wait() {
  for (const SignalRef &signal : awaited_)
    OMPTARGET_TRY(device_.signals().wait(signal));
  if (last_)
    OMPTARGET_TRY(device_.signals().wait(last_));
  return emptied();
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
  open.clear();
  OMPTARGET_TRY(emptied());
  return true;
}

void Stream::record(Event &event) {
  const std::lock_guard lock(event.mutex);
  event.signals = awaited_;
  if (last_)
    event.signals.push_back(last_);
  event.copies = copies.is_empty() ? gpu::SharedCopies() : copies.share();
}

void Stream::wait_for(Event &event) {
  const std::lock_guard lock(event.mutex);
  awaited_.insert(awaited_.end(), event.signals.begin(), event.signals.end());
  copies.add(event.copies);
  may_write_host_ = true;
}

void Stream::abandon() {
  operations_.clear();
  first_ = 0;
  copies.drop(device_.memory().blocks());
  awaited_.clear();
  last_ = SignalRef();
  last_is_kernel_ = has_barrier_ = false;
  timing_ = nullptr;
}

} // namespace omptarget::amdgpu
