// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What decides every step of a scenario: which thread goes on, and which value a load reads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace checked {

/// What the threads of one scenario do, and what must hold in the end. Made anew for each execution.
struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<void()> check; ///< after all threads, which it knows everything of
  size_t first_reader = SIZE_MAX; ///< from this one on threads only load: they need no turn before the others are done
};

inline constexpr size_t kMostLocations = 256;

/// For each location the number of the latest store that is known of.
using View = std::array<uint8_t, kMostLocations>;

struct Store {
  uint64_t value;
  View view; ///< what reading it by an acquire load tells
};

struct Mutex {
  bool is_held = false;
  View view{};
};

struct Thread {
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  std::function<void()> run;
  View view{};
  bool is_done = false;
  int64_t waits_for_mutex = -1;
  int64_t waits_for_location = -1; ///< until somebody notifies
};

struct Choice {
  size_t taken, count;
};

/// Executes scenarios. Its threads take turns: only one of them runs.
class Engine {
public:
  /// All executions of the scenario; false, having printed the first one that fails, if one does.
  bool explore(const char *name, const std::function<Scenario()> &make, uint64_t most_executions);
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
  void wait(uint32_t location, uint64_t old, std::memory_order order);
  void notify(uint32_t location);
  uint32_t new_mutex();
  void lock(uint32_t mutex);
  bool try_lock(uint32_t mutex);
  void unlock(uint32_t mutex);

  /// The body of each thread.
  void run_current();

private:
  void execute(const std::function<Scenario()> &make);
  void run_threads(size_t first_reader);
  size_t pick(size_t first_reader);
  bool is_runnable(const Thread &thread) const;
  bool next_execution();
  size_t choose(size_t count);
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
  std::vector<std::unique_ptr<Thread>> threads_;
  size_t thread_count_ = 0;
  Thread *current_ = nullptr; ///< null: the scenario is set up or checked
  ucontext_t scheduler_{};
  View all_known_{};
  bool is_concurrent_ = false;
  std::vector<Choice> choices_;
  size_t depth_ = 0;
  const char *failure_ = nullptr;
  bool is_printing_ = false;
};

extern Engine engine;

} // namespace checked
