// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA stream and what belongs to it.
#pragma once

#include "cuda/context.h"
#include "cuda/cuda_api.h"
#include "gpu/environment.h"
#include "gpu/host_copies.h"
#include "gpu/stream.h"

namespace omptarget::cuda {

struct Stream : gpu::Stream {
  gpu::EnvironmentBlocks blocks; ///< in use until the stream is empty
  gpu::HostCopies copies;
  gpu::StreamRoom room; ///< room for small blocks

  explicit Stream(CUstream stream) { native = stream; }
  CUstream handle() const { return static_cast<CUstream>(native); }
  /// The contexts of the thread that uses the stream.
  ThreadContexts &contexts() const {
    return thread ? *static_cast<ThreadContexts *>(thread) : ThreadContexts::of_thread();
  }
};
inline Stream &as_stream(gpu::Stream &stream) { return static_cast<Stream &>(stream); }

} // namespace omptarget::cuda
