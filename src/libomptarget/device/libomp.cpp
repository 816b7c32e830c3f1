// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/libomp.h"

#include <atomic>
#include <cfenv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <strings.h>
#include <unistd.h>
#include <vector>

#include "base/bounded_call.h"
#include "base/fork_gate.h"
#include "base/format.h"
#include "base/inside_loader.h"
#include "base/internal_thread.h"
#include "base/text_output.h"
#include "base/uncancelled.h"
#include "image/module_bounds.h"
#include "omptarget/types.h"

extern "C" {
[[gnu::weak]] int __kmpc_get_target_offload(void);
[[gnu::weak]] int32_t __kmpc_global_thread_num(void *location);
[[gnu::weak]] int32_t __kmpc_global_num_threads(void *location);
[[gnu::weak]] void __kmpc_push_num_threads(void *location, int32_t thread, int32_t count);
[[gnu::weak]] void __kmpc_fork_call(void *location, int32_t count, void (*function)(int32_t *, int32_t *), ...);
[[gnu::weak]] void __kmpc_omp_wait_deps(void *location, int32_t thread, int32_t count, void *dependences,
                                        int32_t count_no_alias, void *no_alias);
[[gnu::weak]] void omp_set_default_device(int number);
[[gnu::weak]] int omp_get_num_threads(void);
[[gnu::weak]] int omp_get_max_teams(void);
[[gnu::weak]] int omp_get_teams_thread_limit(void);
[[gnu::weak]] void omp_set_num_teams(int number);
[[gnu::weak]] void omp_set_teams_thread_limit(int number);
[[gnu::weak]] void __kmpc_serialized_parallel(void *location, int32_t thread);
[[gnu::weak]] void __kmpc_end_serialized_parallel(void *location, int32_t thread);
[[gnu::weak]] void __kmpc_taskgroup(void *location, int32_t thread);
[[gnu::weak]] void __kmpc_end_taskgroup(void *location, int32_t thread);
[[gnu::weak]] void kmp_set_defaults(const char *settings);
[[gnu::weak]] void **__kmpc_omp_get_target_async_handle_ptr(int32_t thread);
[[gnu::weak]] bool __kmpc_omp_has_task_team(int32_t thread);
/// libomp 23 puts here what it has found as __tgt_target_sync.
[[gnu::weak]] extern int (*kmp_target_sync_cb)(void *location, int32_t thread, void *task, void *event);
struct OmptargetTask;
[[gnu::weak]] OmptargetTask *__kmpc_omp_target_task_alloc(void *location, int32_t thread, int32_t flags,
                                                          size_t task_size, size_t shared_size,
                                                          int32_t (*entry)(int32_t thread, OmptargetTask *task),
                                                          int64_t device);
[[gnu::weak]] int32_t __kmpc_omp_task_with_deps(void *location, int32_t thread, OmptargetTask *task, int32_t count,
                                                void *dependences, int32_t count_no_alias, void *no_alias);
/// The head of libomp's record of a task, and what we keep behind it.
struct OmptargetTask {
  void *shared;
  void *entry;
  int32_t part;
  int64_t data[2];
  omptarget::libomp::TaskFunction function;
  void *argument;
};
}

