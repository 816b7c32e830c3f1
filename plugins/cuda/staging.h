// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large copies of pageable memory in pieces through pinned buffers of our own, one filled while the other is copied.
#pragma once

#include <memory>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "cuda/cuda_api.h"

namespace omptarget::cuda {

/// Any thread. All functions: context of the device current.
class Staging {
public:
  /// Reads LIBOMPTARGET_STAGING_THRESHOLD.
  void init();
  bool wants(size_t size) const { return threshold_ != 0 && size >= threshold_; }

  /// Copies on the stream; the host memory has been read on return.
  Status submit(CUstream stream, CUdeviceptr target, const void *host, size_t size);
  /// Complete on return.
  Status retrieve(CUstream stream, void *host, CUdeviceptr target, size_t size);
  Status release_all();

private:
  static constexpr size_t kBufferSize = size_t{4} << 20;
  static constexpr size_t kBuffers = 2;
  struct Buffer {
    void *memory = nullptr;
    CUevent event = nullptr;
    bool is_busy = false; ///< until the event
  };
  using Buffers = std::vector<std::unique_ptr<Buffer>>;
  Status take(Buffers &buffers);
  void give_back(Buffers &buffers);
  static Status complete(Buffer &buffer);
  static Status wait(Buffer &buffer);
  Status submit_with(Buffers &buffers, CUstream stream, CUdeviceptr target, const char *host, size_t size);
  Status retrieve_with(Buffers &buffers, CUstream stream, char *host, CUdeviceptr target, size_t size);

  size_t threshold_ = 0;
  Guarded<Buffers> free_;
};

} // namespace omptarget::cuda
