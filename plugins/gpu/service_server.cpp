// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/service_server.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/sched_point.h"
#include "base/unbound_thread.h"

namespace omptarget::gpu {

ServiceServer &ServiceServer::get() {
  static ServiceServer &server = *new ServiceServer(create_unbound_thread);
  return server;
}

void ServiceServer::add(std::shared_ptr<ServiceMailbox> mailbox) {
  const std::lock_guard lock(mutex_);
  mailboxes_.push_back(std::move(mailbox));
}

void ServiceServer::remove(const std::shared_ptr<ServiceMailbox> &mailbox) {
  std::optional<pthread_t> ended;
  {
    const std::lock_guard lock(mutex_);
    mailboxes_.erase(std::remove(mailboxes_.begin(), mailboxes_.end(), mailbox), mailboxes_.end());
    if (mailboxes_.empty())
      ended.swap(thread_);
  }
  if (!OMPTARGET_PLANTED("mailbox_end_untold"))
    wakes_.notify_all();
  if (ended)
    pthread_join(*ended, nullptr);
}

Status ServiceServer::begin(uint64_t kernels) {
  const std::lock_guard lock(mutex_);
  if (!thread_ && !mailboxes_.empty())
    OMPTARGET_TRY(start());
  kernels_ += kernels;
  idle_rounds_ = 0;
  wakes_.notify_all();
  return Status::ok();
}

Status ServiceServer::start() {
  pthread_t thread;
  const int error = create_internal_thread(thread, run, this, create_);
  if (error != 0)
    return Status::error(format("no thread can be made for host services: %s", std::strerror(error)));
  pthread_setname_np(thread, "omptarget-serve");
  thread_ = thread;
  return Status::ok();
}

void ServiceServer::end(uint64_t kernels) {
  const std::lock_guard lock(mutex_);
  kernels_ -= std::min(kernels, kernels_);
}

void *ServiceServer::run(void *server) {
  static_cast<ServiceServer *>(server)->serve();
  return nullptr;
}

// Ends when it is asked to, not when there is no mailbox: another may have come by then, which another thread serves.
void ServiceServer::serve() {
  std::unique_lock lock(mutex_);
  while (thread_ && pthread_equal(*thread_, pthread_self())) {
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
