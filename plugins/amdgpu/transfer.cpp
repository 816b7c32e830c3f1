// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a device: between host and device, between devices, and fills.

#include <algorithm>
#include <cstring>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/log.h"
#include "gpu/devices.h"

namespace omptarget::amdgpu {

namespace {
void *pointer(uint64_t address) { return reinterpret_cast<void *>(address); }

// Memory counted for a copy stays pinned until the copy is complete.
Attachments pinned(void *host, const PinnedView &view) {
  Attachments attachments;
  attachments.locked = view.is_counted ? host : nullptr;
  return attachments;
}
} // namespace

Status Device::start_copy(const Stream::Copy &copy, std::span<const hsa_signal_t> dependencies,
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

Result<void *> Device::take_block(Stream &stream, size_t size, Attachments &attachments) {
  OMPTARGET_TRY_ASSIGN(void *block, stream.room.take(memory_.blocks(), size));
  if (!block) {
    OMPTARGET_TRY_ASSIGN(block, memory_.allocate_block(size));
    attachments.block = block;
  }
  return block;
}

Status Device::submit_block(Stream &stream, uint64_t target, const void *bytes, size_t size) {
  Attachments attachments;
  OMPTARGET_TRY_ASSIGN(void *const block, take_block(stream, size, attachments));
  std::memcpy(block, bytes, size);
  return stream.copy({pointer(target), agent(), block, host_pools().agent, size}, std::move(attachments));
}

Status Device::submit_pageable(Stream &stream, uint64_t target, const void *host, size_t size, bool is_unsteady) {
  // Kernels may write host memory that is read here and now.
  if (kernels_use_host_memory() || is_unsteady)
    OMPTARGET_TRY(queues_.wait(stream));
  if (size <= memory_.most_block())
    return submit_block(stream, target, host, size);
  if (!is_unsteady && !staging().wants(size)) {
    void *mutable_host = const_cast<void *>(host);
    Result<void *> view = memory_.lock_range(mutable_host, size);
    if (view)
      return stream.copy({pointer(target), agent(), *view, host_pools().agent, size},
                         pinned(mutable_host, {*view, true}));
    OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copied in pieces: %s", view.status().to_string().c_str());
  }
  return staging().submit(stream, target, host, size);
}

Status Device::copy_in(gpu::Stream &handle, uint64_t target, const void *host, size_t size) {
  Stream &stream = static_cast<Stream &>(handle);
  if (!stream.copies.is_empty()) [[unlikely]]
    OMPTARGET_TRY(stream.settle(host, size));
  // Nothing queued before may write the source, so it is read at once.
  if (is_small(size) && !stream.may_write_host() && !kernels_use_host_memory())
    return submit_block(stream, target, host, size);
  void *mutable_host = const_cast<void *>(host);
  const PinnedView view = memory_.lock_if_pinned(mutable_host, size);
  if (view.device)
    return stream.copy({pointer(target), agent(), view.device, host_pools().agent, size}, pinned(mutable_host, view));
  return submit_pageable(stream, target, host, size, view.is_unsteady);
}

// ---- Device to host

// is_pageable: known to be out of kernels' reach. Otherwise that is found out when a kernel follows, which is rare.
Status Device::retrieve_block(Stream &stream, void *host, uint64_t target, size_t size, bool is_pageable) {
  Attachments attachments;
  OMPTARGET_TRY_ASSIGN(void *const block, take_block(stream, size, attachments));
  const bool is_kept = !attachments.block;
  Status status = stream.copy({block, host_pools().agent, pointer(target), agent(), size}, {});
  gpu::HostCopy copy{block, host, size, is_kept, is_pageable};
  if (!status) {
    copy.drop(memory_.blocks()).consume();
    return status;
  }
  stream.copies.add(copy);
  // Kernels may read and write what lies there.
  return kernels_use_host_memory() ? queues_.wait(stream) : Status::ok();
}

Status Device::retrieve_pageable(Stream &stream, void *host, uint64_t target, size_t size, bool is_unsteady) {
  if (size <= memory_.most_block())
    return retrieve_block(stream, host, target, size, !is_unsteady && !is_small(size));
  if (!is_unsteady && !staging().wants(size)) {
    Result<void *> view = memory_.lock_range(host, size);
    if (view) {
      stream.note_host_is_written();
      return stream.copy({*view, host_pools().agent, pointer(target), agent(), size}, pinned(host, {*view, true}));
    }
    OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copied in pieces: %s", view.status().to_string().c_str());
  }
  return staging().retrieve(stream, host, target, size);
}

Status Device::copy_out(gpu::Stream &handle, void *host, uint64_t target, size_t size) {
  Stream &stream = static_cast<Stream &>(handle);
  if (!stream.copies.is_empty()) [[unlikely]]
    OMPTARGET_TRY(stream.settle(host, size));
  if (is_small(size) && !kernels_use_host_memory() && !stream.is_interop)
    return retrieve_block(stream, host, target, size, false);
  const PinnedView view = memory_.lock_if_pinned(host, size);
  if (view.device) {
    stream.note_host_is_written();
    return stream.copy({view.device, host_pools().agent, pointer(target), agent(), size}, pinned(host, view));
  }
  return retrieve_pageable(stream, host, target, size, view.is_unsteady);
}

// ---- Fills and copies between devices

// Small ones are a copy of a block. The driver's fill works at once and on words, so that large ones wait for what came
// before, and the bytes before and behind the words are copied.
Status Device::fill_on(gpu::Stream &handle, uint64_t target, uint8_t value, size_t size) {
  Stream &stream = static_cast<Stream &>(handle);
  constexpr size_t kSmall = 64 << 10;
  constexpr size_t kWord = sizeof(uint32_t);
  const auto fill_small = [&](uint64_t at, size_t bytes) -> Status {
    if (bytes == 0)
      return Status::ok();
    Attachments attachments;
    OMPTARGET_TRY_ASSIGN(void *const block, take_block(stream, bytes, attachments));
    std::memset(block, value, bytes);
    return stream.copy({pointer(at), agent(), block, host_pools().agent, bytes}, std::move(attachments));
  };
  if (size <= kSmall)
    return fill_small(target, size);
  const size_t before = (kWord - target % kWord) % kWord;
  const size_t words = (size - before) / kWord;
  OMPTARGET_TRY(queues_.wait(stream));
  OMPTARGET_TRY(OMPTARGET_HSA(hsa_amd_memory_fill, pointer(target + before), value * 0x01010101u, words));
  OMPTARGET_TRY(fill_small(target, before));
  return fill_small(target + before + words * kWord, size - before - words * kWord);
}

bool Device::can_copy_to(const gpu::Device &to) const {
  const Device &other = static_cast<const Device &>(to);
  int access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return &other == this ||
         (OMPTARGET_HSA_RESULT(hsa_amd_agent_memory_pool_get_info, agent(), other.properties_.device_pool.handle,
                               HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access) == HSA_STATUS_SUCCESS &&
          access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
}

Status Device::connect(const DeviceCopy &copy) {
  Device &other = static_cast<Device &>(copy.other);
  OMPTARGET_TRY(memory_.share(pointer(copy.source), other.agent()));
  return other.memory_.share(pointer(copy.destination), agent());
}

Status Device::copy_between(gpu::Stream &handle, const DeviceCopy &copy) {
  Stream &stream = static_cast<Stream &>(handle);
  return stream.copy(
      {pointer(copy.destination), static_cast<Device &>(copy.other).agent(), pointer(copy.source), agent(), copy.size},
      {});
}

} // namespace omptarget::amdgpu