namespace {

/// libomp's record of one dependence. A depend object points to the first of several; the record before it tells how
/// many.
struct Dependence {
  intptr_t address;
  size_t length;
  uint8_t flags;
};
static_assert(sizeof(Dependence) == 24);

std::vector<Dependence> dependences_of(int32_t count, void **objects) {
  std::vector<Dependence> all;
  for (int32_t i = 0; i < count; ++i) {
    const auto *first = static_cast<const Dependence *>(objects[i]);
    if (first)
      all.insert(all.end(), first, first + first[-1].address);
  }
  return all;
}

int32_t run_task(int32_t, OmptargetTask *task) {
  task->function(task->argument);
  return 0;
}

enum State : int { kUnused, kStarted, kAbsent };
constinit std::atomic<int> state{kUnused};

/// The threads that start libomp do not wait for one another: it has a lock of its own for that, and calls us with it
/// held.
constinit omptarget::ForkGate gate;

/// An OMPT tool that libomp starts may take long to get ready.
constexpr auto kForkPatience = std::chrono::seconds(10);

/// libomp reads the environment without asking whether there is one: clearenv() leaves a null pointer. The C library
/// makes a new one, under its own lock.
void provide_environment() {
  constexpr const char *kAny = "OMPTARGET_NO_ENVIRONMENT";
  if (environ || setenv(kAny, "", 1) != 0)
    return;
  unsetenv(kAny);
}

/// In the child of a fork that did not outlast another thread's start of libomp, whose locks nobody gives back there.
constinit std::atomic<bool> is_start_lost{false};

/// The process of the last fork may have had other threads, and these may have been inside of libomp.
bool has_threads_at_fork = false; // with the gate's lock held
/// In its child, until libomp was tried.
constinit std::atomic<bool> is_start_doubtful{false};

[[noreturn, gnu::cold]] void end_without_libomp() {
  omptarget::write_error_line("omptarget fatal error: the OpenMP runtime of the process cannot be used: another thread "
                              "of the parent was starting it at the fork");
  std::abort();
}

void start_here() {
  provide_environment();
  if (__kmpc_get_target_offload)
    __kmpc_get_target_offload();
  else if (__kmpc_global_thread_num)
    __kmpc_global_thread_num(nullptr);
}

void note_started() {
  int expected = kUnused;
  state.compare_exchange_strong(expected, omp_get_default_device ? kStarted : kAbsent, std::memory_order_release,
                                std::memory_order_relaxed);
}

/// Earlier C libraries hold the lock of fork's handlers while these run, and libomp's start takes it.
bool can_start_in_fork_handler() {
  int major = 0, minor = 0;
  return std::sscanf(gnu_get_libc_version(), "%d.%d", &major, &minor) == 2 && (major > 2 || minor >= 36);
}

/// Waits for the threads that have come to libomp's locks by now. The locks let threads in as they come, and a new
/// thread of libomp's passes through them. The wait is short, as libomp's own fork handlers may hold the locks in this
/// thread.
void wait_for_newcomers() {
  pthread_t thread;
  const auto pass = [](void *) -> void * {
    __kmpc_global_thread_num(nullptr);
    return nullptr;
  };
  if (omptarget::create_internal_thread(thread, pass, nullptr) != 0)
    return;
  timespec end{};
  clock_gettime(CLOCK_REALTIME, &end);
  constexpr long kNanoseconds = 1'000'000'000, kMoment = 50'000'000;
  end.tv_sec += (end.tv_nsec + kMoment) / kNanoseconds;
  end.tv_nsec = (end.tv_nsec + kMoment) % kNanoseconds;
  if (pthread_timedjoin_np(thread, nullptr, &end) != 0)
    pthread_detach(thread);
}

/// Makes a team of two. If libomp takes a thread of the parent for one of its own, that does not come.
void make_team() {
  static ident_t nowhere{0, 2, 0, 0, ";unknown;unknown;0;0;;"};
  if (!__kmpc_fork_call || !__kmpc_push_num_threads)
    return;
  __kmpc_push_num_threads(&nowhere, __kmpc_global_thread_num(&nowhere), 2);
  __kmpc_fork_call(&nowhere, 0, [](int32_t *, int32_t *) {});
}

bool has_libomp_threads() { return __kmpc_global_num_threads && __kmpc_global_num_threads(nullptr) != 0; }

/// Ends the process if this does not live shorter than the patience.
class Watch {
public:
  Watch() : is_on_(kMayStartThread && omptarget::create_internal_thread(thread_, wait, this) == 0) {}
  ~Watch() {
    is_over_.store(true, std::memory_order_release);
    if (is_on_)
      pthread_join(thread_, nullptr);
  }
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

private:
#ifdef __SANITIZE_THREAD__
  static constexpr bool kMayStartThread = false; // it ends children that do
#else
  static constexpr bool kMayStartThread = true;
#endif

  static void *wait(void *watch) {
    const auto is_over = [watch] { return static_cast<Watch *>(watch)->is_over_.load(std::memory_order_acquire); };
    if (!omptarget::wait_until(std::chrono::steady_clock::now() + kForkPatience, is_over))
      end_without_libomp();
    return nullptr;
  }

