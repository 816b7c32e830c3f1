// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/queue.h"

#include <algorithm>

#include "base/log.h"
#include "base/settings.h"
#include "cuda/device.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

namespace {

int64_t initial_count(SettingId id) {
  constexpr int64_t kMost = 1024;
  const int64_t value = setting_integer(id);
  if (value >= 0 && value <= kMost)
    return value;
  warn_about_setting(id, format("%lld is not between 0 and 1024; 1 is used", static_cast<long long>(value)));
  return 1;
}

} // namespace

Status QueueSet::init() {
  for (int64_t i = initial_count(SettingId::kNumInitialStreams); i > 0; --i) {
    OMPTARGET_TRY_ASSIGN(CUstream stream, create_stream());
    streams_.give_back(stream);
  }
  for (int64_t i = initial_count(SettingId::kNumInitialEvents); i > 0; --i) {
    OMPTARGET_TRY_ASSIGN(CUevent event, create_new_event());
    events_.give_back(event);
  }
  return Status::ok();
}

Result<CUstream> QueueSet::create_stream() {
  CUstream stream = nullptr;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING), "while creating a queue");
  all_streams_.lock()->push_back(stream);
  return stream;
}

Result<CUevent> QueueSet::create_new_event() {
  CUevent event = nullptr;
  OMPTARGET_TRY_DURING(OMPTARGET_CU(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING), "while creating an event");
  all_events_.lock()->push_back(event);
  return event;
}

Result<CUstream> QueueSet::take() {
  if (CUstream stream = streams_.take())
    return stream;
  return create_stream();
}

void QueueSet::give_back(CUstream stream) { streams_.give_back(stream); }

Result<CUstream> QueueSet::stream_of(__tgt_async_info &async) {
  if (!async.Queue) {
    OMPTARGET_TRY_ASSIGN(CUstream stream, take());
    async.Queue = stream;
  }
  return static_cast<CUstream>(async.Queue);
}

Status QueueSet::wait(CUstream stream) {
  Status status = OMPTARGET_CU(cuStreamSynchronize, stream);
  if (!status) {
    settle();
    return std::move(status).during(format("while waiting for a queue of device %d", device_.number()));
  }
  completed(stream);
  return status;
}

void QueueSet::settle() {
  if (!device_.fault().happened())
    OMPTARGET_CU(cuCtxSynchronize).consume();
}

