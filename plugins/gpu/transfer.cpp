// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of a device, on a queue of the host library's or on a stream of its own: copies, fills, launches.

#include "base/log.h"
#include "gpu/device.h"

namespace omptarget::gpu {

void Device::wait_alone(Stream &stream, Status &status) {
  if (Status waited = queues_.wait(stream); !waited) [[unlikely]]
    return status.keep_first(std::move(waited));
  queues_.rest(stream);
}

Status Device::submit(uint64_t target, const void *host, size_t size, const Caller &caller) {
  if (size == 0)
    return Status::ok();
  const unsigned long long to = target;
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copy %zu bytes from host %p to device %#llx%s", size, host, to,
                         caller.async ? "" : ", waiting");
  return on_stream(caller, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(copy_in(stream, target, host, size), "while copying %zu bytes from host %p to device %#llx",
                         size, host, to);
    return Status::ok();
  });
}

Status Device::retrieve(void *host, uint64_t target, size_t size, const Caller &caller) {
  if (size == 0)
    return Status::ok();
  const unsigned long long from = target;
  OMPTARGET_TRACE_DEVICE(Topic::kTransfer, number(), "copy %zu bytes from device %#llx to host %p%s", size, from, host,
                         caller.async ? "" : ", waiting");
  return on_stream(caller, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(copy_out(stream, host, target, size), "while copying %zu bytes from device %#llx to host %p",
                         size, from, host);
    return Status::ok();
  });
}

Status Device::fill(uint64_t target, uint8_t value, size_t size, const Caller &caller) {
  if (size == 0)
    return Status::ok();
  return on_stream(caller, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(fill_on(stream, target, value, size), "while filling %zu bytes at device %#llx", size,
                         static_cast<unsigned long long>(target));
    return Status::ok();
  });
}

Status Device::copy_to(Device &other, uint64_t destination, uint64_t source, size_t size, const Caller &caller) {
  if (size == 0)
    return Status::ok();
  const DeviceCopy copy{other, destination, source, size};
  if (&other != this)
    OMPTARGET_TRY_DURING(connect(copy), "while connecting devices %d and %d", number(), other.number());
  return on_stream(caller, [&](Stream &stream) -> Status {
    OMPTARGET_TRY_DURING(copy_between(stream, copy),
                         "while copying %zu bytes from %#llx on device %d to %#llx on device %d", size,
                         static_cast<unsigned long long>(source), number(),
                         static_cast<unsigned long long>(destination), other.number());
    return Status::ok();
  });
}

Status Device::run_single(Kernel &kernel) {
  __tgt_kernel_args shape{};
  shape.Version = 2;
  shape.NumTeams[0] = shape.ThreadLimit[0] = 1;
  return launch({kernel, nullptr, nullptr, shape}, nullptr).during("while running kernel " + kernel.name());
}

} // namespace omptarget::gpu
