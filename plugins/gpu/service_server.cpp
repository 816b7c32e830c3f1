// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/service_server.h"

#include <algorithm>
#include <chrono>
#include <csignal>

namespace omptarget::gpu {

ServiceServer &ServiceServer::get() {
  static ServiceServer &server = *new ServiceServer;
  return server;
}

void ServiceServer::add(std::shared_ptr<ServiceMailbox> mailbox) {
  const std::lock_guard lock(mutex_);
  mailboxes_.push_back(std::move(mailbox));
}

void ServiceServer::remove(const std::shared_ptr<ServiceMailbox> &mailbox) {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    mailboxes_.erase(std::remove(mailboxes_.begin(), mailboxes_.end(), mailbox), mailboxes_.end());
    if (mailboxes_.empty())
      ended.swap(thread_);
  }
  wakes_.notify_all();
  if (ended.joinable())
    ended.join();
}

// The program's handlers of signals are for the program's threads.
void ServiceServer::begin(uint64_t kernels) {
  const std::lock_guard lock(mutex_);
  kernels_ += kernels;
  idle_rounds_ = 0;
  if (!thread_.joinable() && !mailboxes_.empty()) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  wakes_.notify_all();
}

void ServiceServer::end(uint64_t kernels) {
  const std::lock_guard lock(mutex_);
  kernels_ -= std::min(kernels, kernels_);
}

void ServiceServer::run() {
  std::unique_lock lock(mutex_);
  while (!mailboxes_.empty()) {
    if (kernels_ == 0) {
      wakes_.wait(lock);
      continue;
    }
    const std::vector<std::shared_ptr<ServiceMailbox>> mailboxes = mailboxes_;
    lock.unlock();
    bool has_served = false;
    for (const auto &mailbox : mailboxes)
      has_served |= mailbox->serve();
    lock.lock();
    wait(lock, has_served);
  }
}

// Soon again after something was asked, later and later while nothing is.
void ServiceServer::wait(std::unique_lock<std::mutex> &lock, bool has_served) {
  constexpr uint32_t kBusyRounds = 64;
  constexpr int64_t kMostMicroseconds = 500;
  idle_rounds_ = has_served ? 0 : idle_rounds_ + 1;
  if (kernels_ == 0 || mailboxes_.empty())
    return;
  if (idle_rounds_ < kBusyRounds) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
    return;
  }
  const int64_t pause = std::min<int64_t>(idle_rounds_ - kBusyRounds + 10, kMostMicroseconds);
  // Asleep, not waiting: glibc 2.28 waits by the clock that can be set only.
  lock.unlock();
  std::this_thread::sleep_for(std::chrono::microseconds(pause));
  lock.lock();
}

} // namespace omptarget::gpu
