// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/domain_threads.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#include "base/log.h"
#include "host/openmp_function.h"

namespace omptarget::host {

/// A thread and the call that it is to make. Never destroyed.
struct DomainThreads::Leader {
  const NumaDomain *domain;
  std::mutex mutex;
  std::condition_variable changed;
  Work work = nullptr; ///< null: none, or it is done
  void *data = nullptr;
};

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

/// Threads get the stack that the program's first one has; where that one has no limit, as much as nobody needs.
void set_stack_size(pthread_attr_t &attributes) {
  constexpr size_t kPlenty = size_t{64} << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY)
    pthread_attr_setstacksize(&attributes, kPlenty);
}

} // namespace

void *DomainThreads::serve(void *argument) {
  auto &leader = *static_cast<Leader *>(argument);
  own_domain = leader.domain;
  bound_to = leader.domain;
  HostTeams::get().make_initial_thread(*leader.domain);
  std::unique_lock lock(leader.mutex);
  while (true) {
    leader.changed.wait(lock, [&] { return leader.work != nullptr; });
    const Work work = leader.work;
    void *const data = leader.data;
    lock.unlock();
    HostTeams::get().gather(*leader.domain);
    work(data);
    lock.lock();
    leader.work = nullptr;
    leader.changed.notify_all();
  }
}

Result<DomainThreads::Leader *> DomainThreads::make_leader() {
  auto leader = std::make_unique<Leader>();
  leader->domain = &domain_;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  set_stack_size(attributes);
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, serve, leader.get());
  pthread_attr_destroy(&attributes);
  if (error != 0)
    return Status::error(format("no thread can be made for NUMA domain %d: %s", domain_.number, std::strerror(error)));
  pthread_setname_np(thread, format("numa-%d", domain_.number).c_str());
  return leader.release();
}

Status DomainThreads::run_on_leader(Work work, void *data) {
  if (own_domain == &domain_) {
    work(data);
    return Status::ok();
  }
  Leader *leader = nullptr;
  if (auto idle = idle_.lock(); !idle->empty()) {
    leader = idle->back();
    idle->pop_back();
  }
  if (!leader) {
    OMPTARGET_TRY_ASSIGN(leader, make_leader());
  }
  {
    std::unique_lock lock(leader->mutex);
    leader->work = work;
    leader->data = data;
    leader->changed.notify_all();
    leader->changed.wait(lock, [&] { return leader->work == nullptr; });
  }
  idle_.lock()->push_back(leader);
  return Status::ok();
}

void DomainThreads::forget() { idle_.lock()->clear(); }

} // namespace omptarget::host
