// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large copies of pageable memory in pieces through pinned buffers of our own, one filled while the other is copied.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"

namespace omptarget::gpu {

class Device;
struct Stream;

/// One pinned buffer. One thread at a time.
class StagingBuffer {
public:
  virtual ~StagingBuffer() = default;
  void *memory() const { return memory_; }

  /// Allocates what the buffer still lacks to hold this many bytes.
  virtual Status prepare(size_t size) = 0;
  /// Starts a copy from or to the buffer on the stream. After a failure no copy uses the buffer.
  virtual Status copy_to(Stream &stream, uint64_t target, size_t size) = 0;
  virtual Status copy_from(Stream &stream, uint64_t source, size_t size) = 0;
  /// Blocks until the last copy no longer uses it.
  virtual Status wait() = 0;
  /// Gives its parts back. No copy uses it.
  virtual Status release() = 0;

protected:
  void *memory_ = nullptr;
};

/// Any thread. All functions: inside of a Scope of the device.
class Staging {
public:
  explicit Staging(Device &device) : device_(device) {}
  /// Reads LIBOMPTARGET_STAGING_THRESHOLD.
  void init();
  bool wants(size_t size) const { return threshold_ != 0 && size >= threshold_; }

  /// Copies on the stream; the host memory has been read on return.
  Status submit(Stream &stream, uint64_t target, const void *host, size_t size);
  /// Complete on return.
  Status retrieve(Stream &stream, void *host, uint64_t target, size_t size);
  Status release_all();

private:
  static constexpr size_t kBufferSize = size_t{4} << 20;
  static constexpr size_t kBuffers = 2;
  using Buffers = std::vector<std::unique_ptr<StagingBuffer>>;
  class Lease;
  Status take(Buffers &buffers);

  Device &device_;
  size_t threshold_ = 0;
  Guarded<Buffers> free_;
};

} // namespace omptarget::gpu
