// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/libomp.h"

#include <atomic>
#include <cfenv>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/fork_gate.h"
#include "base/format.h"
#include "base/text_output.h"
#include "base/uncancelled.h"

extern "C" {
[[gnu::weak]] int __kmpc_get_target_offload(void);
[[gnu::weak]] int32_t __kmpc_global_thread_num(void *location);
[[gnu::weak]] void __kmpc_omp_wait_deps(void *location, int32_t thread, int32_t count, void *dependences,
                                        int32_t count_no_alias, void *no_alias);
[[gnu::weak]] int omp_get_default_device(void);
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

enum State : int { kUnused, kStarted, kMayEnd, kAbsent };
constinit std::atomic<int> state{kUnused};

/// The thread that ends the process, which libomp goes on answering. Set before kMayEnd.
constinit std::atomic<pthread_t> ending_thread{};

/// The first number that libomp has told, and the number that all threads were told. kDiffers: threads were told
/// different numbers, and each remembers its own.
constexpr int32_t kNothing = INT32_MIN, kDiffers = INT32_MIN + 1;
constinit std::atomic<int32_t> first_default_device{kNothing};
constinit std::atomic<int32_t> usual_default_device{kNothing};
thread_local constinit int32_t own_default_device = kNothing;

[[gnu::noinline, gnu::cold]] void remember_default_device(int32_t number) {
  int32_t first = kNothing;
  if (first_default_device.compare_exchange_strong(first, number))
    first = number;
  int32_t usual = kNothing;
  if (first == number && (usual_default_device.compare_exchange_strong(usual, number) || usual == number))
    return;
  usual_default_device.store(kDiffers);
  own_default_device = number;
}

/// Microseconds in which the threads that libomp is answering get on, also those that wait for this one's processor.
constexpr useconds_t kTimeToReturn = 200;

bool has_other_threads() {
  struct stat tasks{};
  constexpr nlink_t kOfOne = 3;
  return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > kOfOne;
}

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

[[noreturn, gnu::cold]] void end_without_libomp() {
  omptarget::write_error_line("omptarget fatal error: the OpenMP runtime of the process cannot be used: another thread "
                              "of the parent was starting it at the fork");
  std::abort();
}

/// Other threads learn of the start after the forks that were waiting for it: libomp's own handlers did not run for
/// these.
[[gnu::noinline, gnu::cold]] void start() {
  if (is_start_lost.load(std::memory_order_relaxed)) // of one thread, before there are others
    end_without_libomp();
  const omptarget::Uncancelled uncancelled; // libomp starts under a lock
  {
    const omptarget::ForkGate::Inside inside(gate);
    provide_environment();
    if (__kmpc_get_target_offload)
      __kmpc_get_target_offload();
    else if (__kmpc_global_thread_num)
      __kmpc_global_thread_num(nullptr);
    if (!inside.is_outermost())
      return; // libomp has called us back
  }
  int expected = kUnused;
  state.compare_exchange_strong(expected, omp_get_default_device ? kStarted : kAbsent, std::memory_order_release,
                                std::memory_order_relaxed);
}

void ensure_started() {
  if (state.load(std::memory_order_acquire) == kUnused) [[unlikely]]
    start();
}

/// It has been started.
int32_t ask_for_default_device() {
  const int32_t number = omp_get_default_device();
  if (number != usual_default_device.load(std::memory_order_relaxed)) [[unlikely]]
    remember_default_device(number);
  return number;
}

/// libomp (14 to 23) makes a file of this name when it starts. It removes the file when it begins to end, before it
/// waits for its threads and destroys the state that it answers from.
bool has_begun_to_end() {
  constexpr const char *kFile = "/dev/shm/__KMP_REGISTERED_LIB_%d_%d";
  return access(omptarget::format(kFile, static_cast<int>(getpid()), static_cast<int>(getuid())).c_str(), F_OK) != 0;
}

/// Returns whether libomp, which has been started, may be called by this thread.
bool may_be_called() {
  return state.load(std::memory_order_acquire) != kMayEnd || !has_begun_to_end() ||
         pthread_equal(ending_thread.load(), pthread_self());
}

/// Returns the default device before libomp's start and near its end. Once libomp has begun to end, that is the
/// number that this thread was told last, or the number that all threads were told.
[[gnu::noinline, gnu::cold]] int32_t default_device_otherwise() {
  ensure_started();
  if (!omp_get_default_device)
    return 0;
  if (may_be_called())
    return ask_for_default_device();
  return own_default_device != kNothing ? own_default_device : first_default_device.load();
}

} // namespace

namespace omptarget::libomp {

void before_fork() { gate.before_fork(kForkPatience); }
void after_fork() { gate.after_fork(); }
void forget_other_starters() {
  if (gate.has_others())
    is_start_lost.store(true, std::memory_order_relaxed);
  gate.forget_others();
}

Offload target_offload() {
  ensure_started();
  if (!__kmpc_get_target_offload)
    return Offload::kDefault;
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

void note_end() {
  if (state.load(std::memory_order_acquire) != kStarted)
    return;
  ask_for_default_device(); // so that something is known
  ending_thread.store(pthread_self());
  state.store(kMayEnd, std::memory_order_release);
  if (has_other_threads())
    usleep(kTimeToReturn);
}

int32_t default_device() {
  if (state.load(std::memory_order_acquire) != kStarted) [[unlikely]]
    return default_device_otherwise();
  return ask_for_default_device();
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
  return omp_get_max_teams && may_be_called() ? omp_get_max_teams() : 0;
}

int32_t teams_thread_limit() {
  ensure_started();
  return omp_get_teams_thread_limit && may_be_called() ? omp_get_teams_thread_limit() : 0;
}

void set_num_teams(int32_t number) {
  ensure_started();
  if (omp_set_num_teams && may_be_called())
    omp_set_num_teams(number);
}

void set_teams_thread_limit(int32_t number) {
  ensure_started();
  if (omp_set_teams_thread_limit && may_be_called())
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
  if (state.load(std::memory_order_acquire) != kStarted) [[unlikely]] {
    ensure_started();
    if (!may_be_called())
      return;
  }
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
