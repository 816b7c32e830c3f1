// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/queue.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/device.h"

namespace omptarget::gpu {

Result<Stream *> QueueSet::take_for(const Caller &caller) {
  OMPTARGET_TRY_ASSIGN(Stream *const stream, take());
  if (caller.async)
    caller.async->Queue = stream;
  return &used_by(caller, *stream);
}

Stream &QueueSet::find_stream(void *queue) {
  auto interop = interop_.lock();
  const auto found = interop->find(queue);
  return found == interop->end() ? *static_cast<Stream *>(queue) : *found->second;
}

Status QueueSet::lost(Stream &stream, Status status) {
  abandon(stream);
  device_.show_last_prints();
  device_.services().completed(&stream);
  return std::move(status).during(format("while waiting for a queue of device %d", device_.number()));
}

// Drivers wait by looking at the device again and again, which leaves a server on the same CPU no time. So this thread
// serves, too: at once again after something was asked, later and later while nothing is.
Status QueueSet::finish_serving(Stream &stream) {
  constexpr uint32_t kBusyRounds = 512;
  constexpr int64_t kMostMicroseconds = 100;
  for (uint32_t idle = 0; device_.services().has_kernels();) {
    OMPTARGET_TRY_ASSIGN(const bool is_empty, is_finished(stream));
    if (is_empty)
      break;
    idle = device_.services().serve_while_waiting() ? 0 : idle + 1;
    if (idle < kBusyRounds)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(
          std::chrono::microseconds(std::min<int64_t>(1 + (idle - kBusyRounds) / 16, kMostMicroseconds)));
  }
  return finish(stream);
}

[[gnu::always_inline]] inline Status QueueSet::finish_or_serve(Stream &stream) {
  if (device_.services().has_kernels() && !sleeps_in_finish()) [[unlikely]]
    return finish_serving(stream);
  return finish(stream);
}

[[gnu::always_inline]] inline Status QueueSet::emptied(Stream &stream) {
  if (stream.has_kernels) {
    stream.has_kernels = false;
    device_.launches().completed(&stream);
    device_.services().completed(&stream);
  }
  if (!stream.has_leftovers)
    return Status::ok();
  stream.has_leftovers = false;
  return finished(stream);
}

Status QueueSet::wait(Stream &stream) {
  if (Status status = finish_or_serve(stream); !status)
    return lost(stream, std::move(status));
  return emptied(stream);
}

Status QueueSet::completed(__tgt_async_info &async, Stream &stream) {
  Status status = emptied(stream);
  if (stream.is_interop)
    return status;
  async.Queue = nullptr;
  rest(stream);
  return status;
}

Status QueueSet::synchronize(const Caller &caller) {
  if (!caller.async->Queue)
    return Status::ok();
  Stream &stream = used_by(caller, stream_at(caller.async->Queue));
  if (Status status = finish_or_serve(stream); !status) {
    caller.async->Queue = nullptr;
    return lost(stream, std::move(status));
  }
  return completed(*caller.async, stream);
}

Result<bool> QueueSet::query(const Caller &caller) {
  if (!caller.async->Queue)
    return true;
  Stream &stream = used_by(caller, stream_at(caller.async->Queue));
  Result<bool> is_complete = is_finished(stream);
  if (!is_complete) {
    caller.async->Queue = nullptr;
    return lost(stream, is_complete.take_status());
  }
  if (*is_complete)
    OMPTARGET_TRY(completed(*caller.async, stream));
  else if (device_.services().has_kernels()) [[unlikely]]
    device_.services().serve_while_waiting();
  return is_complete;
}

// ---- Interop

Result<__tgt_async_info *> QueueSet::create_info() {
  OMPTARGET_TRY_ASSIGN(Stream *const stream, take_for_interop());
  stream->thread = nullptr;
  stream->is_interop = true;
  (*interop_.lock())[stream->native] = stream;
  interop_count_.fetch_add(1, std::memory_order_release);
  return new __tgt_async_info{stream->native};
}

Status QueueSet::release_info(__tgt_async_info *info) {
  Stream *stream = nullptr;
  {
    auto interop = interop_.lock();
    if (const auto found = interop->find(info ? info->Queue : nullptr); found != interop->end()) {
      stream = found->second;
      interop->erase(found);
    }
  }
  if (!stream)
    return Status::error(format("%p is no queue that was made for interop", static_cast<void *>(info)));
  interop_count_.fetch_sub(1, std::memory_order_relaxed);
  info->Queue = stream;
  Status status = synchronize(info);
  stream->is_interop = false;
  if (info->Queue) // otherwise it is lost
    give_back(*stream);
  delete info;
  return status;
}

Result<std::unique_ptr<EnvironmentBlock>> QueueSet::take_environment(const EnvironmentNeed &need) {
  if (std::unique_ptr<EnvironmentBlock> block = take_serving(*environments_.lock(), need))
    return block;
  OMPTARGET_TRY_ASSIGN(const uint64_t memory,
                       device_.memory().allocate_device(EnvironmentBlock::kBufferOffset + need.size()));
  return std::make_unique<EnvironmentBlock>(memory, need);
}

Status QueueSet::release_environments() {
  Status status;
  EnvironmentBlocks blocks;
  blocks.swap(*environments_.lock());
  for (const auto &block : blocks)
    status.keep_first(device_.memory().release_device(block->memory));
  return status;
}

Status QueueSet::release_all() {
  interop_.lock()->clear();
  interop_count_.store(0, std::memory_order_relaxed);
  if (Stream *const stream = resting_.exchange(nullptr, std::memory_order_acquire))
    give_back(*stream);
  Status status = finish_all();
  status.keep_first(release_environments());
  status.keep_first(release_own());
  return status;
}

} // namespace omptarget::gpu
