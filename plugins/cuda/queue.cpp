// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/queue.h"

#include "base/settings.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/memory.h"

namespace omptarget::cuda {

namespace {

Result<Stream *> make_stream() {
  CUstream stream = nullptr;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING), "while creating a queue");
  return new Stream(stream);
}

Result<CUevent> make_event() {
  CUevent event = nullptr;
  unsigned flags = CU_EVENT_DISABLE_TIMING;
  if (waits_by_sleeping())
    flags |= CU_EVENT_BLOCKING_SYNC;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuEventCreate, &event, flags), "while creating an event");
  return event;
}

} // namespace

Status QueueSet::init() {
  OMPTARGET_TRY(streams_.fill(setting_in(SettingId::kNumInitialStreams, 0, 1024), make_stream));
  return events_.fill(setting_in(SettingId::kNumInitialEvents, 0, 1024), make_event);
}

// ---- Streams

Result<gpu::Stream *> QueueSet::take() {
  if (Stream *const stream = streams_.take()) [[likely]]
    return stream;
  OMPTARGET_TRY_ASSIGN(Stream *const stream, streams_.take_or(make_stream));
  return stream;
}

void QueueSet::give_back(gpu::Stream &stream) { streams_.give_back(&as_stream(stream)); }

Status QueueSet::finish(gpu::Stream &stream) {
  return OMPTARGET_CU_ON(as_stream(stream), cuStreamSynchronize, as_stream(stream).handle());
}

bool QueueSet::sleeps_in_finish() const { return waits_by_sleeping(); }

Result<bool> QueueSet::is_finished(gpu::Stream &stream) {
  const CUresult result = OMPTARGET_CU_RESULT_ON(as_stream(stream), cuStreamQuery, as_stream(stream).handle());
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  OMPTARGET_TRY(gpu::check_call("cuStreamQuery", result, call_failure));
  if (stream.has_kernels) // for what they printed, as in show_prints()
    OMPTARGET_TRY(finish(stream));
  return true;
}

// Waits for everything, since work that is still under way uses memory that its owner gives up when told of the
// failure. After a fault of a kernel nothing is under way.
void QueueSet::abandon(gpu::Stream &stream) {
  if (!device_.fault().happened())
    OMPTARGET_CU(cuCtxSynchronize).consume();
  as_stream(stream).copies.drop(memory_.pinned());
}

Status QueueSet::finished(gpu::Stream &handle) {
  Stream &stream = as_stream(handle);
  Status status = stream.copies.finish(memory_.pinned());
  stream.room.empty();
  if (!stream.blocks.empty()) [[unlikely]] {
    for (auto &block : stream.blocks)
      give_back_environment(std::move(block));
    stream.blocks.clear();
  }
  return status;
}

// ---- Copies to pageable memory

Status QueueSet::copy_out(Stream &stream, void *host, uint64_t target, size_t size, bool is_pageable) {
  OMPTARGET_TRY_ASSIGN(void *block, stream.room.take(memory_.pinned(), size));
  const bool is_kept = block != nullptr;
  if (!is_kept) {
    OMPTARGET_TRY_ASSIGN(block, memory_.pinned().allocate(size));
  }
  gpu::HostCopy copy{block, host, size, is_kept, is_pageable};
  if (Status status = OMPTARGET_CU_ON(stream, cuMemcpyDtoHAsync, block, target, size, stream.handle()); !status) {
    copy.drop(memory_.pinned()).consume();
    return status;
  }
  stream.copies.add(copy);
  stream.has_leftovers = true;
  return Status::ok();
}

Status QueueSet::settle(Stream &stream, const void *host, size_t size) {
  if (!stream.copies.overlaps(host, size))
    return Status::ok();
  OMPTARGET_TRY(finish(stream));
  return stream.copies.finish(memory_.pinned());
}

Status QueueSet::settle_for_kernels(Stream &stream) {
  if (!stream.copies.may_be_awaited_by_kernels([&](const void *host) { return memory_.is_pinned(host); }))
    return Status::ok();
  OMPTARGET_TRY(finish(stream));
  return stream.copies.finish(memory_.pinned());
}

// ---- Launch environments

// A block that this very stream uses already serves again: launches of one stream follow one another.
Result<uint64_t> QueueSet::launch_environment(Stream &stream, const gpu::EnvironmentNeed &need) {
  std::unique_ptr<gpu::EnvironmentBlock> block = gpu::take_serving(stream.blocks, need);
  if (!block) {
    OMPTARGET_TRY_ASSIGN(block, take_environment(need));
  }
  Status status;
  if (!block->is_written)
    status = OMPTARGET_CU_ON(stream, cuMemcpyHtoDAsync, block->memory, block->initial.data(), block->initial_size,
                             stream.handle());
  block->is_written = status.is_ok();
  const uint64_t environment = block->memory;
  stream.blocks.push_back(std::move(block));
  stream.has_leftovers = true;
  OMPTARGET_TRY_DURING(std::move(status), "while preparing a launch environment");
  return environment;
}

