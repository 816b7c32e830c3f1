// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics, mutexes and condition variables whose every step a checker decides. It chooses which thread goes on, and
// which of the values that the C++ memory model allows a load reads. The library's own sources are compiled with them
// in place of std's.
//
// The model: stores to one location have an order, that of the execution. A load may read any of them that is not older
// than what its thread knows of. A release store carries what its thread knows, and a thread that reads it by an
// acquire load knows it, too. Read-modify-writes read the latest store and continue its release sequence. Sequential
// consistency counts as acquire and release. Waiting for a word (base/atomic_wait.h) is one step: it sleeps until
// somebody notifies. Not modelled: stores that become visible before earlier loads of their thread are done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/sched_point.h"
#include "engine.h"

namespace checked {

/// Explores all executions of the scenario; false, having printed the first one that fails, if one does.
inline bool explore(const char *name, const std::function<Scenario()> &make, uint64_t most_executions) {
  return engine.explore(name, make, most_executions);
}

/// Explores all scenarios of a program, with the defect that its argument names, if any. Returns main's result.
inline int run(int argc, char **argv, bool (*explore_all)()) {
  if (argc > 1)
    omptarget::planted_fault = argv[1];
  return explore_all() ? 0 : 1;
}

/// Within a scenario: this execution is wrong.
inline void require(bool holds, const char *what) { engine.require(holds, what); }

template <typename T> class atomic {
  static_assert(sizeof(T) <= sizeof(uint64_t));

public:
  atomic() : atomic(T{}) {}
  atomic(T value) : location_(engine.new_location(bits(value))) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const { return value(engine.load(location_, order)); }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    engine.store(location_, bits(value), order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    return change([value](T) { return value; }, order);
  }
  T fetch_add(T more, std::memory_order order = std::memory_order_seq_cst) {
    return change([more](T old) { return static_cast<T>(old + more); }, order);
  }
  T fetch_sub(T less, std::memory_order order = std::memory_order_seq_cst) {
    return change([less](T old) { return static_cast<T>(old - less); }, order);
  }
  T fetch_or(T set, std::memory_order order = std::memory_order_seq_cst) {
    return change([set](T old) { return static_cast<T>(old | set); }, order);
  }
  T fetch_and(T kept, std::memory_order order = std::memory_order_seq_cst) {
    return change([kept](T old) { return static_cast<T>(old & kept); }, order);
  }
  bool compare_exchange_strong(T &expected, T desired, std::memory_order success, std::memory_order failure) {
    uint64_t word = bits(expected);
    const bool is_done = engine.compare_exchange(location_, word, bits(desired), success, failure);
    if (!is_done)
      expected = value(word);
    return is_done;
  }
  bool compare_exchange_strong(T &expected, T desired, std::memory_order order = std::memory_order_seq_cst) {
    const bool stores = order == std::memory_order_release || order == std::memory_order_relaxed;
    return compare_exchange_strong(expected, desired, order,
                                   stores ? std::memory_order_relaxed : std::memory_order_acquire);
  }
  // Failing for no reason only repeats the loops that it stands in.
  bool compare_exchange_weak(T &expected, T desired, std::memory_order success, std::memory_order failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }
  bool compare_exchange_weak(T &expected, T desired, std::memory_order order = std::memory_order_seq_cst) {
    return compare_exchange_strong(expected, desired, order);
  }
  friend void wait_while_equal(const atomic &word, T old) {
    engine.wait(word.location_, bits(old), std::memory_order_acquire);
  }
  friend void notify_waiters(const atomic &word) { engine.notify(word.location_); }
  // For VersionedLock, whose own scenarios have it as it is; the others assume that it wakes threads that wait.
#ifdef CHECKED_LOCKS_NOTIFY
  friend void wait_while_locked(const atomic &word, T old) { wait_while_equal(word, old); }
  friend void notify_unlocked(const atomic &word) { notify_waiters(word); }
#else
  friend void wait_while_locked(const atomic &word, T old) {
    engine.wait_for_change(word.location_, bits(old), std::memory_order_acquire);
  }
  friend void notify_unlocked(const atomic &) {}
#endif

private:
  template <typename Change> T change(Change next, std::memory_order order) {
    return value(engine.modify(location_, [&](uint64_t old) { return bits(next(value(old))); }, order));
  }
  static uint64_t bits(T value) {
    uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
  static T value(uint64_t word) {
    T result;
    std::memcpy(&result, &word, sizeof result);
    return result;
  }

  const uint32_t location_;
};

class mutex {
public:
  mutex() : number_(engine.new_mutex()) {}
  void lock() { engine.lock(number_); }
  bool try_lock() { return engine.try_lock(number_); }
  void unlock() { engine.unlock(number_); }

private:
  const uint32_t number_;
};

/// A variable of a scenario that its threads read and change, with whatever they do next.
template <typename T> class Shared {
public:
  Shared(T value) : number_(engine.new_shared()), value_(value) {}
  T &operator*() {
    engine.use_shared(number_);
    return value_;
  }

private:
  const uint32_t number_;
  T value_;
};

/// No scenario waits for one.
class condition_variable {
public:
  template <typename Lock, typename Condition> void wait(Lock &, Condition holds) {
    require(holds(), "a scenario waits for a condition variable");
  }
  void notify_all() {}
  void notify_one() {}
};

} // namespace checked
