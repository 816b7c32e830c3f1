// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/queue.h"

#include <algorithm>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/log.h"
#include "base/settings.h"

namespace omptarget::amdgpu {

Status QueueSet::init(const DeviceProperties &properties) {
  const int64_t streams = setting_in(SettingId::kNumInitialStreams, 0, 1024);
  OMPTARGET_TRY(hardware_.init(properties.max_queues, properties.least_queue_size, properties.most_queue_size,
                               static_cast<uint32_t>(streams)));
  for (int64_t i = setting_in(SettingId::kNumInitialEvents, 0, 1024); i > 0; --i) {
    auto events = all_events_.lock();
    events->push_back(std::make_unique<Event>());
    events_.give_back(events->back().get());
  }
  return Status::ok();
}

Result<Stream *> QueueSet::take() {
  OMPTARGET_TRY_ASSIGN(HardwareQueue * queue, hardware_.take());
  Stream *stream = streams_.take();
  if (!stream) {
    auto all = all_streams_.lock();
    all->push_back(std::make_unique<Stream>(device_));
    stream = all->back().get();
  }
  stream->queue = queue;
  stream->hsa_queue = queue->handle();
  return stream;
}

void QueueSet::give_back(Stream *stream) {
  hardware_.give_back(*stream->queue);
  stream->queue = nullptr;
  stream->hsa_queue = nullptr;
  stream->is_interop = false;
  streams_.give_back(stream);
}

Result<Stream *> QueueSet::stream_of(__tgt_async_info &async) {
  if (!async.Queue) {
    OMPTARGET_TRY_ASSIGN(Stream * stream, take());
    async.Queue = stream;
  }
  return static_cast<Stream *>(async.Queue);
}

Status QueueSet::lost(Stream *stream, Status status) {
  stream->abandon();
  return std::move(status).during(format("while waiting for a queue of device %d", device_.number()));
}

bool QueueSet::completed(Stream *stream) {
  device_.launches().completed(stream);
  return stream->is_interop;
}

Status QueueSet::wait(Stream *stream) {
  if (Status status = stream->wait(); !status)
    return lost(stream, std::move(status));
  completed(stream);
  return Status::ok();
}

Status QueueSet::synchronize(__tgt_async_info &async) {
  Stream *stream = static_cast<Stream *>(async.Queue);
  if (!stream)
    return Status::ok();
  if (Status status = stream->wait(); !status) {
    async.Queue = nullptr;
    return lost(stream, std::move(status));
  }
  if (!completed(stream)) {
    async.Queue = nullptr;
    give_back(stream);
  }
  return Status::ok();
}

Result<bool> QueueSet::query(__tgt_async_info &async) {
  Stream *stream = static_cast<Stream *>(async.Queue);
  if (!stream)
    return true;
  Result<bool> is_complete = stream->query();
  if (!is_complete) {
    async.Queue = nullptr;
    return lost(stream, is_complete.take_status());
  }
  if (*is_complete && !completed(stream)) {
    async.Queue = nullptr;
    give_back(stream);
  }
  return is_complete;
}

Result<__tgt_async_info *> QueueSet::create_info() {
  OMPTARGET_TRY_ASSIGN(Stream * stream, take());
  stream->is_interop = true;
  return new __tgt_async_info{stream};
}

Status QueueSet::release_info(__tgt_async_info *info) {
  Stream *stream = info ? static_cast<Stream *>(info->Queue) : nullptr;
  if (!stream || !stream->is_interop)
    return Status::error(format("%p is no queue that was made for interop", static_cast<void *>(info)));
  stream->is_interop = false;
  Status status = synchronize(*info);
  delete info;
  return status;
}

Event *QueueSet::create_event() {
  if (Event *event = events_.take())
    return event;
  auto all = all_events_.lock();
  all->push_back(std::make_unique<Event>());
  return all->back().get();
}

void QueueSet::destroy_event(Event *event) {
  {
    const std::lock_guard lock(event->mutex);
    event->signals.clear();
    event->copies.clear();
  }
  events_.give_back(event);
}

Status QueueSet::wait_for(Event &event) {
  std::vector<SignalRef> signals;
  HostCopies copies;
  {
    const std::lock_guard lock(event.mutex);
    signals = event.signals;
    copies = event.copies;
  }
  for (const SignalRef &signal : signals)
    OMPTARGET_TRY(device_.signals().wait(signal));
  for (const auto &copy : copies)
    OMPTARGET_TRY(copy->finish());
  return Status::ok();
}

Result<std::unique_ptr<ReductionBlock>> QueueSet::take_reduction(uint64_t size) {
  {
    auto blocks = reductions_.lock();
    const auto fits = std::find_if(blocks->begin(), blocks->end(), [size](const auto &block) {
      return block->size >= size;
    });
    if (fits != blocks->end()) {
      std::unique_ptr<ReductionBlock> block = std::move(*fits);
      blocks->erase(fits);
      return block;
    }
  }
  OMPTARGET_TRY_ASSIGN(const uint64_t memory, device_.memory().allocate_device(ReductionBlock::kBufferOffset + size));
  return std::make_unique<ReductionBlock>(ReductionBlock{memory, size});
}

Status QueueSet::release_all() {
  Status status;
  const auto keep_first = [&status](Status one) {
    if (!one && status)
      status = std::move(one);
  };
  // A stream that was never synchronised still has something under way, unless the device is lost.
  for (const auto &stream : *all_streams_.lock()) {
    if (!device_.fault().happened() && stream->queue)
      keep_first(stream->wait());
    stream->abandon();
  }
  streams_.take_all();
  events_.take_all();
  all_events_.lock()->clear();
  all_streams_.lock()->clear();
  std::vector<std::unique_ptr<ReductionBlock>> blocks;
  blocks.swap(*reductions_.lock());
  for (const auto &block : blocks)
    keep_first(device_.memory().release_device(block->memory));
  keep_first(hardware_.release_all());
  return status;
}

} // namespace omptarget::amdgpu
