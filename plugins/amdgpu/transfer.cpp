// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a device: between host and device, between devices, and fills.

#include <algorithm>
#include <cstring>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/log.h"

namespace omptarget::amdgpu {

namespace {
void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

// What was counted for a copy stays pinned until it is complete.
Attachments pinned(void *host, const PinnedView &view) {
  Attachments attachments;
  attachments.locked = view.is_counted ? host : nullptr;
  return attachments;
}
} // namespace

Status Device::on_own_stream(const std::function<Status(Stream &)> &operation) {
  OMPTARGET_TRY_ASSIGN(Stream * stream, queues_.take());
  Status status = operation(*stream);
  // Waits after a failure as well: what came before it uses the caller's memory.
  Status waited = queues_.wait(stream);
  if (waited)
    queues_.give_back(stream);
  return status ? std::move(waited) : std::move(status);
}

Status Device::on_stream(__tgt_async_info *async, const std::function<Status(Stream &)> &operation) {
  if (!async)
    return on_own_stream(operation);
  OMPTARGET_TRY_ASSIGN(Stream * stream, queues_.stream_of(*async));
  return operation(*stream);
}

Status Device::start_copy(const Stream::Copy &copy, const std::vector<hsa_signal_t> &dependencies,
                          hsa_signal_t completion) {
  const uint32_t count = static_cast<uint32_t>(dependencies.size());
  const hsa_signal_t *signals = count == 0 ? nullptr : dependencies.data();
  if (!uses_two_engines_)
    return OMPTARGET_HSA(hsa_amd_memory_async_copy, copy.destination, copy.destination_agent, copy.source,
                         copy.source_agent, copy.size, count, signals, completion);
  const int engine = next_engine_.fetch_add(1, std::memory_order_relaxed) % 2 == 0 ? kSdmaEngine0 : kSdmaEngine1;
  return OMPTARGET_HSA(hsa_amd_memory_async_copy_on_engine, copy.destination, copy.destination_agent, copy.source,
                       copy.source_agent, copy.size, count, signals, completion, engine, true);
}

// ---- Host to device

Status Device::submit_block(Stream &stream, uint64_t target, const void *bytes, size_t size) {
  OMPTARGET_TRY_ASSIGN(void *block, memory_.allocate_block(size));
  std::memcpy(block, bytes, size);
  Attachments attachments;
  attachments.block = block;
  return stream.copy({pointer(target), agent(), block, host_pools().agent, size}, std::move(attachments));
}

Status Device::submit_pageable(Stream &stream, uint64_t target, const void *host, size_t size) {
  // Kernels may write host memory that is read here and now.
  if (uses_unified_shared_memory() || uses_zero_copy())
    OMPTARGET_TRY(queues_.wait(&stream));
  if (size <= memory_.most_block())
    return submit_block(stream, target, host, size);
  if (!staging_.wants(size)) {
    void *mutable_host = const_cast<void *>(host);
    Result<void *> view = memory_.lock_range(mutable_host, size);
    if (view)
      return stream.copy({pointer(target), agent(), *view, host_pools().agent, size},
                         pinned(mutable_host, {*view, true}));
    OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copied in pieces: %s", view.status().to_string().c_str());
  }
  return staging_.submit(stream, target, host, size);
}

Status Device::submit_on(Stream &stream, uint64_t target, const void *host, size_t size) {
  OMPTARGET_TRY(stream.settle(host, size));
  void *mutable_host = const_cast<void *>(host);
  if (const PinnedView view = memory_.lock_if_pinned(mutable_host, size); view.device)
    return stream.copy({pointer(target), agent(), view.device, host_pools().agent, size}, pinned(mutable_host, view));
  return submit_pageable(stream, target, host, size);
}

Status Device::submit(uint64_t target, const void *host, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copy %zu bytes from host %p to device %#llx%s", size, host,
                         static_cast<unsigned long long>(target), async ? "" : ", waiting");
  return on_stream(async, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(submit_on(stream, target, host, size), "while copying %zu bytes from host %p to device %#llx",
                         size, host, static_cast<unsigned long long>(target));
    return Status::ok();
  });
}

// ---- Device to host

