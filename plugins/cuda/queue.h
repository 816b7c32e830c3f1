// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's streams and events, pooled. A stream is a CUstream; what else belongs to one is kept here beside it.
#pragma once

#include <atomic>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "common/handle_pool.h"
#include "cuda/cuda_api.h"
#include "cuda/host_copies.h"
#include "cuda/timing.h"
#include "gpu/queue.h"

namespace omptarget::cuda {

/// Context of the device current.
class QueueSet final : public gpu::QueueSet {
public:
  QueueSet(gpu::Device &device, Memory &memory) : gpu::QueueSet(device), memory_(memory) {}

  /// Prepares, on the stream, the launch environment of a kernel.
  Result<uint64_t> launch_environment(CUstream stream, const gpu::EnvironmentNeed &need);

  /// Copies from the device to pageable memory, complete when the stream has been waited for. Interop's streams are waited for
  /// by others.
  Status copy_out(CUstream stream, void *host, uint64_t target, size_t size);
  bool may_copy_late(CUstream stream) { return !is_interop(stream); }
  /// Waits for copies to this host memory that were begun before on the stream.
  Status settle(CUstream stream, const void *host, size_t size);

  Status init() override;
  Result<void *> take() override;
  void give_back(void *stream) override;
  Result<void *> create_event() override;
  void *take_event() override { return events_.take(); }
  void destroy_event(void *event) override;
  Status record(void *event, void *stream) override;
  Status wait_for(void *event, void *stream) override;
  Status wait_for(void *event) override;
  Result<void *> start_timing(__tgt_async_info &async) override;
  Status stop_timing(void *stream, void *timing) override;
  Result<gpu::Times> read_timing(void *timing) override;
  void drop_timing(void *timing) override { timings_.give_back(static_cast<Timing *>(timing)); }

private:
  struct Extra {
    gpu::EnvironmentBlocks blocks; ///< in use until the stream is empty
    bool is_interop = false;
  };
  using Extras = std::unordered_map<CUstream, Extra>;

  Status finish(void *stream) override;
  bool sleeps_in_finish() const override;
  Result<bool> is_finished(void *stream) override;
  void abandon(void *stream) override;
  Status finished(void *stream) override;
  bool is_interop(void *stream) override;
  void set_interop(void *stream, bool is_interop) override;
  Status finish_all() override;
  Status release_own() override;
  Result<std::unique_ptr<gpu::EnvironmentBlock>> take_block(CUstream stream, const gpu::EnvironmentNeed &need);
  Extra &extra_of(Extras &extras, CUstream stream);

  Memory &memory_;
  HandlePool<CUstream> streams_;
  HandlePool<CUevent> events_;
  std::atomic<size_t> extras_count_{0}; ///< entries of extras_, so that most calls need no look
  Guarded<Extras> extras_;
  HostCopies copies_;
  Timings timings_{*this};
};

} // namespace omptarget::cuda
