// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/staging.h"

#include <algorithm>
#include <cstring>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/settings.h"

namespace omptarget::amdgpu {

void Staging::init() { threshold_ = static_cast<size_t>(setting_in(SettingId::kStagingThreshold, 0, INT64_MAX)); }

Status Staging::wait(Buffer &buffer) {
  const SignalRef signal = std::move(buffer.signal);
  buffer.signal = SignalRef();
  return signal ? device_.signals().wait(signal) : Status::ok();
}

Status Staging::take(Buffers &buffers) {
  {
    auto free = free_.lock();
    while (!free->empty() && buffers.size() < kBuffers) {
      buffers.push_back(std::move(free->back()));
      free->pop_back();
    }
  }
  while (buffers.size() < kBuffers)
    buffers.push_back(std::make_unique<Buffer>());
  for (auto &buffer : buffers)
    if (!buffer->memory) {
      OMPTARGET_TRY_ASSIGN(buffer->memory, device_.memory().allocate_block(kBufferSize));
    }
  return Status::ok();
}

void Staging::give_back(Buffers &buffers) {
  auto free = free_.lock();
  for (auto &buffer : buffers)
    free->push_back(std::move(buffer));
}

Status Staging::submit(Stream &stream, uint64_t target, const void *host, size_t size) {
  Buffers buffers;
  Status status = take(buffers);
  if (status)
    status = submit_with(buffers, stream, target, static_cast<const char *>(host), size);
  give_back(buffers);
  return status;
}

Status Staging::submit_with(Buffers &buffers, Stream &stream, uint64_t target, const char *host, size_t size) {
  const hsa_agent_t agent = device_.agent();
  const hsa_agent_t cpu = host_pools().agent;
  for (size_t done = 0, turn = 0; done < size; ++turn) {
    Buffer &buffer = *buffers[turn % kBuffers];
    const size_t bytes = std::min(kBufferSize, size - done);
    OMPTARGET_TRY(wait(buffer));
    std::memcpy(buffer.memory, host + done, bytes);
    OMPTARGET_TRY(stream.copy({reinterpret_cast<void *>(target + done), agent, buffer.memory, cpu, bytes}, {}));
    buffer.signal = stream.last();
    done += bytes;
  }
  return Status::ok();
}

Status Staging::retrieve(Stream &stream, void *host, uint64_t target, size_t size) {
  Buffers buffers;
  Status status = take(buffers);
  if (status)
    status = retrieve_with(buffers, stream, static_cast<char *>(host), target, size);
  give_back(buffers);
  return status;
}

// Piece n is on its way while piece n - 1 is copied out.
Status Staging::retrieve_with(Buffers &buffers, Stream &stream, char *host, uint64_t target, size_t size) {
  const hsa_agent_t agent = device_.agent();
  const hsa_agent_t cpu = host_pools().agent;
  const size_t pieces = (size + kBufferSize - 1) / kBufferSize;
  const auto bytes_of = [size](size_t piece) { return std::min(kBufferSize, size - piece * kBufferSize); };
  for (size_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      Buffer &buffer = *buffers[piece % kBuffers];
      OMPTARGET_TRY(wait(buffer));
      const void *source = reinterpret_cast<const void *>(target + piece * kBufferSize);
      OMPTARGET_TRY(stream.copy({buffer.memory, cpu, source, agent, bytes_of(piece)}, {}));
      buffer.signal = stream.last();
    }
    if (piece > 0) {
      Buffer &buffer = *buffers[(piece - 1) % kBuffers];
      OMPTARGET_TRY(wait(buffer));
      std::memcpy(host + (piece - 1) * kBufferSize, buffer.memory, bytes_of(piece - 1));
    }
  }
  return Status::ok();
}

Status Staging::release_all() {
  Status status;
  Buffers buffers;
  buffers.swap(*free_.lock());
  for (auto &buffer : buffers)
    if (buffer->memory)
      if (Status one = device_.memory().release_block(buffer->memory); !one && status)
        status = std::move(one);
  return status;
}

} // namespace omptarget::amdgpu