  std::atomic<bool> is_over_{false};
  pthread_t thread_{};
  const bool is_on_;
};

/// Tries libomp in the child of a fork. A thread of the parent may have held one of its locks, or waited for one, which
/// libomp's own fork handlers do not mend. If libomp was being started then, these handlers did not run.
void start_in_child() {
  is_start_doubtful.store(false, std::memory_order_relaxed);
  const Watch watch;
  const bool has_threads_of_parent = has_libomp_threads();
  start_here();
  __kmpc_global_thread_num(nullptr);
  if (has_threads_of_parent)
    make_team();
}

/// Other threads learn of the start after the forks that were waiting for it: libomp's own handlers did not run for
/// these.
[[gnu::noinline, gnu::cold]] void start() {
  if (is_start_lost.load(std::memory_order_relaxed)) // of one thread, before there are others
    end_without_libomp();
  const omptarget::Uncancelled uncancelled; // libomp starts under a lock
  {
    const omptarget::ForkGate::Inside inside(gate);
    if (is_start_doubtful.load(std::memory_order_relaxed)) // of one thread, too
      start_in_child();
    else
      start_here();
    if (!inside.is_outermost())
      return; // libomp has called us back
  }
  note_started();
}

} // namespace

namespace omptarget::libomp {

void ensure_started() {
  if (state.load(std::memory_order_acquire) == kUnused)
    start();
}

/// Other threads' own code may be starting libomp, with its lock held. So the fork's thread starts it, too, which waits
/// for them.
void before_fork() {
  gate.before_fork(kForkPatience);
  has_threads_at_fork = __kmpc_global_thread_num && may_have_threads();
  if (!has_threads_at_fork || state.load(std::memory_order_acquire) != kUnused || gate.has_others() ||
      !can_start_in_fork_handler() || is_inside_libomp()) // libomp's start runs tools, which may fork
    return;
  start_here();
  wait_for_newcomers();
  note_started();
}

void after_fork() { gate.after_fork(); }

void forget_other_threads() {
  if (gate.has_others())
    is_start_lost.store(true, std::memory_order_relaxed);
  if (has_threads_at_fork) {
    is_start_doubtful.store(true, std::memory_order_relaxed);
    state.store(kUnused, std::memory_order_relaxed); // so that the first use comes to start()
  }
  gate.forget_others();
  forget_other_users();
}

/// What the standard's variable says, for host runtimes that do not tell.
static Offload offload_of_environment() {
  const char *const text = std::getenv("OMP_TARGET_OFFLOAD");
  return !text                                ? Offload::kDefault
         : strcasecmp(text, "mandatory") == 0 ? Offload::kMandatory
         : strcasecmp(text, "disabled") == 0  ? Offload::kDisabled
                                              : Offload::kDefault;
}

Offload target_offload() {
  ensure_started();
  if (!__kmpc_get_target_offload)
    return offload_of_environment();
  const int offload = __kmpc_get_target_offload();
  return offload == 0 ? Offload::kDisabled : offload == 2 ? Offload::kMandatory : Offload::kDefault;
}

std::string library_file() {
  Dl_info facts{};
  if (!__kmpc_global_thread_num || ::dladdr(reinterpret_cast<void *>(__kmpc_global_thread_num), &facts) == 0 ||
      !facts.dli_fname)
    return {};
  // A program may stand for the function that it calls.
  const std::string path = facts.dli_fname;
  const std::string name = path.substr(path.rfind('/') + 1);
  return path.starts_with('/') && (name.starts_with("libomp.so") || name.starts_with("libiomp5.so")) ? path : "";
}

bool is_inside_libomp() {
  const auto range = module_range(reinterpret_cast<void *>(__kmpc_global_thread_num));
  return range && is_called_from(range->begin, range->end);
}

bool has_default_device() { return state.load(std::memory_order_acquire) == kStarted; }

int32_t default_device() {
  ensure_started();
  return omp_get_default_device ? omp_get_default_device() : 0;
}

bool set_default_device(int32_t number) {
  if (!omp_set_default_device || !kmp_set_defaults)
    return false;
  ensure_started();
  // For the threads that libomp does not know yet, and for the calling one.
  kmp_set_defaults(format("OMP_DEFAULT_DEVICE=%d", number).c_str());
  omp_set_default_device(number);
  return true;
}

int32_t max_teams() {
  ensure_started();
  return omp_get_max_teams ? omp_get_max_teams() : 0;
}

int32_t teams_thread_limit() {
  ensure_started();
  return omp_get_teams_thread_limit ? omp_get_teams_thread_limit() : 0;
}

void set_num_teams(int32_t number) {
  ensure_started();
  if (omp_set_num_teams)
    omp_set_num_teams(number);
}

void set_teams_thread_limit(int32_t number) {
  ensure_started();
  if (omp_set_teams_thread_limit)
    omp_set_teams_thread_limit(number);
}

int32_t global_thread(ident_t *location) {
  ensure_started();
  return __kmpc_global_thread_num ? __kmpc_global_thread_num(location) : 0;
}

void wait_for_dependences(ident_t *location, int32_t count, void *dependences, int32_t count_no_alias, void *no_alias) {
  if (count + count_no_alias > 0 && __kmpc_omp_wait_deps)
    __kmpc_omp_wait_deps(location, global_thread(location), count, dependences, count_no_alias, no_alias);
}

bool start_task(TaskFunction function, void *argument, int32_t count, void **depend_objects) {
  if (!__kmpc_omp_target_task_alloc || !__kmpc_omp_task_with_deps || !__kmpc_global_thread_num)
    return false;
  constexpr int64_t kAnyDevice = -1;
  const int32_t thread = global_thread(nullptr);
  OmptargetTask *task =
      __kmpc_omp_target_task_alloc(nullptr, thread, 0, sizeof(OmptargetTask), 0, run_task, kAnyDevice);
  if (!task)
    return false;
  task->function = function;
  task->argument = argument;
  std::vector<Dependence> dependences = dependences_of(count, depend_objects);
  __kmpc_omp_task_with_deps(nullptr, thread, task, static_cast<int32_t>(dependences.size()), dependences.data(), 0,
                            nullptr);
  return true;
}

void TeamOfOne::begin(bool tasks_last) {
  if (!omp_get_num_threads || !__kmpc_global_thread_num)
    return;
  ensure_started();
  if (omp_get_num_threads() != 1) {
    if (!__kmpc_serialized_parallel || !__kmpc_end_serialized_parallel)
      return;
    __kmpc_serialized_parallel(nullptr, __kmpc_global_thread_num(nullptr));
    begun_ = Begun::kTeam;
  } else if (tasks_last && __kmpc_taskgroup && __kmpc_end_taskgroup) {
    __kmpc_taskgroup(nullptr, __kmpc_global_thread_num(nullptr));
    begun_ = Begun::kGroup;
  }
}

// libomp restores the floating-point control of the team outside, and clears the flags of exceptions with it.
void TeamOfOne::end() const {
  if (begun_ == Begun::kGroup)
    return __kmpc_end_taskgroup(nullptr, __kmpc_global_thread_num(nullptr));
  fexcept_t flags;
  fegetexceptflag(&flags, FE_ALL_EXCEPT);
  __kmpc_end_serialized_parallel(nullptr, __kmpc_global_thread_num(nullptr));
  fesetexceptflag(&flags, FE_ALL_EXCEPT);
}

void wait_for_depend_objects(int32_t count, void **depend_objects) {
  std::vector<Dependence> dependences = dependences_of(count, depend_objects);
  wait_for_dependences(nullptr, static_cast<int32_t>(dependences.size()), dependences.data(), 0, nullptr);
}

bool calls_target_sync() { return &kmp_target_sync_cb != nullptr && kmp_target_sync_cb != nullptr; }

bool has_target_tasks() { return __kmpc_omp_get_target_async_handle_ptr && __kmpc_omp_has_task_team; }

void **async_handle(int32_t thread) {
  if (!has_target_tasks() || !__kmpc_omp_has_task_team(thread))
    return nullptr;
  return __kmpc_omp_get_target_async_handle_ptr(thread);
}

} // namespace omptarget::libomp
