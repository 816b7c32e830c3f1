// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/domain_threads.h"

#include <cstdlib>
#include <cstring>
#include <pthread.h>

#include "base/log.h"
#include "host/openmp_function.h"

namespace omptarget::host {

namespace {

bool setting_of_host(const char *name) {
  const char *const text = std::getenv(name);
  return text && *text;
}

/// The domain whose leader this thread is.
constinit thread_local const NumaDomain *own_domain = nullptr;
/// The domain that this thread was bound to last.
constinit thread_local const NumaDomain *bound_to = nullptr;

void stay_in(const NumaDomain &domain) {
  if (const int error = run_on_cpus(pthread_self(), domain.cpus); error != 0)
    OMPTARGET_TRACE(Topic::kDevice, "a thread cannot be bound to NUMA domain %d: %s", domain.number,
                    std::strerror(error));
}

/// Functions of the host's OpenMP runtime for compilers (abi: __kmpc_*). Any of them may be missing.
class HostTeams {
  struct Ident {
    int32_t reserved = 0;
    int32_t flags = 2; // flags of the calls that compilers make
    int32_t reserved_too[2] = {};
    const char *source = ";unknown;unknown;0;0;;";
  };
  using Microtask = void (*)(int32_t *, int32_t *, ...);

public:
  static const HostTeams &get() {
    static const HostTeams functions;
    return functions;
  }

  /// Makes the calling thread an initial thread, bound to its domain, whose regions have as many threads as the
  /// domain has CPUs unless OMP_NUM_THREADS says how many.
  void make_initial_thread(const NumaDomain &domain) const {
    if (set_num_threads_ && !setting_of_host("OMP_NUM_THREADS"))
      set_num_threads_(static_cast<int>(domain.cpus.size()));
    // The runtime binds initial threads when it is asked for places, and at the latest before their first region.
    if (get_num_places_)
      get_num_places_();
    stay_in(domain);
  }

  /// Binds the threads that the region will have: those of the calling thread's team, which the runtime keeps for it.
  /// The runtime lets threads of its pool run anywhere, also after they were bound.
  void gather(const NumaDomain &domain) const {
    static Ident location;
    if (fork_call_)
      fork_call_(&location, 1, reinterpret_cast<Microtask>(&bind_thread), &domain);
    // For the region's own construct, whichever it is: the runtime keeps the number of teams as that of a parallel
    // region's threads.
    if (push_num_teams_ && global_thread_num_ && !sets_team_sizes())
      push_num_teams_(&location, global_thread_num_(&location), static_cast<int32_t>(domain.cpus.size()), 1);
  }

private:
  static bool sets_team_sizes() {
    return setting_of_host("OMP_NUM_THREADS") || setting_of_host("OMP_NUM_TEAMS") ||
           setting_of_host("OMP_TEAMS_THREAD_LIMIT");
  }
  HostTeams() = default;
  static void bind_thread(int32_t *, int32_t *, const NumaDomain *domain) {
    if (bound_to == domain)
      return;
    stay_in(*domain);
    bound_to = domain;
  }

  void (*const set_num_threads_)(int) = openmp_function<void(int)>("omp_set_num_threads");
  int (*const get_num_places_)() = openmp_function<int()>("omp_get_num_places");
  void (*const fork_call_)(Ident *, int32_t, Microtask,
                           ...) = openmp_function<void(Ident *, int32_t, Microtask, ...)>("__kmpc_fork_call");
  int32_t (*const global_thread_num_)(Ident *) = openmp_function<int32_t(Ident *)>("__kmpc_global_thread_num");
  void (*const push_num_teams_)(Ident *, int32_t, int32_t, int32_t) =
      openmp_function<void(Ident *, int32_t, int32_t, int32_t)>("__kmpc_push_num_teams");
};

} // namespace

Status DomainThreads::run_on_leader(Work work, void *data) {
  if (own_domain == &domain_) {
    work(data);
    return Status::ok();
  }
  const int error = leaders_.run([&] {
    if (own_domain != &domain_) {
      own_domain = bound_to = &domain_;
      HostTeams::get().make_initial_thread(domain_);
    }
    HostTeams::get().gather(domain_);
    work(data);
  });
  if (error != 0)
    return Status::error(format("no thread can be made for NUMA domain %d: %s", domain_.number, std::strerror(error)));
  return Status::ok();
}

} // namespace omptarget::host
