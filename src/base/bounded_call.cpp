// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/bounded_call.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <memory>
#include <pthread.h>

namespace omptarget {

namespace {

struct BoundedCall {
  std::function<void()> function;
  std::atomic<bool> is_done{false};
};

void *run(void *argument) {
  const std::unique_ptr<std::shared_ptr<BoundedCall>> call(static_cast<std::shared_ptr<BoundedCall> *>(argument));
  (*call)->function();
  (*call)->is_done.store(true, std::memory_order_release);
  return nullptr;
}

/// Signals are for the program's threads.
bool start_without_signals(std::unique_ptr<std::shared_ptr<BoundedCall>> call) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool is_started = pthread_create(&thread, nullptr, run, call.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!is_started)
    return false;
  (void)call.release(); // the thread's
  pthread_detach(thread);
  return true;
}

} // namespace

bool call_until(Deadline deadline, std::function<void()> function) {
  auto call = std::make_shared<BoundedCall>();
  call->function = std::move(function);
  if (!start_without_signals(std::make_unique<std::shared_ptr<BoundedCall>>(call))) {
    call->function();
    return true;
  }
  return wait_until(deadline, [&] { return call->is_done.load(std::memory_order_acquire); });
}

void pause_briefly() {
  const timespec moment{0, 200'000};
  nanosleep(&moment, nullptr);
}

} // namespace omptarget