// ---- Events

Result<void *> QueueSet::create_event() {
  OMPTARGET_TRY_ASSIGN(void *event, events_.take_or(make_event));
  return event;
}

void QueueSet::destroy_event(void *event) {
  set_copies_before(static_cast<CUevent>(event), {});
  events_.give_back(static_cast<CUevent>(event));
}

Status QueueSet::record(void *handle, gpu::Stream &stream) {
  const auto event = static_cast<CUevent>(handle);
  OMPTARGET_TRY(OMPTARGET_CU_ON(as_stream(stream), cuEventRecord, event, as_stream(stream).handle()));
  gpu::HostCopies &copies = as_stream(stream).copies;
  set_copies_before(event, copies.is_empty() ? gpu::SharedCopies() : copies.share());
  return Status::ok();
}

Status QueueSet::wait_for(void *event, gpu::Stream &stream) {
  OMPTARGET_TRY(OMPTARGET_CU_ON(as_stream(stream), cuStreamWaitEvent, as_stream(stream).handle(),
                                static_cast<CUevent>(event), 0));
  if (const gpu::SharedCopies copies = copies_before(static_cast<CUevent>(event)); !copies.empty()) {
    as_stream(stream).copies.add(copies);
    stream.has_leftovers = true;
  }
  return Status::ok();
}

Status QueueSet::wait_for(void *event) {
  OMPTARGET_TRY(OMPTARGET_CU(cuEventSynchronize, static_cast<CUevent>(event)));
  return gpu::finish(memory_.pinned(), copies_before(static_cast<CUevent>(event)));
}

gpu::SharedCopies QueueSet::copies_before(CUevent event) {
  if (event_copies_count_.load(std::memory_order_acquire) == 0)
    return {};
  auto all = event_copies_.lock();
  const auto found = all->find(event);
  return found == all->end() ? gpu::SharedCopies() : found->second;
}

void QueueSet::set_copies_before(CUevent event, const gpu::SharedCopies &copies) {
  if (copies.empty() && event_copies_count_.load(std::memory_order_acquire) == 0)
    return;
  auto all = event_copies_.lock();
  if (copies.empty())
    all->erase(event);
  else
    (*all)[event] = copies;
  event_copies_count_.store(all->size(), std::memory_order_release);
}

// ---- Times

Result<void *> QueueSet::start_timing(const gpu::Caller &caller) {
  OMPTARGET_TRY_ASSIGN(Timing *const timing, timings_.take());
  Result<gpu::Stream *> stream = stream_for(caller);
  Status status =
      stream ? OMPTARGET_CU(cuEventRecord, timing->begin, as_stream(**stream).handle()) : stream.take_status();
  if (status)
    return static_cast<void *>(timing);
  timings_.give_back(timing);
  return status;
}

Status QueueSet::stop_timing(gpu::Stream &stream, void *timing) {
  return OMPTARGET_CU(cuEventRecord, static_cast<Timing *>(timing)->end, as_stream(stream).handle());
}

Result<gpu::Times> QueueSet::read_timing(void *handle) {
  auto *const timing = static_cast<Timing *>(handle);
  Result<gpu::Times> times = timings_.read(*timing);
  timings_.give_back(timing);
  return times;
}

// ---- What kernels print

// The driver writes text when somebody waits, also for another stream; a query or a process that ends does not count.
Status QueueSet::show_prints() {
  OMPTARGET_TRY_ASSIGN(gpu::Stream *const stream, take());
  Status status = OMPTARGET_CU(cuStreamSynchronize, as_stream(*stream).handle());
  give_back(*stream);
  return status;
}

// ---- The end

// All work is complete, or lost.
Status QueueSet::finish_all() {
  Status status;
  for (Stream *const stream : streams_.all()) {
    if (device_.fault().happened())
      stream->copies.drop(memory_.pinned());
    status.keep_first(finished(*stream));
  }
  event_copies_.lock()->clear();
  event_copies_count_.store(0, std::memory_order_relaxed);
  return status;
}

Status QueueSet::release_own() {
  Status status = timings_.release_all();
  for (CUevent event : events_.take_all())
    status.keep_first(OMPTARGET_CU(cuEventDestroy, event));
  for (Stream *const stream : streams_.take_all()) {
    status.keep_first(OMPTARGET_CU(cuStreamDestroy, stream->handle()));
    delete stream;
  }
  return status;
}

} // namespace omptarget::cuda
