// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host OpenMP runtime beside us, looked up weakly: older ones lack some functions, and a program may have none.
// Its first use starts it. A fork by another thread waits for that, for ten seconds at most.
#pragma once

#include <cstdint>
#include <string>

struct ident_t;

extern "C" [[gnu::weak]] int omp_get_default_device(void);

/// Not 0 while the process has one thread. The C library has it from glibc 2.32 on; in older ones its address is null.
extern "C" [[gnu::weak]] char __libc_single_threaded;

namespace omptarget::libomp {

enum class Offload { kDisabled = 0, kDefault = 1, kMandatory = 2 };

/// Fork handlers, before all others of ours.
void before_fork();
void after_fork();           ///< in parent and child
void forget_other_threads(); ///< in the child, earlier

/// OMP_TARGET_OFFLOAD as libomp understands it. Starts libomp.
Offload target_offload();

/// Starts libomp, if this was not done.
void ensure_started();

/// The process ends, and a module is finalised. From now on libomp may end at any time, and it does not protect other
/// threads from that. Its end is left out while there are threads that libomp does not know, or others that have used a
/// device (note_user), and after target tasks. The calling thread ends the process. Waits for the tasks that it has
/// left.
void note_end();

/// Notes that the calling thread uses devices, from now on until it ends. Does not return once libomp has ended.
inline void note_user();

/// The default-device-var ICV of the calling task, or 0 without libomp. Starts libomp.
int32_t default_device();
/// The same after note_user().
inline int32_t default_device_of_user();

/// The file of libomp, or empty: without it, or if it is linked into the program.
std::string library_file();

/// Sets it for the calling thread, those of its later teams, and threads that libomp does not know yet. Starts
/// libomp. False if that cannot be done.
bool set_default_device(int32_t number);

/// nteams-var and teams-thread-limit-var of the host; 0: not set. Start libomp.
int32_t max_teams();
int32_t teams_thread_limit();
void set_num_teams(int32_t number);
void set_teams_thread_limit(int32_t number);

/// The calling thread's number for the functions below. Starts libomp.
int32_t global_thread(ident_t *location);

/// Waits until the dependences are fulfilled (nothing without libomp).
void wait_for_dependences(ident_t *location, int32_t count, void *dependences, int32_t count_no_alias, void *no_alias);

/// Returns whether libomp calls __tgt_target_sync at barriers, taskwait and the end of tasks, as libomp 23 does.
bool calls_target_sync();

/// The slot for an unfinished operation of the running target task, or null if the task cannot be left unfinished.
void **async_handle(int32_t thread);

/// Returns whether the functions that target tasks need are all there.
bool has_target_tasks();

/// A piece of work to be done in a task; it deletes itself.
using TaskFunction = void (*)(void *argument);
/// Starts a task that runs function(argument) once count depend objects (omp_depend_t) are fulfilled. False if libomp
/// cannot do that: then nothing has happened.
bool start_task(TaskFunction function, void *argument, int32_t count, void **depend_objects);
/// Waits until the depend objects are fulfilled.
void wait_for_depend_objects(int32_t count, void **depend_objects);

/// Returns whether the process may have more threads than the calling one.
inline bool may_have_threads() { return &__libc_single_threaded == nullptr || !__libc_single_threaded; }

/// The implicit parallel region of a target region, whose tasks end before it does (OpenMP 5.2, section 13.8). A thread
/// of a larger team is in a team of its own until this ends. It is needed by regions that make tasks. Others are better
/// off without: it is a level more, and a number of threads that the program has pushed is lost. Starts libomp, if the
/// process has other threads or the C library does not tell.
///
/// Any other thread is in a taskgroup of its own, if tasks may last longer than libomp lets their maker wait.
class TeamOfOne {
public:
  TeamOfOne(bool is_needed, bool tasks_last) {
    if (is_needed && (tasks_last || may_have_threads()))
      begin(tasks_last);
  }
  ~TeamOfOne() {
    if (begun_ != Begun::kNothing)
      end();
  }
  TeamOfOne(const TeamOfOne &) = delete;
  TeamOfOne &operator=(const TeamOfOne &) = delete;

private:
  enum class Begun : uint8_t { kNothing, kTeam, kGroup };

  void begin(bool tasks_last);
  void end() const;

  Begun begun_ = Begun::kNothing;
};

/// Returns whether a function of libomp is among the callers.
bool is_inside_libomp();

/// The library knows this much of the calling thread. Only the functions below use it.
enum class User : uint8_t {
  kNew,
  kNoted,
  kOfLibomp, ///< and libomp has been started, which has a default device
  kEnding,   ///< the thread ends, and libomp has forgotten it: calls of libomp would crash
};
[[gnu::tls_model("initial-exec")]] extern thread_local constinit User user;
void note_new_user();
int32_t default_device_of_new_user();
inline void note_user() {
  if (user == User::kNew)
    note_new_user();
}
inline int32_t default_device_of_user() {
  return user == User::kOfLibomp ? omp_get_default_device() : default_device_of_new_user();
}
bool has_default_device(); ///< of libomp, which has been started
void forget_other_users(); ///< of forget_other_threads() only

} // namespace omptarget::libomp
