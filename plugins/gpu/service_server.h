// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that serves the mailboxes of all devices of a plugin. There is none before a kernel that may ask for
// something was launched; it sleeps while none is under way, and ends with the last mailbox.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <vector>

#include "base/internal_thread.h"
#include "base/status.h"
#include "gpu/service_mailbox.h"

namespace omptarget::gpu {

/// Any thread. Not used in the child of a fork, where the thread is not.
class ServiceServer {
public:
  /// That of the plugin; never destroyed, as the process may end while its thread serves.
  static ServiceServer &get();

  /// create: a test's may fail.
  explicit ServiceServer(CreateThread *create = pthread_create) : create_(create) {}

  void add(std::shared_ptr<ServiceMailbox> mailbox);
  /// The mailbox is not served any more on return.
  void remove(const std::shared_ptr<ServiceMailbox> &mailbox);

  /// So many kernels that may ask for something begin, or have ended. They must not begin if there can be no thread.
  Status begin(uint64_t kernels);
  void end(uint64_t kernels);

private:
  static void *run(void *server);
  void serve();
  Status start();
  void wait(std::unique_lock<std::mutex> &lock, bool has_served);

  std::mutex mutex_; ///< not held while mailboxes are served
  std::condition_variable wakes_;
  std::vector<std::shared_ptr<ServiceMailbox>> mailboxes_;
  uint64_t kernels_ = 0; ///< under way
  uint32_t idle_rounds_ = 0;
  std::optional<pthread_t> thread_; ///< a thread that finds another or none here ends
  CreateThread *const create_;
};

} // namespace omptarget::gpu
