// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/staging.h"

#include <algorithm>
#include <cstring>

#include "base/settings.h"
#include "gpu/device.h"

namespace omptarget::gpu {

/// Buffers for one copy; they go back when it ends, however it ends.
class Staging::Lease {
public:
  explicit Lease(Staging &staging) : staging_(staging) {}
  ~Lease() {
    auto free = staging_.free_.lock();
    for (auto &buffer : buffers_)
      free->push_back(std::move(buffer));
  }
  Lease(const Lease &) = delete;
  Lease &operator=(const Lease &) = delete;
  Status take() { return staging_.take(buffers_); }
  /// The buffer of a piece.
  StagingBuffer &of(size_t piece) { return *buffers_[piece % kBuffers]; }

private:
  Staging &staging_;
  Buffers buffers_;
};

void Staging::init() { threshold_ = static_cast<size_t>(setting_in(SettingId::kStagingThreshold, 0, INT64_MAX)); }

Status Staging::take(Buffers &buffers) {
  {
    auto free = free_.lock();
    while (!free->empty() && buffers.size() < kBuffers) {
      buffers.push_back(std::move(free->back()));
      free->pop_back();
    }
  }
  while (buffers.size() < kBuffers)
    buffers.push_back(device_.make_staging_buffer());
  for (auto &buffer : buffers)
    OMPTARGET_TRY_DURING(buffer->prepare(kBufferSize), "while making a buffer for copies");
  return Status::ok();
}

Status Staging::submit(Stream &stream, uint64_t target, const void *host, size_t size) {
  Lease buffers(*this);
  OMPTARGET_TRY(buffers.take());
  for (size_t done = 0, piece = 0; done < size; ++piece) {
    StagingBuffer &buffer = buffers.of(piece);
    const size_t bytes = std::min(kBufferSize, size - done);
    OMPTARGET_TRY(buffer.wait());
    std::memcpy(buffer.memory(), static_cast<const char *>(host) + done, bytes);
    OMPTARGET_TRY(buffer.copy_to(stream, target + done, bytes));
    done += bytes;
  }
  return Status::ok();
}

// Piece n is on its way while piece n - 1 is copied out.
Status Staging::retrieve(Stream &stream, void *host, uint64_t target, size_t size) {
  Lease buffers(*this);
  OMPTARGET_TRY(buffers.take());
  const size_t pieces = (size + kBufferSize - 1) / kBufferSize;
  const auto bytes_of = [size](size_t piece) { return std::min(kBufferSize, size - piece * kBufferSize); };
  for (size_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      OMPTARGET_TRY(buffers.of(piece).wait());
      OMPTARGET_TRY(buffers.of(piece).copy_from(stream, target + piece * kBufferSize, bytes_of(piece)));
    }
    if (piece > 0) {
      StagingBuffer &buffer = buffers.of(piece - 1);
      OMPTARGET_TRY(buffer.wait());
      std::memcpy(static_cast<char *>(host) + (piece - 1) * kBufferSize, buffer.memory(), bytes_of(piece - 1));
    }
  }
  return Status::ok();
}

Status Staging::release_all() {
  Status status;
  Buffers buffers;
  buffers.swap(*free_.lock());
  for (auto &buffer : buffers)
    status.keep_first(buffer->release());
  return status;
}

} // namespace omptarget::gpu
