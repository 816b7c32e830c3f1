// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/service_mailbox.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>

#include "base/sched_point.h"
#include "gpu/service_format.h"

namespace omptarget::gpu {

namespace {

/// What perror prints.
std::string text_of_error(int error, const std::string &prefix) {
  char buffer[256];
  const std::string text = ::strerror_r(error, buffer, sizeof(buffer));
  return (prefix.empty() ? "" : prefix + ": ") + text + "\n";
}

} // namespace

ServiceMailbox::ServiceMailbox(__omptarget_service_port *ports, uint32_t count, ServiceHost &host)
    : ports_(ports), host_(host), calls_(count) {}

bool ServiceMailbox::serve() {
  const std::lock_guard lock(mutex_);
  return serve_all(Calls::kWithFunctions);
}

bool ServiceMailbox::serve_while_waiting() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() && serve_all(Calls::kWithoutFunctions);
}

bool ServiceMailbox::serve_all(Calls calls) {
  bool has_served = false;
  for (uint32_t i = 0; i < calls_.size() && !is_closed_; ++i)
    has_served |= serve(i, calls);
  return has_served;
}

// Returns whether the packet belongs to a call of a function.
bool ServiceMailbox::is_of_function(const Call &call, const __omptarget_service_packet &packet) {
  const uint32_t operation = packet.operation == OMPTARGET_SERVICE_CONTINUE ? call.operation : packet.operation;
  return operation == OMPTARGET_SERVICE_CALL || operation == OMPTARGET_SERVICE_CALL_ADDRESS;
}

// Acquire and release: the packet was written before asked, and is written before answered.
bool ServiceMailbox::serve(uint32_t index, Calls calls) {
  __omptarget_service_port &port = ports_[index];
  const uint32_t asked =
      std::atomic_ref(port.asked).load(OMPTARGET_ORDER("mailbox_asked_relaxed", std::memory_order_acquire));
  const uint32_t answered = std::atomic_ref(port.answered).load(std::memory_order_relaxed);
  if (asked == answered)
    return false;
  // A copy, which the device cannot change while it is looked at.
  __omptarget_service_packet packet;
  std::memcpy(&packet, &port.packet, sizeof(packet));
  const ServiceCaller caller = {packet.block, packet.thread};
  Call &call = calls_[index];
  if (calls == Calls::kWithoutFunctions && is_of_function(call, packet))
    return false;
  Result<uint64_t> result =
      asked == answered + 1
          ? take(call, packet)
          : Status::error(format("a port was used out of turn (packet %u after %u)", asked, answered));
  if (result && packet.is_last != 0 && packet.operation != OMPTARGET_SERVICE_FETCH)
    result = carry_out(call, caller);
  if (!result) {
    if (!call.is_refused)
      complain(caller, result.status());
    call.is_refused = true;
  }
  port.packet.status = result ? OMPTARGET_SERVICE_DONE : OMPTARGET_SERVICE_REFUSED;
  port.packet.result = result ? *result : packet.operation == OMPTARGET_SERVICE_ALLOCATE ? 0 : ~uint64_t{0};
  if (result)
    give_reply(call, port.packet);
  if (packet.is_last != 0)
    call.is_open = call.is_refused = false;
  std::atomic_ref(port.answered).store(asked, OMPTARGET_ORDER("mailbox_answered_relaxed", std::memory_order_release));
  return true;
}

Result<uint64_t> ServiceMailbox::take(Call &call, const __omptarget_service_packet &packet) {
  if (packet.operation == OMPTARGET_SERVICE_FETCH)
    return call.fetched < call.reply.size() ? Result<uint64_t>(uint64_t{0})
                                            : Status::error("data were fetched that no call has");
  if (packet.operation != OMPTARGET_SERVICE_CONTINUE) {
    call = Call{};
    call.is_open = true;
    call.operation = packet.operation;
    call.argument = packet.argument;
  } else if (!call.is_open) {
    return Status::error("a call was continued that had not begun");
  }
  if (call.is_refused)
    return Status::error("the call was refused before");
  if (packet.size > OMPTARGET_SERVICE_PAYLOAD)
    return Status::error(format("a packet of %u bytes, the most is %d", packet.size, OMPTARGET_SERVICE_PAYLOAD));
  if (call.data.size() + packet.size > OMPTARGET_SERVICE_MOST_BYTES)
    return Status::error(format("a call of more than %d bytes", OMPTARGET_SERVICE_MOST_BYTES));
  call.data.append(reinterpret_cast<const char *>(packet.payload), packet.size);
  return uint64_t{0};
}

