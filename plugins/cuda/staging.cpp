// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/staging.h"

#include <algorithm>
#include <cstring>

#include "base/settings.h"
#include "cuda/driver.h"

namespace omptarget::cuda {

void Staging::init() {
  const int64_t value = setting_integer(SettingId::kStagingThreshold);
  threshold_ = value > 0 ? static_cast<size_t>(value) : 0;
}

// Makes what the buffer still lacks.
Status Staging::complete(Buffer &buffer) {
  if (!buffer.memory)
    OMPTARGET_TRY(OMPTARGET_CU(cuMemHostAlloc, &buffer.memory, kBufferSize, CU_MEMHOSTALLOC_PORTABLE));
  return buffer.event ? Status::ok() : OMPTARGET_CU(cuEventCreate, &buffer.event, CU_EVENT_DISABLE_TIMING);
}

Status Staging::wait(Buffer &buffer) {
  if (buffer.is_busy)
    OMPTARGET_TRY(OMPTARGET_CU(cuEventSynchronize, buffer.event));
  buffer.is_busy = false;
  return Status::ok();
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
    OMPTARGET_TRY_DURING(complete(*buffer), "while making a buffer for copies");
  return Status::ok();
}

void Staging::give_back(Buffers &buffers) {
  auto free = free_.lock();
  for (auto &buffer : buffers)
    free->push_back(std::move(buffer));
}

Status Staging::submit(CUstream stream, CUdeviceptr target, const void *host, size_t size) {
  Buffers buffers;
  Status status = take(buffers);
  if (status)
    status = submit_with(buffers, stream, target, static_cast<const char *>(host), size);
  give_back(buffers);
  return status;
}

Status Staging::submit_with(Buffers &buffers, CUstream stream, CUdeviceptr target, const char *host, size_t size) {
  for (size_t done = 0, turn = 0; done < size; ++turn) {
    Buffer &buffer = *buffers[turn % kBuffers];
    const size_t bytes = std::min(kBufferSize, size - done);
    OMPTARGET_TRY(wait(buffer));
    std::memcpy(buffer.memory, host + done, bytes);
    OMPTARGET_TRY(OMPTARGET_CU(cuMemcpyHtoDAsync, target + done, buffer.memory, bytes, stream));
    buffer.is_busy = true;
    OMPTARGET_TRY(OMPTARGET_CU(cuEventRecord, buffer.event, stream));
    done += bytes;
  }
  return Status::ok();
}

Status Staging::retrieve(CUstream stream, void *host, CUdeviceptr target, size_t size) {
  Buffers buffers;
  Status status = take(buffers);
  if (status)
    status = retrieve_with(buffers, stream, static_cast<char *>(host), target, size);
  give_back(buffers);
  return status;
}

// Piece n is on its way while piece n - 1 is copied out.
Status Staging::retrieve_with(Buffers &buffers, CUstream stream, char *host, CUdeviceptr target, size_t size) {
  const size_t pieces = (size + kBufferSize - 1) / kBufferSize;
  const auto bytes_of = [size](size_t piece) { return std::min(kBufferSize, size - piece * kBufferSize); };
  for (size_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      Buffer &buffer = *buffers[piece % kBuffers];
      OMPTARGET_TRY(wait(buffer));
      OMPTARGET_TRY(
          OMPTARGET_CU(cuMemcpyDtoHAsync, buffer.memory, target + piece * kBufferSize, bytes_of(piece), stream));
      buffer.is_busy = true;
      OMPTARGET_TRY(OMPTARGET_CU(cuEventRecord, buffer.event, stream));
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
  for (auto &buffer : buffers) {
    if (buffer->event)
      if (Status one = OMPTARGET_CU(cuEventDestroy, buffer->event); !one && status)
        status = std::move(one);
    if (buffer->memory)
      if (Status one = OMPTARGET_CU(cuMemFreeHost, buffer->memory); !one && status)
        status = std::move(one);
  }
  return status;
}

} // namespace omptarget::cuda
