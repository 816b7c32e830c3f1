// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that run the regions of a device that is a NUMA domain. Each is an initial thread of its own for the OpenMP
// runtime of the host, so that the teams that it forks stay in the domain, too.
#pragma once

#include "base/format.h"
#include "base/service_threads.h"
#include "base/status.h"
#include "host/numa_domain.h"

namespace omptarget::host {

/// Never destroyed. Any thread.
class DomainThreads {
public:
  /// The domain outlives it.
  explicit DomainThreads(const NumaDomain &domain) : domain_(domain), leaders_(format("numa-%d", domain.number)) {}
  DomainThreads(const DomainThreads &) = delete;
  DomainThreads &operator=(const DomainThreads &) = delete;

  /// Calls the function once, on a thread of the domain that nobody else uses, and waits for its end. In a thread of
  /// this domain it is called at once.
  template <typename Function> Status run(Function &&function) {
    struct Call {
      Function &function;
      Status status;
    } call{function, Status::ok()};
    OMPTARGET_TRY(run_on_leader(
        [](void *data) {
          auto &own = *static_cast<Call *>(data);
          own.status = own.function();
        },
        &call));
    return std::move(call.status);
  }

  std::mutex &mutex_for_fork() { return leaders_.mutex_for_fork(); }
  /// In the child of a fork: the threads are not there.
  void forget() { leaders_.forget(); }

private:
  using Work = void (*)(void *);
  Status run_on_leader(Work work, void *data);

  const NumaDomain &domain_;
  ServiceThreads leaders_;
};

} // namespace omptarget::host