Result<uint64_t> ServiceMailbox::carry_out(Call &call, const ServiceCaller &caller) {
  switch (call.operation) {
  case OMPTARGET_SERVICE_PRINT:
  case OMPTARGET_SERVICE_WRITE:
  case OMPTARGET_SERVICE_FLUSH: return write(call);
  case OMPTARGET_SERVICE_PRINT_ERROR:
    host_.write(OMPTARGET_SERVICE_STDERR, text_of_error(static_cast<int>(call.argument), call.data));
    return uint64_t{0};
  case OMPTARGET_SERVICE_ALLOCATE: return allocate(call.argument);
  case OMPTARGET_SERVICE_RELEASE: return release(call.argument);
  case OMPTARGET_SERVICE_TIME:
    return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
  case OMPTARGET_SERVICE_SIZE_OF: return size_of(call.argument);
  case OMPTARGET_SERVICE_ABORT: host_.abort_process(caller); return uint64_t{0};
  case OMPTARGET_SERVICE_EXIT: host_.exit_process(caller, static_cast<int>(call.argument)); return uint64_t{0};
  case OMPTARGET_SERVICE_CALL: {
    if (call.argument > UINT32_MAX)
      return Status::error(format("%llu is no number of a function", static_cast<unsigned long long>(call.argument)));
    OMPTARGET_TRY_ASSIGN(const uint64_t result,
                         host_.call(static_cast<uint32_t>(call.argument), call.data.data(), call.data.size()));
    call.reply = std::move(call.data);
    return result;
  }
  case OMPTARGET_SERVICE_CALL_ADDRESS: return call_address(call.argument, call.data);
  default: return Status::error(format("operation %u, which is not known", call.operation));
  }
}

Result<uint64_t> ServiceMailbox::write(const Call &call) {
  if (call.argument >= OMPTARGET_SERVICE_NO_STREAM)
    return Status::error("output to a stream that device code does not have; it has stdout and stderr");
  const auto stream = static_cast<uint32_t>(call.argument);
  if (call.operation == OMPTARGET_SERVICE_FLUSH)
    return host_.flush(stream) ? uint64_t{0} : ~uint64_t{0};
  if (call.operation == OMPTARGET_SERVICE_WRITE)
    return host_.write(stream, call.data);
  OMPTARGET_TRY_ASSIGN(const std::string text, format_print(call.data));
  return host_.write(stream, text) == text.size() ? uint64_t{text.size()} : ~uint64_t{0};
}

Result<uint64_t> ServiceMailbox::allocate(uint64_t size) {
  if (size == 0)
    return uint64_t{0};
  OMPTARGET_TRY_ASSIGN(void *const memory, host_.allocate(size));
  blocks_.emplace(memory, size);
  return uint64_t{reinterpret_cast<uintptr_t>(memory)};
}

Result<uint64_t> ServiceMailbox::release(uint64_t address) {
  void *const memory = reinterpret_cast<void *>(address);
  if (blocks_.erase(memory) == 0)
    return Status::error(format("%p was freed, which malloc did not return or was freed before", memory));
  OMPTARGET_TRY(host_.release(memory));
  return uint64_t{0};
}

Result<uint64_t> ServiceMailbox::size_of(uint64_t address) const {
  const auto found = blocks_.find(reinterpret_cast<void *>(address));
  if (found == blocks_.end())
    return Status::error(format("%p was reallocated, which malloc did not return or was freed before",
                                reinterpret_cast<void *>(address)));
  return found->second;
}

// The address comes from the device, so no more is taken on trust than that code of a loaded file is a function.
Result<uint64_t> ServiceMailbox::call_address(uint64_t address, std::string &data) {
  void *const function = reinterpret_cast<void *>(address);
  Dl_info file{};
  if (!function || ::dladdr(function, &file) == 0)
    return Status::error(format("%p was called, which is no function of the host", function));
  return reinterpret_cast<uint64_t (*)(void *)>(function)(data.data());
}

// The next part of what goes back, if anything does.
void ServiceMailbox::give_reply(Call &call, __omptarget_service_packet &packet) {
  const size_t size = std::min<size_t>(call.reply.size() - call.fetched, OMPTARGET_SERVICE_PAYLOAD);
  if (size == 0)
    return;
  std::memcpy(packet.payload, call.reply.data() + call.fetched, size);
  call.fetched += size;
}

void ServiceMailbox::complain(const ServiceCaller &caller, const Status &why) {
  if (++complaints_ > kMostComplaints)
    return;
  host_.complain(format("%s: %s%s", host_.describe(caller).c_str(), why.to_string().c_str(),
                        complaints_ == kMostComplaints ? "; later refusals are not reported" : ""));
}

Status ServiceMailbox::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  Status status;
  for (const auto &[block, size] : blocks_)
    status.keep_first(host_.release(block));
  blocks_.clear();
  return status;
}

} // namespace omptarget::gpu
