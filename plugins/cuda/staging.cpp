// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "cuda/staging.h"

#include "cuda/driver.h"
#include "cuda/stream.h"

namespace omptarget::cuda {

Status StagingBuffer::prepare(size_t size) {
  if (!memory_)
    OMPTARGET_TRY(OMPTARGET_CU(cuMemHostAlloc, &memory_, size, CU_MEMHOSTALLOC_PORTABLE));
  return event_ ? Status::ok() : OMPTARGET_CU(cuEventCreate, &event_, CU_EVENT_DISABLE_TIMING);
}

Status StagingBuffer::copy_to(gpu::Stream &stream, uint64_t target, size_t size) {
  OMPTARGET_TRY(OMPTARGET_CU(cuMemcpyHtoDAsync, target, memory_, size, as_stream(stream).handle()));
  return started(as_stream(stream));
}

Status StagingBuffer::copy_from(gpu::Stream &stream, uint64_t source, size_t size) {
  OMPTARGET_TRY(OMPTARGET_CU(cuMemcpyDtoHAsync, memory_, source, size, as_stream(stream).handle()));
  return started(as_stream(stream));
}

// A copy that no event tells the end of is waited for.
Status StagingBuffer::started(Stream &stream) {
  Status status = OMPTARGET_CU(cuEventRecord, event_, stream.handle());
  is_busy_ = status.is_ok();
  if (!status && !OMPTARGET_CU(cuStreamSynchronize, stream.handle()))
    OMPTARGET_CU(cuCtxSynchronize).consume();
  return status;
}

Status StagingBuffer::wait() {
  if (is_busy_)
    OMPTARGET_TRY(OMPTARGET_CU(cuEventSynchronize, event_));
  is_busy_ = false;
  return Status::ok();
}

Status StagingBuffer::release() {
  Status status;
  if (event_)
    status.keep_first(OMPTARGET_CU(cuEventDestroy, event_));
  if (memory_)
    status.keep_first(OMPTARGET_CU(cuMemFreeHost, memory_));
  event_ = nullptr;
  memory_ = nullptr;
  return status;
}

} // namespace omptarget::cuda
