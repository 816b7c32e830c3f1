// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of one mailbox (docs/use/host-services.md): what device code asks for in its ports is done and
// answered. Bytes in the ports are a device's; none is trusted.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "omptarget/service_protocol.h"

namespace omptarget::gpu {

/// The caller in device code.
struct ServiceCaller {
  uint32_t block;
  uint32_t thread;
};

/// Services for device code. Any thread.
class ServiceHost {
public:
  virtual ~ServiceHost() = default;
  /// "device 0, kernel K, block 1, thread 2".
  virtual std::string describe(const ServiceCaller &caller) = 0;
  /// To the program's stdout or stderr (OMPTARGET_SERVICE_STDOUT and so on). Returns how many bytes were written.
  virtual uint64_t write(uint32_t stream, const std::string &text) = 0;
  /// Returns whether all that was written is where the program's output goes.
  virtual bool flush(uint32_t stream) = 0;
  /// One line about what was refused.
  virtual void complain(const std::string &text) = 0;
  virtual Result<void *> allocate(uint64_t size) = 0;
  virtual Status release(void *memory) = 0;
  /// Calls one of the user's functions, which may change the data.
  virtual Result<uint64_t> call(uint32_t number, void *data, uint64_t size) = 0;
  /// Both end the process. In tests they return.
  virtual void abort_process(const ServiceCaller &caller) = 0;
  virtual void exit_process(const ServiceCaller &caller, int status) = 0;
};

/// Any thread.
class ServiceMailbox {
public:
  /// ports: zeros; the memory and the host outlive this.
  ServiceMailbox(__omptarget_service_port *ports, uint32_t count, ServiceHost &host);

  /// Answers what is asked. False if nothing was.
  bool serve();
  /// The same by a thread that waits for the device: not while another one serves, and no calls of the user's
  /// functions, which may wait for what this very thread does later.
  bool serve_while_waiting();
  /// Nothing of the device code's runs any more: frees what it has not freed. Ports are not looked at afterwards.
  Status close();

private:
  /// The received part of a port's call, and the rest of the answer.
  struct Call {
    bool is_open = false;
    bool is_refused = false;
    uint32_t operation = 0;
    uint64_t argument = 0;
    std::string data;
    std::string reply;
    size_t fetched = 0;
  };
  enum class Calls { kWithFunctions, kWithoutFunctions };
  bool serve_all(Calls calls);
  bool serve(uint32_t index, Calls calls);
  static bool is_of_function(const Call &call, const __omptarget_service_packet &packet);
  /// The result, or why it is refused; for the last packet of a call that of the call.
  Result<uint64_t> take(Call &call, const __omptarget_service_packet &packet);
  Result<uint64_t> carry_out(Call &call, const ServiceCaller &caller);
  Result<uint64_t> write(const Call &call);
  Result<uint64_t> allocate(uint64_t size);
  Result<uint64_t> release(uint64_t address);
  Result<uint64_t> size_of(uint64_t address) const;
  static Result<uint64_t> call_address(uint64_t address, std::string &data);
  void give_reply(Call &call, __omptarget_service_packet &packet);
  void complain(const ServiceCaller &caller, const Status &why);

  static constexpr uint32_t kMostComplaints = 32;

  std::mutex mutex_; ///< held while ports are served
  __omptarget_service_port *ports_;
  ServiceHost &host_;
  std::vector<Call> calls_;                     ///< call of each port
  std::unordered_map<void *, uint64_t> blocks_; ///< that device code has, with their sizes
  uint32_t complaints_ = 0;
  bool is_closed_ = false;
};

} // namespace omptarget::gpu
