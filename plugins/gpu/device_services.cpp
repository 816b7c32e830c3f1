// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/device_services.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text_output.h"
#include "gpu/device.h"
#include "gpu/devices.h"
#include "gpu/service_server.h"

namespace omptarget::gpu {

// Calls come from the server's thread, from threads that wait for the device, and from one that has found it lost.
class DeviceServices::Host final : public ServiceHost {
public:
  explicit Host(Device &device) : device_(device) {}

  std::string describe(const ServiceCaller &caller) override {
    const std::string kernels = device_.launches().unfinished();
    return format("device %d, %s%sblock %u, thread %u", device_.number(), kernels.c_str(), kernels.empty() ? "" : ", ",
                  caller.block, caller.thread);
  }
  // Writes by stdio, in order with the program's own output.
  uint64_t write(uint32_t stream, const std::string &text) override {
    return std::fwrite(text.data(), 1, text.size(), file(stream));
  }
  bool flush(uint32_t stream) override { return std::fflush(file(stream)) == 0; }
  void complain(const std::string &text) override { write_error_line("omptarget error: " + text); }
  Result<void *> allocate(uint64_t size) override {
    const Scope scope(device_);
    return device_.allocate_for_kernel(size);
  }
  Status release(void *memory) override {
    const Scope scope(device_);
    return device_.memory().release(memory);
  }
  Result<uint64_t> call(uint32_t number, void *data, uint64_t size) override {
    uint64_t result = 0;
    if (const __tgt_host_call host = host_call(); host && host(number, data, size, &result) == 0)
      return result;
    return Status::error(format("the program has registered no function %u for device code", number));
  }
  void abort_process(const ServiceCaller &caller) override {
    write_out();
    write_error_line(format("omptarget error: device code called abort: %s", describe(caller).c_str()));
    std::abort();
  }
  // exit() would wait for the devices, they for the kernel, and the kernel for this call.
  void exit_process(const ServiceCaller &caller, int status) override {
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, device_.number(), "device code called exit(%d): %s", status,
                           describe(caller).c_str());
    write_out();
    std::quick_exit(status);
  }

private:
  static std::FILE *file(uint32_t stream) { return stream == OMPTARGET_SERVICE_STDERR ? stderr : stdout; }
  /// Writes out all that the program and its kernels have printed.
  void write_out() {
    {
      const Scope scope(device_);
      device_.queues().show_prints().consume();
    }
    std::fflush(nullptr);
  }

  Device &device_;
};

DeviceServices::DeviceServices(Device &device) : device_(device), host_(std::make_unique<Host>(device)) {}
DeviceServices::~DeviceServices() = default;

Result<bool> DeviceServices::give(Image &image) {
  OMPTARGET_TRY_ASSIGN(const auto global, image.find_global(OMPTARGET_SERVICE_CLIENT_NAME));
  if (!global)
    return false;
  __omptarget_service_client_head head{};
  OMPTARGET_TRY_ASSIGN(const bool is_read, image.read_global(OMPTARGET_SERVICE_CLIENT_NAME, &head, sizeof(head)));
  if (!is_read || head.version != OMPTARGET_SERVICE_VERSION)
    return Status::error(format("the image's device code asks the host by version %u of host services (%s, %zu bytes); "
                                "known is version %d",
                                head.version, OMPTARGET_SERVICE_CLIENT_NAME, global->size, OMPTARGET_SERVICE_VERSION));
  constexpr size_t kSize = OMPTARGET_SERVICE_MOST_PORTS * sizeof(__omptarget_service_port);
  Result<void *> memory = device_.memory().allocate(kSize, OMPTARGET_ALLOC_HOST);
  OMPTARGET_TRY_DURING(memory.take_status(), "for the mailbox of host services");
  std::memset(*memory, 0, kSize);
  const auto mailbox = std::make_shared<ServiceMailbox>(static_cast<__omptarget_service_port *>(*memory),
                                                        OMPTARGET_SERVICE_MOST_PORTS, *host_);
  (*boxes_.lock())[&image] = {*memory, mailbox};
  ServiceServer::get().add(mailbox);
  head.ports = OMPTARGET_SERVICE_MOST_PORTS;
  head.mailbox = reinterpret_cast<uintptr_t>(*memory);
  const __omptarget_service_client_data data = {
      head, {}, {reinterpret_cast<uintptr_t>(stdout), reinterpret_cast<uintptr_t>(stderr)}};
  OMPTARGET_TRY_ASSIGN([[maybe_unused]] const bool written,
                       image.write_global(OMPTARGET_SERVICE_CLIENT_NAME, &data, sizeof(data)));
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device_.number(), "device code of the image may ask the host for services");
  return true;
}

Status DeviceServices::take_back(const Image &image) {
  Box box;
  {
    auto boxes = boxes_.lock();
    const auto found = boxes->find(&image);
    if (found == boxes->end())
      return Status::ok();
    box = std::move(found->second);
    boxes->erase(found);
  }
  ServiceServer::get().remove(box.mailbox);
  Status status = box.mailbox->close();
  status.keep_first(device_.memory().release(box.memory));
  return status;
}

Status DeviceServices::launching(const void *stream) {
  OMPTARGET_TRY(ServiceServer::get().begin(1));
  ++(*streams_.lock())[stream];
  kernels_.fetch_add(1, std::memory_order_relaxed);
  return Status::ok();
}

void DeviceServices::not_launched(const void *stream) {
  {
    auto streams = streams_.lock();
    const auto found = streams->find(stream);
    if (found == streams->end())
      return;
    if (--found->second == 0)
      streams->erase(found);
  }
  kernels_.fetch_sub(1, std::memory_order_relaxed);
  ServiceServer::get().end(1);
}

void DeviceServices::end(const void *stream) {
  uint64_t ended = 0;
  {
    auto streams = streams_.lock();
    for (auto at = streams->begin(); at != streams->end();) {
      const bool is_meant = !stream || at->first == stream;
      ended += is_meant ? at->second : 0;
      at = is_meant ? streams->erase(at) : std::next(at);
    }
  }
  kernels_.fetch_sub(ended, std::memory_order_relaxed);
  if (ended != 0)
    ServiceServer::get().end(ended);
}

std::vector<std::shared_ptr<ServiceMailbox>> DeviceServices::mailboxes() {
  std::vector<std::shared_ptr<ServiceMailbox>> mailboxes;
  for (const auto &[image, box] : *boxes_.lock())
    mailboxes.push_back(box.mailbox);
  return mailboxes;
}

bool DeviceServices::serve_while_waiting() {
  bool has_served = false;
  for (const auto &mailbox : mailboxes())
    has_served |= mailbox->serve_while_waiting();
  return has_served;
}

void DeviceServices::lost() {
  if (!has_kernels())
    return;
  for (const auto &mailbox : mailboxes())
    mailbox->serve();
  end(nullptr);
}

} // namespace omptarget::gpu
