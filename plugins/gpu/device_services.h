// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host services of a device: which images have a mailbox, which kernels that may use it are under way, and what is
// done for them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/status.h"
#include "gpu/service_mailbox.h"

namespace omptarget::gpu {

class Device;
class Image;

/// Any thread, but give() and take_back() serialised by the caller and inside of a Scope.
class DeviceServices {
public:
  explicit DeviceServices(Device &device);
  ~DeviceServices();

  /// Gives an image that was just loaded a mailbox if its code may ask for something; false if it does not.
  Result<bool> give(Image &image);
  /// The image is about to be unloaded; nothing of it runs.
  Status take_back(const Image &image);

  /// A kernel that may ask for something is about to be launched on the stream, or could not be. It must not be where
  /// nobody can serve.
  Status launching(const void *stream);
  void not_launched(const void *stream);
  /// All work of the stream is complete, or lost; of all streams: nullptr. Its requests were served before.
  void completed(const void *stream) {
    if (has_kernels()) [[unlikely]]
      end(stream);
  }
  /// Returns whether kernels that may ask for something are under way.
  bool has_kernels() const { return kernels_.load(std::memory_order_relaxed) != 0; }
  /// Answers what a thread that waits for the device may answer. False if nothing was asked.
  bool serve_while_waiting();
  /// Kernels have ended without waiting for their answers. Serves the requests that are complete.
  void lost();

private:
  class Host;
  struct Box {
    void *memory;
    std::shared_ptr<ServiceMailbox> mailbox;
  };
  void end(const void *stream);
  std::vector<std::shared_ptr<ServiceMailbox>> mailboxes();

  Device &device_;
  std::unique_ptr<Host> host_;
  Guarded<std::unordered_map<const Image *, Box>> boxes_;
  std::atomic<uint64_t> kernels_{0};                            ///< under way
  Guarded<std::unordered_map<const void *, uint64_t>> streams_; ///< those of each
};

} // namespace omptarget::gpu
