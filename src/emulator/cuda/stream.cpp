// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, events, copies.

#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "call.h"
#include "emulator/execute/ptx/builtins.h"
#include "emulator/execute/unwritten.h"
#include "execute.h"

using namespace omptarget::cuda;
using namespace emulator;

namespace {

// 0 if the stream exists in this context.
CUresult check_stream(const char *call, Context *context, CUstream handle) {
  Stream *stream = reinterpret_cast<Stream *>(handle);
  if (!stream) {
    violation("%s: the default stream, which waits for all others", call);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  const std::lock_guard lock(state().mutex);
  if (stream->is_destroyed) {
    violation("%s: a stream that was destroyed", call);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (&stream->context() != context) {
    violation("%s: a stream of another context", call);
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return CUDA_SUCCESS;
}

CUresult check_event(const char *call, Context *context, CUevent handle) {
  Event *event = reinterpret_cast<Event *>(handle);
  const std::lock_guard lock(state().mutex);
  if (!event || event->is_destroyed) {
    violation("%s: an event that does not exist", call);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (context && event->context != context) {
    violation("%s: an event of another context", call);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return CUDA_SUCCESS;
}

// 0 if all of the range is device memory, and of this context, unless that is null.
CUresult check_device(const char *call, Context *context, CUdeviceptr address, size_t size) {
  const std::lock_guard lock(state().mutex);
  const Allocation *allocation = find_memory(call, address, size);
  if (!allocation)
    return CUDA_ERROR_INVALID_VALUE;
  if (context && allocation->context != context && allocation->kind != MemoryKind::kManaged &&
      allocation->kind != MemoryKind::kHost && allocation->kind != MemoryKind::kRegistered) {
    violation("%s: memory of another context at %#llx", call, address);
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

bool is_host_pinned(const void *host) {
  const std::lock_guard lock(state().mutex);
  return is_pinned(reinterpret_cast<uintptr_t>(host));
}

bool reads_pageable_late() { return host_memory() == HostMemory::kAts; }

} // namespace

CUresult emulator::context_of_stream(const char *call, CUstream handle, Context *&context) {
  Context *current = current_context();
  if (!state().initialised)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!current)
    return CUDA_ERROR_INVALID_CONTEXT;
  Stream *stream = reinterpret_cast<Stream *>(handle);
  if (!stream) {
    violation("%s: the default stream, which waits for all others", call);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  context = &stream->context();
  const char *wants_own = std::getenv("SIM_CUDA_WANTS_OWN_CONTEXT");
  if (wants_own && *wants_own == '1' && current != context)
    return CUDA_ERROR_INVALID_HANDLE;
  return context->error.load();
}

#define STAND_IN_CHECK(check)                                                                                          \
  if (const CUresult checked = (check))                                                                                \
  return checked

STAND_IN_API CUresult cuStreamCreate(CUstream *out, unsigned flags) {
  STAND_IN_ENTER_CONTEXT(cuStreamCreate);
  if (flags != CU_STREAM_NON_BLOCKING)
    violation("cuStreamCreate: a stream that waits for the default stream");
  const std::lock_guard lock(state().mutex);
  state().streams.push_back(std::make_unique<Stream>(*context));
  *out = reinterpret_cast<CUstream>(state().streams.back().get());
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuStreamDestroy_v2(CUstream handle) {
  STAND_IN_ENTER_RELEASE(cuStreamDestroy);
  STAND_IN_CHECK(check_stream("cuStreamDestroy", context, handle));
  Stream *stream = reinterpret_cast<Stream *>(handle);
  stream->finish();
  const std::lock_guard lock(state().mutex);
  stream->is_destroyed = true;
  return injected;
}

STAND_IN_API CUresult cuStreamSynchronize(CUstream handle) {
  const executor::ptx::WritesPrints at_end;
  STAND_IN_ENTER_STREAM(cuStreamSynchronize, handle);
  STAND_IN_CHECK(check_stream("cuStreamSynchronize", context, handle));
  reinterpret_cast<Stream *>(handle)->wait_all();
  return context->error.load();
}

STAND_IN_API CUresult cuStreamQuery(CUstream handle) {
  STAND_IN_ENTER_STREAM(cuStreamQuery, handle);
  STAND_IN_CHECK(check_stream("cuStreamQuery", context, handle));
  const bool complete = reinterpret_cast<Stream *>(handle)->query();
  if (const CUresult error = context->error.load())
    return error;
  return complete ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

STAND_IN_API CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags) {
  STAND_IN_ENTER_STREAM(cuStreamWaitEvent, handle);
  STAND_IN_CHECK(check_stream("cuStreamWaitEvent", context, handle));
  STAND_IN_CHECK(check_event("cuStreamWaitEvent", nullptr, event_handle));
  if (flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  Stream *recorded = nullptr;
  uint64_t ticket = 0;
  {
    const std::lock_guard lock(state().mutex);
    const Event *event = reinterpret_cast<Event *>(event_handle);
    recorded = event->stream;
    ticket = event->ticket;
  }
  Stream *stream = reinterpret_cast<Stream *>(handle);
  if (recorded && recorded != stream)
    stream->enqueue_wait(*recorded, ticket);
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuEventCreate(CUevent *out, unsigned flags) {
  STAND_IN_ENTER_CONTEXT(cuEventCreate);
  const std::lock_guard lock(state().mutex);
  auto event = std::make_unique<Event>();
  event->context = context;
  event->has_time = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  *out = reinterpret_cast<CUevent>(event.get());
  state().events.push_back(std::move(event));
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuEventDestroy_v2(CUevent handle) {
  STAND_IN_ENTER_RELEASE(cuEventDestroy);
  STAND_IN_CHECK(check_event("cuEventDestroy", nullptr, handle));
  const std::lock_guard lock(state().mutex);
  reinterpret_cast<Event *>(handle)->is_destroyed = true;
  return injected;
}

STAND_IN_API CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  STAND_IN_ENTER_STREAM(cuEventRecord, stream_handle);
  STAND_IN_CHECK(check_stream("cuEventRecord", context, stream_handle));
  STAND_IN_CHECK(check_event("cuEventRecord", context, handle));
  Stream *stream = reinterpret_cast<Stream *>(stream_handle);
  Event *event = reinterpret_cast<Event *>(handle);
  const uint64_t ticket =
      event->has_time ? stream->enqueue([event] { event->time_ns = omptarget::now_ns(); }) : stream->last_ticket();
  const std::lock_guard lock(state().mutex);
  event->stream = stream;
  event->ticket = ticket;
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuEventSynchronize(CUevent handle) {
  const executor::ptx::WritesPrints at_end;
  STAND_IN_ENTER(cuEventSynchronize);
  if (!current_context())
    return CUDA_ERROR_INVALID_CONTEXT;
  STAND_IN_CHECK(check_event("cuEventSynchronize", nullptr, handle));
  const Context *context = reinterpret_cast<Event *>(handle)->context;
  Stream *stream = nullptr;
  uint64_t ticket = 0;
  {
    const std::lock_guard lock(state().mutex);
    const Event *event = reinterpret_cast<Event *>(handle);
    stream = event->stream;
    ticket = event->ticket;
  }
  if (stream)
    stream->wait(ticket);
  return context->error.load();
}

STAND_IN_API CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  STAND_IN_ENTER(cuEventElapsedTime);
  if (!current_context())
    return CUDA_ERROR_INVALID_CONTEXT;
  uint64_t times[2];
  int i = 0;
  for (const CUevent handle : {from, to}) {
    STAND_IN_CHECK(check_event("cuEventElapsedTime", nullptr, handle));
    const Event *event = reinterpret_cast<Event *>(handle);
    if (const CUresult error = event->context->error.load())
      return error;
    Stream *stream = nullptr;
    uint64_t ticket = 0;
    {
      const std::lock_guard lock(state().mutex);
      stream = event->stream;
      ticket = event->ticket;
    }
    if (!event->has_time || !stream)
      return CUDA_ERROR_INVALID_HANDLE;
    if (!stream->is_complete(ticket)) {
      violation("cuEventElapsedTime: an event that is not complete");
      return CUDA_ERROR_NOT_READY;
    }
    times[i++] = event->time_ns.load();
  }
  // As the driver tells it: in milliseconds of 24 bits.
  *milliseconds = static_cast<float>(static_cast<double>(static_cast<int64_t>(times[1] - times[0])) / 1e6);
  return CUDA_SUCCESS;
}

// ---- Copies

STAND_IN_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *host, size_t size, CUstream stream) {
  STAND_IN_ENTER_STREAM(cuMemcpyHtoDAsync, stream);
  STAND_IN_CHECK(check_stream("cuMemcpyHtoDAsync", context, stream));
  STAND_IN_CHECK(check_device("cuMemcpyHtoDAsync", context, target, size));
  void *destination = reinterpret_cast<void *>(target);
  // Pageable memory is copied at once, unless the device reads it itself; pinned memory is read when its turn comes.
  if (is_host_pinned(host) || reads_pageable_late()) {
    reinterpret_cast<Stream *>(stream)->enqueue(
        [=, ranges = Ranges::of_thread()] { copy_memory({destination, host, size, CopyKind::kToDevice, ranges}); });
    return CUDA_SUCCESS;
  }
  const char *bytes = static_cast<const char *>(host);
  reinterpret_cast<Stream *>(stream)->enqueue(
      [destination, kept = std::vector<char>(bytes, bytes + size), ranges = Ranges::of_thread()] {
        copy_memory({destination, kept.data(), kept.size(), CopyKind::kToDevice, ranges});
      });
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuMemcpyDtoHAsync_v2(void *host, CUdeviceptr target, size_t size, CUstream stream) {
  STAND_IN_ENTER_STREAM(cuMemcpyDtoHAsync, stream);
  STAND_IN_CHECK(check_stream("cuMemcpyDtoHAsync", context, stream));
  STAND_IN_CHECK(check_device("cuMemcpyDtoHAsync", context, target, size));
  const void *source = reinterpret_cast<const void *>(target);
  reinterpret_cast<Stream *>(stream)->enqueue(
      [=, ranges = Ranges::of_thread()] { copy_memory({host, source, size, CopyKind::kToHost, ranges}); });
  // As the driver does: it returns when pageable memory has what was copied.
  if (!is_host_pinned(host) && !reads_pageable_late()) {
    reinterpret_cast<Stream *>(stream)->wait_all();
    return context->error.load();
  }
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream) {
  STAND_IN_ENTER_STREAM(cuMemcpyDtoDAsync, stream);
  STAND_IN_CHECK(check_stream("cuMemcpyDtoDAsync", context, stream));
  STAND_IN_CHECK(check_device("cuMemcpyDtoDAsync", context, target, size));
  STAND_IN_CHECK(check_device("cuMemcpyDtoDAsync", context, source, size));
  reinterpret_cast<Stream *>(stream)->enqueue([=, ranges = Ranges::of_thread()] {
    copy_memory({reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), size,
                 CopyKind::kWithinDevices, ranges});
  });
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuMemcpyPeerAsync(CUdeviceptr target, CUcontext target_context, CUdeviceptr source,
                                        CUcontext source_context, size_t size, CUstream stream) {
  STAND_IN_ENTER_STREAM(cuMemcpyPeerAsync, stream);
  STAND_IN_CHECK(check_stream("cuMemcpyPeerAsync", context, stream));
  STAND_IN_CHECK(check_device("cuMemcpyPeerAsync", reinterpret_cast<Context *>(target_context), target, size));
  STAND_IN_CHECK(check_device("cuMemcpyPeerAsync", reinterpret_cast<Context *>(source_context), source, size));
  reinterpret_cast<Stream *>(stream)->enqueue([=, ranges = Ranges::of_thread()] {
    copy_memory({reinterpret_cast<void *>(target), reinterpret_cast<const void *>(source), size,
                 CopyKind::kWithinDevices, ranges});
  });
  return CUDA_SUCCESS;
}

STAND_IN_API CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t size, CUstream stream) {
  STAND_IN_ENTER_CONTEXT(cuMemsetD8Async);
  STAND_IN_CHECK(check_stream("cuMemsetD8Async", context, stream));
  STAND_IN_CHECK(check_device("cuMemsetD8Async", context, target, size));
  reinterpret_cast<Stream *>(stream)->enqueue([=] {
    RunningOperation::note({"a fill of " + std::to_string(size) + " bytes", nullptr, target, size, true});
    std::memset(reinterpret_cast<void *>(target), value, size);
    executor::UnwrittenMemory::note_forgotten(reinterpret_cast<void *>(target), size);
  });
  return CUDA_SUCCESS;
}