Status Device::retrieve_pageable(Stream &stream, void *host, uint64_t target, size_t size) {
  const hsa_agent_t cpu = host_pools().agent;
  if (size <= memory_.most_block()) {
    OMPTARGET_TRY_ASSIGN(void *block, memory_.allocate_block(size));
    OMPTARGET_TRY(stream.copy_out({block, cpu, pointer(target), agent(), size}, block, host));
    // Kernels may read and write what lies there.
    return uses_unified_shared_memory() || uses_zero_copy() ? queues_.wait(&stream) : Status::ok();
  }
  if (!staging_.wants(size)) {
    Result<void *> view = memory_.lock_range(host, size);
    if (view)
      return stream.copy({*view, cpu, pointer(target), agent(), size}, pinned(host, {*view, true}));
    OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copied in pieces: %s", view.status().to_string().c_str());
  }
  return staging_.retrieve(stream, host, target, size);
}

Status Device::retrieve_on(Stream &stream, void *host, uint64_t target, size_t size) {
  OMPTARGET_TRY(stream.settle(host, size));
  if (const PinnedView view = memory_.lock_if_pinned(host, size); view.device)
    return stream.copy({view.device, host_pools().agent, pointer(target), agent(), size}, pinned(host, view));
  return retrieve_pageable(stream, host, target, size);
}

Status Device::retrieve(void *host, uint64_t target, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copy %zu bytes from device %#llx to host %p%s", size,
                         static_cast<unsigned long long>(target), host, async ? "" : ", waiting");
  return on_stream(async, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(retrieve_on(stream, host, target, size),
                         "while copying %zu bytes from device %#llx to host %p", size,
                         static_cast<unsigned long long>(target), host);
    return Status::ok();
  });
}

// ---- Fills and copies between devices

// Small ones are a copy of a block. The driver's fill works at once and on words, so that large ones wait for what came
// before, and the bytes before and behind the words are copied.
Status Device::fill_on(Stream &stream, uint64_t target, uint8_t value, size_t size) {
  constexpr size_t kSmall = 64 << 10;
  constexpr size_t kWord = sizeof(uint32_t);
  const auto fill_small = [&](uint64_t at, size_t bytes) -> Status {
    if (bytes == 0)
      return Status::ok();
    OMPTARGET_TRY_ASSIGN(void *block, memory_.allocate_block(bytes));
    std::memset(block, value, bytes);
    Attachments attachments;
    attachments.block = block;
    return stream.copy({pointer(at), agent(), block, host_pools().agent, bytes}, std::move(attachments));
  };
  if (size <= kSmall)
    return fill_small(target, size);
  const size_t before = (kWord - target % kWord) % kWord;
  const size_t words = (size - before) / kWord;
  OMPTARGET_TRY(queues_.wait(&stream));
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_memory_fill, pointer(target + before), value * 0x01010101u, words));
  OMPTARGET_TRY(fill_small(target, before));
  return fill_small(target + before + words * kWord, size - before - words * kWord);
}

Status Device::fill(uint64_t target, uint8_t value, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  return on_stream(async, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(fill_on(stream, target, value, size), "while filling %zu bytes at device %#llx", size,
                         static_cast<unsigned long long>(target));
    return Status::ok();
  });
}

bool Device::can_copy_to(const Device &other) const {
  int access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return &other == this ||
         (OMPTARGET_HSA_RESULT(hsa_amd_agent_memory_pool_get_info, agent(), other.properties_.device_pool.handle,
                               HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access) == HSA_STATUS_SUCCESS &&
          access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
}

Status Device::copy_to(Device &other, uint64_t destination, uint64_t source, size_t size, __tgt_async_info *async) {
  if (size == 0)
    return Status::ok();
  if (&other != this) {
    OMPTARGET_TRY_DURING(memory_.share(pointer(source)), "while giving device %d access to memory of device %d",
                         other.number(), number());
    OMPTARGET_TRY_DURING(memory_.share(pointer(destination)), "while giving device %d access to memory of device %d",
                         number(), other.number());
  }
  return on_stream(async, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(stream.copy({pointer(destination), other.agent(), pointer(source), agent(), size}, {}),
                         "while copying %zu bytes from %#llx on device %d to %#llx on device %d", size,
                         static_cast<unsigned long long>(source), number(),
                         static_cast<unsigned long long>(destination), other.number());
    return Status::ok();
  });
}

Status Device::launch(const Launch &launch, __tgt_async_info *async) {
  return on_stream(async, [&](Stream &stream) { return launch_on(stream, launch); });
}

} // namespace omptarget::amdgpu
