// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/service_threads.h"

#include <algorithm>
#include <cfenv>
#include <condition_variable>
#include <memory>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/unbound_thread.h"

namespace omptarget {

/// A thread and the call that it is to make. Never destroyed.
struct ServiceThreads::Server {
  size_t stack_size;
  std::mutex mutex;
  std::condition_variable changed;
  Work work = nullptr; ///< null: none, or it is done
  void *data = nullptr;
  fenv_t environment{}; ///< the caller's rounding mode and treatment of subnormal numbers
};

namespace {

/// Returns 0 for the first thread, whose stack grows, and where it is not known.
size_t own_stack_size() {
  pthread_attr_t own;
  size_t size = 0;
  if (syscall(SYS_gettid) == getpid() || pthread_getattr_np(pthread_self(), &own) != 0)
    return 0;
  pthread_attr_getstacksize(&own, &size);
  pthread_attr_destroy(&own);
  return size;
}

/// The stack that the program's first thread has. Where that one has no limit: as much as nobody needs.
size_t usual_stack_size() {
  constexpr size_t kPlenty = size_t{64} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    return static_cast<size_t>(limit.rlim_cur);
  return kPlenty;
}

/// Returns that of the calling thread, which is looked up once.
size_t wanted_stack_size() {
  static thread_local constinit size_t size = 0;
  if (size == 0)
    size = std::max(own_stack_size(), usual_stack_size());
  return size;
}

} // namespace

void *ServiceThreads::serve(void *argument) {
  auto &server = *static_cast<Server *>(argument);
  std::unique_lock lock(server.mutex);
  while (true) {
    server.changed.wait(lock, [&] { return server.work != nullptr; });
    const Work work = server.work;
    void *const data = server.data;
    fesetenv(&server.environment);
    lock.unlock();
    work(data);
    lock.lock();
    server.work = nullptr;
    server.changed.notify_all();
  }
}

int ServiceThreads::make_server(Server *&server) const {
  auto made = std::make_unique<Server>();
  made->stack_size = wanted_stack_size();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, made->stack_size);
  pthread_t thread;
  const int error = create_unbound_thread(&thread, &attributes, serve, made.get());
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return error;
  pthread_setname_np(thread, name_.c_str());
  server = made.release();
  return 0;
}

int ServiceThreads::call(Work work, void *data) {
  Server *server = nullptr;
  const size_t stack_size = wanted_stack_size();
  {
    auto idle = idle_.lock();
    const auto found =
        std::find_if(idle->rbegin(), idle->rend(), [&](const Server *each) { return each->stack_size >= stack_size; });
    if (found != idle->rend()) {
      server = *found;
      idle->erase(std::next(found).base());
    }
  }
  if (!server)
    if (const int error = make_server(server); error != 0)
      return error;
  {
    std::unique_lock lock(server->mutex);
    server->work = work;
    server->data = data;
    fegetenv(&server->environment);
    server->changed.notify_all();
    server->changed.wait(lock, [&] { return server->work == nullptr; });
  }
  idle_.lock()->push_back(server);
  return 0;
}

} // namespace omptarget
