// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/queue.h"

#include "base/settings.h"
#include "cuda/device.h"
#include "cuda/driver.h"
#include "cuda/memory.h"

namespace omptarget::cuda {

namespace {

CUstream as_stream(void *handle) { return static_cast<CUstream>(handle); }

Result<CUstream> make_stream() {
  CUstream stream = nullptr;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING), "while creating a queue");
  return stream;
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

Result<void *> QueueSet::take() {
  OMPTARGET_TRY_ASSIGN(void *stream, streams_.take_or(make_stream));
  return stream;
}

void QueueSet::give_back(void *stream) { streams_.give_back(as_stream(stream)); }

Status QueueSet::finish(void *stream) { return OMPTARGET_CU(cuStreamSynchronize, as_stream(stream)); }

bool QueueSet::sleeps_in_finish() const { return waits_by_sleeping(); }

Result<bool> QueueSet::is_finished(void *stream) {
  const CUresult result = OMPTARGET_CU_RESULT(cuStreamQuery, as_stream(stream));
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  OMPTARGET_TRY(gpu::check_call("cuStreamQuery", result, call_failure));
  return true;
}

// Waits for everything, since work that is still under way uses memory that its owner gives up when told of the failure.
// After a fault of a kernel nothing is under way.
void QueueSet::abandon(void *stream) {
  if (!device_.fault().happened())
    OMPTARGET_CU(cuCtxSynchronize).consume();
  for (const auto &copy : copies_.take(as_stream(stream)))
    copy->drop().consume();
}

// ---- Copies to pageable memory

Status QueueSet::copy_out(CUstream stream, void *host, uint64_t target, size_t size) {
  OMPTARGET_TRY_ASSIGN(void *block, memory_.allocate_pinned(size));
  if (Status status = OMPTARGET_CU(cuMemcpyDtoHAsync, block, target, size, stream); !status) {
    memory_.release_pinned(block).consume();
    return status;
  }
  copies_.add(stream, std::make_shared<HostCopy>(memory_, block, host, size));
  return Status::ok();
}

Status QueueSet::settle(CUstream stream, const void *host, size_t size) {
  if (!copies_.overlaps(stream, host, size))
    return Status::ok();
  OMPTARGET_TRY(finish(stream));
  return cuda::finish(copies_.take(stream));
}

// ---- What else belongs to a stream

QueueSet::Extra &QueueSet::extra_of(Extras &extras, CUstream stream) {
  const auto [extra, is_new] = extras.try_emplace(stream);
  if (is_new)
    extras_count_.fetch_add(1, std::memory_order_release);
  return extra->second;
}

Status QueueSet::finished(void *stream) {
  Status status = cuda::finish(copies_.take(as_stream(stream)));
  if (extras_count_.load(std::memory_order_acquire) == 0)
    return status;
  auto extras = extras_.lock();
  const auto found = extras->find(as_stream(stream));
  if (found == extras->end())
    return status;
  for (auto &block : found->second.blocks)
    give_back_environment(std::move(block));
  found->second.blocks.clear();
  if (found->second.is_interop)
    return status;
  extras->erase(found);
  extras_count_.fetch_sub(1, std::memory_order_relaxed);
  return status;
}

bool QueueSet::is_interop(void *stream) {
  if (extras_count_.load(std::memory_order_acquire) == 0)
    return false;
  auto extras = extras_.lock();
  const auto found = extras->find(as_stream(stream));
  return found != extras->end() && found->second.is_interop;
}

void QueueSet::set_interop(void *stream, bool is_interop) {
  auto extras = extras_.lock();
  extra_of(*extras, as_stream(stream)).is_interop = is_interop;
}

// A block that this very stream uses already serves again: launches of one stream follow one another.
Result<std::unique_ptr<gpu::EnvironmentBlock>> QueueSet::take_block(CUstream stream, const gpu::EnvironmentNeed &need) {
  {
    auto extras = extras_.lock();
    if (const auto found = extras->find(stream); found != extras->end())
      if (std::unique_ptr<gpu::EnvironmentBlock> block = gpu::take_serving(found->second.blocks, need))
        return block;
  }
  return take_environment(need);
}

Result<uint64_t> QueueSet::launch_environment(CUstream stream, const gpu::EnvironmentNeed &need) {
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<gpu::EnvironmentBlock> block, take_block(stream, need));
  Status status;
  if (!block->is_written)
    status = OMPTARGET_CU(cuMemcpyHtoDAsync, block->memory, block->initial.data(), block->initial_size, stream);
  block->is_written = status.is_ok();
  const uint64_t environment = block->memory;
  auto extras = extras_.lock();
  extra_of(*extras, stream).blocks.push_back(std::move(block));
  OMPTARGET_TRY_DURING(std::move(status), "while preparing a launch environment");
  return environment;
}