bool QueueSet::completed(CUstream stream) {
  device_.launches().completed(stream);
  if (extras_count_.load(std::memory_order_acquire) == 0)
    return false;
  auto extras = extras_.lock();
  const auto found = extras->streams.find(stream);
  if (found == extras->streams.end())
    return false;
  for (auto &block : found->second.blocks)
    extras->free_blocks.push_back(std::move(block));
  found->second.blocks.clear();
  if (found->second.is_interop)
    return true;
  extras->streams.erase(found);
  extras_count_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

Status QueueSet::synchronize(__tgt_async_info &async) {
  const CUstream stream = static_cast<CUstream>(async.Queue);
  if (!stream)
    return Status::ok();
  Status status = OMPTARGET_CU(cuStreamSynchronize, stream);
  if (!status) {
    async.Queue = nullptr; // the stream is not used again
    settle();
    return std::move(status).during(format("while waiting for a queue of device %d", device_.number()));
  }
  if (!completed(stream)) {
    async.Queue = nullptr;
    give_back(stream);
  }
  return status;
}

Result<bool> QueueSet::query(__tgt_async_info &async) {
  const CUstream stream = static_cast<CUstream>(async.Queue);
  if (!stream)
    return true;
  const CUresult result = OMPTARGET_CU_RESULT(cuStreamQuery, stream);
  if (result == CUDA_ERROR_NOT_READY)
    return false;
  if (result != CUDA_SUCCESS) {
    async.Queue = nullptr;
    Status status = check_call("cuStreamQuery", result);
    settle();
    return status;
  }
  if (!completed(stream)) {
    async.Queue = nullptr;
    give_back(stream);
  }
  return true;
}

Result<__tgt_async_info *> QueueSet::create_info() {
  OMPTARGET_TRY_ASSIGN(CUstream stream, take());
  extras_.lock()->streams[stream].is_interop = true;
  extras_count_.fetch_add(1, std::memory_order_release);
  return new __tgt_async_info{stream};
}

Status QueueSet::release_info(__tgt_async_info *info) {
  const CUstream stream = static_cast<CUstream>(info->Queue);
  {
    auto extras = extras_.lock();
    const auto found = extras->streams.find(stream);
    if (found == extras->streams.end() || !found->second.is_interop)
      return Status::error(format("%p is no queue that was made for interop", static_cast<void *>(info)));
    found->second.is_interop = false;
  }
  Status status = synchronize(*info);
  delete info;
  return status;
}

Result<CUevent> QueueSet::create_event() {
  if (CUevent event = events_.take())
    return event;
  return create_new_event();
}

// A block that this very stream uses already serves again: launches of one stream follow one another.
std::unique_ptr<ReductionBlock> QueueSet::take_block(CUstream stream, uint64_t size) {
  auto extras = extras_.lock();
  const auto found = extras->streams.find(stream);
  std::vector<std::unique_ptr<ReductionBlock>> &blocks =
      found != extras->streams.end() && !found->second.blocks.empty() ? found->second.blocks : extras->free_blocks;
  for (auto *candidates : {&blocks, &extras->free_blocks}) {
    const auto fits = std::find_if(candidates->begin(), candidates->end(),
                                   [size](const auto &block) { return block->size >= size; });
    if (fits == candidates->end())
      continue;
    std::unique_ptr<ReductionBlock> block = std::move(*fits);
    candidates->erase(fits);
    return block;
  }
  return nullptr;
}

Result<CUdeviceptr> QueueSet::reduction_environment(CUstream stream, uint64_t buffer_size) {
  std::unique_ptr<ReductionBlock> block = take_block(stream, buffer_size);
  if (!block) {
    OMPTARGET_TRY_ASSIGN(const CUdeviceptr memory,
                         device_.memory().allocate_device(ReductionBlock::kBufferOffset + buffer_size));
    block = std::make_unique<ReductionBlock>(
        ReductionBlock{memory, buffer_size, {0, 0, memory + ReductionBlock::kBufferOffset}});
  }
  Status status = OMPTARGET_CU(cuMemcpyHtoDAsync, block->memory, &block->initial, sizeof(block->initial), stream);
  const CUdeviceptr environment = block->memory;
  auto extras = extras_.lock();
  const auto [extra, is_new] = extras->streams.try_emplace(stream);
  extra->second.blocks.push_back(std::move(block));
  if (is_new)
    extras_count_.fetch_add(1, std::memory_order_release);
  OMPTARGET_TRY_DURING(std::move(status), "while preparing a launch environment");
  return environment;
}

Status QueueSet::release_all() {
  Status status;
  const auto keep_first = [&status](Status one) {
    if (!one && status)
      status = std::move(one);
  };
  streams_.take_all();
  events_.take_all();
  Extras extras;
  std::swap(extras, *extras_.lock());
  extras_count_.store(0, std::memory_order_relaxed);
  for (auto &[stream, extra] : extras.streams)
    for (auto &block : extra.blocks)
      extras.free_blocks.push_back(std::move(block));
  for (const auto &block : extras.free_blocks)
    keep_first(device_.memory().release_device(block->memory));
  std::vector<CUevent> events;
  events.swap(*all_events_.lock());
  for (CUevent event : events)
    keep_first(OMPTARGET_CU(cuEventDestroy, event));
  std::vector<CUstream> streams;
  streams.swap(*all_streams_.lock());
  for (CUstream stream : streams)
    keep_first(OMPTARGET_CU(cuStreamDestroy, stream));
  return status;
}

} // namespace omptarget::cuda
