// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that make calls in place of other threads, and are kept from one call to the next.
#pragma once

#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "base/guarded.h"

namespace omptarget {

/// Never destroyed: calls may outlive exit handlers. Any thread.
class ServiceThreads {
public:
  /// name: of the threads, at most 15 characters.
  explicit ServiceThreads(std::string name) : name_(std::move(name)) {}
  ServiceThreads(const ServiceThreads &) = delete;
  ServiceThreads &operator=(const ServiceThreads &) = delete;

  /// Calls the function once, on a thread that nobody else uses, and waits for its end. That thread's stack is at
  /// least as large as the caller's, and its floating-point environment is the caller's. Returns 0, or the error
  /// number of pthread_create: then nothing has happened.
  template <typename Function> [[nodiscard]] int run(Function &&function) {
    using Callee = std::remove_reference_t<Function>;
    return call([](void *callee) { (*static_cast<Callee *>(callee))(); }, static_cast<void *>(&function));
  }

  std::mutex &mutex_for_fork() { return idle_.mutex_for_fork(); }
  /// In the child of a fork, with the mutex free: the threads are not there.
  void forget() { idle_.lock()->clear(); }

private:
  struct Server;
  using Work = void (*)(void *);
  int call(Work work, void *data);
  int make_server(Server *&server) const;
  static void *serve(void *server);

  const std::string name_;
  Guarded<std::vector<Server *>> idle_;
};

} // namespace omptarget
