// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics, mutexes and condition variables whose every step a checker decides: which thread goes on, and which of the values
// that the C++ memory model allows a load reads. The library's own sources are compiled with them in place of std's.
//
// The model: stores to one location have an order, that of the execution. A load may read any of them that is not older than
// what its thread knows of. A release store carries what its thread knows, and who reads it by an acquire load knows it, too;
// read-modify-writes read the latest store and continue its release sequence. Sequential consistency counts as acquire and
// release. Waiting for a word (base/atomic_wait.h) is one step: it sleeps until somebody notifies. Not modelled: stores that become visible before earlier loads of their thread are done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace checked {

/// What the threads of one scenario do, and what must hold in the end. Made anew for each execution.
struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<void()> check; ///< after all threads, which it knows everything of
  size_t first_reader = SIZE_MAX; ///< from this one on threads only load: they need no turn before the others are done
};

/// Explores all executions of the scenario; false, having printed the first one that fails, if one does.
bool explore(const char *name, const std::function<Scenario()> &make, uint64_t most_executions);

/// Within a scenario: this execution is wrong.
void require(bool holds, const char *what);

namespace detail {
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
} // namespace detail

template <typename T> class atomic {
  static_assert(sizeof(T) <= sizeof(uint64_t));

public:
  atomic() : atomic(T{}) {}
  atomic(T value) : location_(detail::new_location(bits(value))) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const { return value(detail::load(location_, order)); }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    detail::store(location_, bits(value), order);
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
    const bool is_done = detail::compare_exchange(location_, word, bits(desired), success, failure);
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
    detail::wait(word.location_, bits(old), std::memory_order_acquire);
  }
  friend void notify_waiters(const atomic &word) { detail::notify(word.location_); }

private:
  template <typename Change> T change(Change next, std::memory_order order) {
    return value(detail::modify(location_, [&](uint64_t old) { return bits(next(value(old))); }, order));
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
  mutex() : number_(detail::new_mutex()) {}
  void lock() { detail::lock(number_); }
  bool try_lock() { return detail::try_lock(number_); }
  void unlock() { detail::unlock(number_); }

private:
  const uint32_t number_;
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
