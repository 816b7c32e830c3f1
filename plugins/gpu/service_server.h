// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that serves the mailboxes of all devices of a plugin. There is none before a kernel that may ask for something was launched;
// it sleeps while none is under way, and ends with the last mailbox.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/service_mailbox.h"

namespace omptarget::gpu {

/// Any thread. Not used in the child of a fork, where the thread is not.
class ServiceServer {
public:
  /// That of the plugin; never destroyed, as the process may end while its thread serves.
  static ServiceServer &get();

  void add(std::shared_ptr<ServiceMailbox> mailbox);
  /// The mailbox is not served any more on return.
  void remove(const std::shared_ptr<ServiceMailbox> &mailbox);

  /// So many kernels that may ask for something begin, or have ended.
  void begin(uint64_t kernels);
  void end(uint64_t kernels);

private:
  void run();
  void wait(std::unique_lock<std::mutex> &lock, bool has_served);

  std::mutex mutex_; ///< not held while mailboxes are served
  std::condition_variable wakes_;
  std::vector<std::shared_ptr<ServiceMailbox>> mailboxes_;
  uint64_t kernels_ = 0; ///< under way
  uint32_t idle_rounds_ = 0;
  std::thread thread_;
};

} // namespace omptarget::gpu
