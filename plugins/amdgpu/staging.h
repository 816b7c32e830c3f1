// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large copies of pageable memory in pieces through pinned buffers of our own, one filled while the other is copied.
#pragma once

#include <memory>
#include <vector>

#include "amdgpu/signal.h"
#include "base/guarded.h"
#include "base/status.h"

namespace omptarget::amdgpu {

class Stream;

/// Any thread, but each stream by one thread at a time.
class Staging {
public:
  explicit Staging(Device &device) : device_(device) {}
  /// Reads LIBOMPTARGET_STAGING_THRESHOLD.
  void init();
  /// Whether such copies go this way although the host memory could be pinned.
  bool wants(size_t size) const { return threshold_ != 0 && size >= threshold_; }

  /// Copies on the stream; the host memory has been read on return.
  Status submit(Stream &stream, uint64_t target, const void *host, size_t size);
  /// Complete on return.
  Status retrieve(Stream &stream, void *host, uint64_t target, size_t size);
  Status release_all();

private:
  static constexpr size_t kBufferSize = size_t{4} << 20;
  static constexpr size_t kBuffers = 2;
  struct Buffer {
    void *memory = nullptr;
    SignalRef signal; ///< of the copy that uses it
  };
  using Buffers = std::vector<std::unique_ptr<Buffer>>;
  Status take(Buffers &buffers);
  void give_back(Buffers &buffers);
  Status wait(Buffer &buffer);
  Status submit_with(Buffers &buffers, Stream &stream, uint64_t target, const char *host, size_t size);
  Status retrieve_with(Buffers &buffers, Stream &stream, char *host, uint64_t target, size_t size);

  Device &device_;
  size_t threshold_ = 0;
  Guarded<Buffers> free_;
};

} // namespace omptarget::amdgpu
