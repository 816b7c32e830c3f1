// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/queue.h"

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/settings.h"

namespace omptarget::amdgpu {

namespace {

Stream &as_stream(gpu::Stream &stream) { return static_cast<Stream &>(stream); }

/// The program may have written packets to an interop queue, of which the stream learns by a barrier behind them.
Result<Stream *> behind_program(gpu::Stream &handle) {
  Stream &stream = as_stream(handle);
  if (stream.is_interop)
    OMPTARGET_TRY(stream.add_barrier());
  return &stream;
}

} // namespace

QueueSet::QueueSet(Device &device) : gpu::QueueSet(device), own_device_(device), hardware_(device) {}

Status QueueSet::init() {
  const DeviceProperties &properties = own_device_.properties();
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

// ---- Streams

Result<gpu::Stream *> QueueSet::take_over(Result<HardwareQueue *> taken) {
  OMPTARGET_TRY_ASSIGN(HardwareQueue *const queue, std::move(taken));
  Stream *stream = streams_.take();
  if (!stream) {
    auto all = all_streams_.lock();
    all->push_back(std::make_unique<Stream>(own_device_));
    stream = all->back().get();
  }
  stream->queue = queue;
  stream->native = queue->handle();
  return stream;
}

void QueueSet::give_back(gpu::Stream &handle) {
  Stream &stream = as_stream(handle);
  hardware_.give_back(*stream.queue);
  stream.queue = nullptr;
  stream.native = nullptr;
  streams_.give_back(&stream);
}

Status QueueSet::finish(gpu::Stream &handle) {
  OMPTARGET_TRY_ASSIGN(Stream *const stream, behind_program(handle));
  return stream->wait();
}

bool QueueSet::sleeps_in_finish() const { return own_device_.signals().sleeps(); }

// What the program writes between two questions counts for the next wait only: otherwise a thread that keeps asking would
// never hear that the queue is empty.
Result<bool> QueueSet::is_finished(gpu::Stream &handle) {
  Stream &stream = as_stream(handle);
  if (stream.is_interop)
    OMPTARGET_TRY(stream.add_barrier_to_ask());
  return stream.query();
}

void QueueSet::abandon(gpu::Stream &stream) { as_stream(stream).abandon(); }

// ---- Events

Result<void *> QueueSet::create_event() {
  if (Event *event = events_.take())
    return static_cast<void *>(event);
  auto all = all_events_.lock();
  all->push_back(std::make_unique<Event>());
  return static_cast<void *>(all->back().get());
}

void QueueSet::destroy_event(void *handle) {
  Event *event = static_cast<Event *>(handle);
  {
    const std::lock_guard lock(event->mutex);
    event->signals.clear();
    event->copies.clear();
  }
  events_.give_back(event);
}

Status QueueSet::record(void *event, gpu::Stream &handle) {
  OMPTARGET_TRY_ASSIGN(Stream *const stream, behind_program(handle));
  stream->record(*static_cast<Event *>(event));
  return Status::ok();
}

Status QueueSet::wait_for(void *event, gpu::Stream &stream) {
  as_stream(stream).wait_for(*static_cast<Event *>(event));
  return Status::ok();
}

Status QueueSet::wait_for(void *handle) {
  Event &event = *static_cast<Event *>(handle);
  std::vector<SignalRef> signals;
  gpu::SharedCopies copies;
  {
    const std::lock_guard lock(event.mutex);
    signals = event.signals;
    copies = event.copies;
  }
  for (const SignalRef &signal : signals)
    OMPTARGET_TRY(own_device_.signals().wait(signal));
  return gpu::finish(own_device_.memory().blocks(), copies);
}

// ---- Times

// Copies keep their times in all of the process, from the first that is timed on. While something is timed the
// reference stays.
Result<void *> QueueSet::start_timing(const gpu::Caller &caller) {
  OMPTARGET_TRY_ASSIGN(gpu::Stream *const handle, stream_for(caller));
  Stream &stream = as_stream(*handle);
  OMPTARGET_TRY(stream.queue->keep_times());
  auto clock = clock_.lock();
  if (!clock->copies_keep_times)
    OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_profiling_async_copy_enable, true));
  clock->copies_keep_times = true;
  if (clock->open == 0)
    OMPTARGET_TRY(renew(clock->reference));
  ++clock->open;
  auto *const timing = new Timing;
  stream.set_timing(timing);
  return static_cast<void *>(timing);
}

Status QueueSet::stop_timing(gpu::Stream &stream, void *) {
  as_stream(stream).set_timing(nullptr);
  return Status::ok();
}

Result<gpu::Times> QueueSet::read_timing(void *timing) {
  const ClockReference reference = clock_.lock()->reference;
  Result<gpu::Times> times = read_times(*static_cast<Timing *>(timing), own_device_.agent(), reference);
  drop_timing(timing);
  return times;
}

void QueueSet::drop_timing(void *timing) {
  delete static_cast<Timing *>(timing);
  --clock_.lock()->open;
}

// ---- The end

// A stream that was never synchronised still has something under way, unless the device is lost.
Status QueueSet::finish_all() {
  Status status;
  for (const auto &stream : *all_streams_.lock()) {
    if (!device_.fault().happened() && stream->queue)
      status.keep_first(stream->wait());
    stream->abandon();
  }
  return status;
}

Status QueueSet::release_own() {
  streams_.take_all();
  events_.take_all();
  all_events_.lock()->clear();
  all_streams_.lock()->clear();
  return hardware_.release_all();
}

} // namespace omptarget::amdgpu
