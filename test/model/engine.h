// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides every step of a scenario: which thread goes on, and which value a load reads.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <csetjmp>
#include <cstdint>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace checked {

/// The actions of the threads of one scenario, and what must hold in the end. Made anew for each execution. All that
/// they share is the checker's: atomics, data guarded by a mutex, or a Shared.
struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<void()> check;    ///< after all threads, which it knows everything of
  size_t first_reader = SIZE_MAX; ///< from this one on threads only load: they need no turn before the others are done
};

inline constexpr size_t kMostLocations = 256, kMostMutexes = 64, kMostShared = 16, kMostThreads = 8;

/// For each location the number of the latest store that is known of.
using View = std::array<uint8_t, kMostLocations>;

struct Store {
  uint64_t value;
  View view; ///< the knowledge of a thread that reads it by an acquire load
};

struct Mutex {
  bool is_held = false;
  View view{};
};

/// Objects of steps: locations, threads that sleep at them, mutexes, variables of the scenario.
using Objects = std::bitset<2 * kMostLocations + kMostMutexes + kMostShared>;

/// The objects that a step of a thread touches, for each value that its loads may read.
struct Footprint {
  Objects changed, touched; ///< touched: changed or read
  bool proceeds = false;    ///< with some of these values it does not end at a mutex that another thread holds
};

struct Thread {
  ucontext_t context; ///< its start
  std::jmp_buf where; ///< its next step
  bool is_started = false;
  std::unique_ptr<char[]> stack;
  std::function<void()> run;
  View view{};
  View fenced{};  ///< knowledge that its relaxed stores pass on since its last fence
  View pending{}; ///< knowledge of its relaxed loads, which its next fence makes its own
  bool is_done = false;
  int64_t waits_for_mutex = -1;
  int64_t waits_for_location = -1; ///< until somebody notifies
  int64_t waits_for_change = -1;   ///< the location that must change from changes_from
  uint64_t changes_from = 0;
};

struct Choice {
  size_t taken, count;
  size_t turn; ///< number among the turns, or kNoTurn: of a value
};
inline constexpr size_t kNoTurn = SIZE_MAX;

/// The objects that the step of each thread that could go on at some point touched, in the order in which they are
/// tried. A thread may take its step later with the same result, as long as no other thread changes what the step
/// touches. A load may read what is old, so doing it later loses nothing. So a thread that had its turn at a point
/// sleeps in the executions in which another one has it, until that change.
using Turn = std::array<Footprint, kMostThreads>;

/// Executes scenarios. Its threads take turns: only one of them runs.
class Engine {
public:
  /// All executions of the scenario, less those that others cover; false, having printed the first one that fails, if
  /// one does.
  bool explore(const char *name, const std::function<Scenario()> &make, uint64_t most_executions);
  /// The same, printing nothing; leaves out nothing if is_full. Returns how many there were.
  uint64_t explore_quietly(const std::function<Scenario()> &make, bool is_full, uint64_t most_executions, bool &holds);
  /// Within a scenario: this execution is wrong.
  void require(bool holds, const char *what);

  // The steps of a scenario. Locations and mutexes are numbered.

  uint32_t new_location(uint64_t value);
  uint64_t load(uint32_t location, std::memory_order order);
  void store(uint32_t location, uint64_t value, std::memory_order order);
  /// Replaces the latest value; change gets it and returns the new one.
  uint64_t modify(uint32_t location, const std::function<uint64_t(uint64_t)> &change, std::memory_order order);
  bool compare_exchange(uint32_t location, uint64_t &expected, uint64_t desired, std::memory_order success,
                        std::memory_order failure);
  /// Both an acquire and a release fence.
  void fence();
  void wait(uint32_t location, uint64_t old, std::memory_order order);
  void notify(uint32_t location);
  /// The same as one that everybody who changes the location notifies: it is a lock.
  void wait_for_change(uint32_t location, uint64_t old, std::memory_order order);
  uint32_t new_mutex();
  void lock(uint32_t mutex);
  bool try_lock(uint32_t mutex);
  void unlock(uint32_t mutex);
  uint32_t new_shared();
  /// The step uses a variable that only one thread at a time uses, in the order of their steps.
  void use_shared(uint32_t shared);

  /// The number of the thread whose step it is.
  size_t current_thread() const;

  /// The body of each thread.
  void run_current();

private:
  void execute(const std::function<Scenario()> &make);
  void run_threads(size_t first_reader);
  size_t pick(size_t first_reader);
  void run_step(size_t thread);
  void end_step(size_t thread, size_t first_reader);
  bool would_wait_for_ever(size_t first_reader) const;
  bool is_runnable(const Thread &thread) const;
  bool next_execution();
  size_t choose(size_t count, size_t turn = kNoTurn);
  void touch(size_t object, bool changes);
  void pause();
  View &view() { return current_ ? current_->view : all_known_; }
  uint64_t read(uint32_t location, size_t number, std::memory_order order);
  void append(uint32_t location, uint64_t value, std::memory_order order, const View *continued);
  void note(const char *what, uint32_t location, uint64_t value);

  static bool acquires(std::memory_order order) {
    return order != std::memory_order_relaxed && order != std::memory_order_release;
  }
  static bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }

  std::vector<std::vector<Store>> locations_{kMostLocations};
  size_t location_count_ = 0;
  std::vector<Mutex> mutexes_;
  uint32_t shared_count_ = 0;
  std::vector<std::unique_ptr<Thread>> threads_;
  size_t thread_count_ = 0;
  Thread *current_ = nullptr; ///< null: the scenario is set up or checked
  std::jmp_buf scheduler_;
  View all_known_{};
  bool is_concurrent_ = false;
  std::vector<Choice> choices_;
  size_t depth_ = 0;
  std::vector<Turn> turns_; ///< those among the choices
  size_t current_turn_ = kNoTurn, current_candidate_ = 0;
  Footprint step_; ///< the current thread's
  std::array<Footprint, kMostThreads> asleep_;
  std::bitset<kMostThreads> is_asleep_;
  bool is_full_ = false;
  bool is_covered_ = false; ///< executions that were or will be cover it: this one ends early
  const char *failure_ = nullptr;
  bool is_printing_ = false;
};

extern Engine engine;

} // namespace checked
