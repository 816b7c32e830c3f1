// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/bounded_call.h"

#include <atomic>
#include <ctime>
#include <memory>
#include <pthread.h>

#include "base/internal_thread.h"

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

bool start(std::unique_ptr<std::shared_ptr<BoundedCall>> call) {
  pthread_t thread;
  if (create_internal_thread(thread, run, call.get()) != 0)
    return false;
  (void)call.release(); // the thread's
  pthread_detach(thread);
  return true;
}

} // namespace

bool call_until(Deadline deadline, std::function<void()> function) {
  auto call = std::make_shared<BoundedCall>();
  call->function = std::move(function);
  if (!start(std::make_unique<std::shared_ptr<BoundedCall>>(call))) {
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