// ---- Events

Result<void *> QueueSet::create_event() {
  OMPTARGET_TRY_ASSIGN(void *event, events_.take_or(make_event));
  return event;
}

void QueueSet::destroy_event(void *event) {
  copies_.forget(static_cast<CUevent>(event));
  events_.give_back(static_cast<CUevent>(event));
}

Status QueueSet::record(void *event, void *stream) {
  OMPTARGET_TRY(OMPTARGET_CU(cuEventRecord, static_cast<CUevent>(event), as_stream(stream)));
  copies_.record(static_cast<CUevent>(event), as_stream(stream));
  return Status::ok();
}

Status QueueSet::wait_for(void *event, void *stream) {
  OMPTARGET_TRY(OMPTARGET_CU(cuStreamWaitEvent, as_stream(stream), static_cast<CUevent>(event), 0));
  copies_.wait_for(static_cast<CUevent>(event), as_stream(stream));
  return Status::ok();
}

Status QueueSet::wait_for(void *event) {
  OMPTARGET_TRY(OMPTARGET_CU(cuEventSynchronize, static_cast<CUevent>(event)));
  return cuda::finish(copies_.before(static_cast<CUevent>(event)));
}

// ---- Times

Result<void *> QueueSet::start_timing(__tgt_async_info &async) {
  OMPTARGET_TRY_ASSIGN(Timing *const timing, timings_.take());
  Result<void *> stream = stream_of(async);
  Status status = stream ? OMPTARGET_CU(cuEventRecord, timing->begin, as_stream(*stream)) : stream.take_status();
  if (status)
    return static_cast<void *>(timing);
  timings_.give_back(timing);
  return status;
}

Status QueueSet::stop_timing(void *stream, void *timing) {
  return OMPTARGET_CU(cuEventRecord, static_cast<Timing *>(timing)->end, as_stream(stream));
}

Result<gpu::Times> QueueSet::read_timing(void *handle) {
  auto *const timing = static_cast<Timing *>(handle);
  Result<gpu::Times> times = timings_.read(*timing);
  timings_.give_back(timing);
  return times;
}

// ---- The end

// All work is complete, or lost.
Status QueueSet::finish_all() {
  Status status;
  for (const auto &copy : copies_.take_all())
    status.keep_first(device_.fault().happened() ? copy->drop() : copy->finish());
  Extras extras;
  extras.swap(*extras_.lock());
  extras_count_.store(0, std::memory_order_relaxed);
  for (auto &[stream, extra] : extras)
    for (auto &block : extra.blocks)
      give_back_environment(std::move(block));
  return status;
}

Status QueueSet::release_own() {
  Status status = timings_.release_all();
  for (CUevent event : events_.take_all())
    status.keep_first(OMPTARGET_CU(cuEventDestroy, event));
  for (CUstream stream : streams_.take_all())
    status.keep_first(OMPTARGET_CU(cuStreamDestroy, stream));
  return status;
}

} // namespace omptarget::cuda
