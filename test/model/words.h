// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of plain memory that two sides share, as those of the mailbox of host services. The checker has an atomic for
// each, found by its address. And how threads wait that poll.
#pragma once

#include <map>
#include <memory>

#include "checked.h"

namespace checked {

/// Something has happened that a polling thread looks for.
void tell_polling();

class Words {
public:
  enum class Kind { kPlain, kWaitedFor, kPolled };
  /// Before the scenario's threads run.
  template <typename T> void add(T &word, Kind kind) { words_[&word] = std::unique_ptr<Word>(new Word{word, kind}); }

  template <typename T> uint64_t load(const T *word, std::memory_order order) {
    const uint64_t value = at(word).load(order);
    last_[engine.current_thread()] = {&at(word), value};
    return value;
  }
  template <typename T> void store(T *word, uint64_t value, std::memory_order order) {
    at(word).store(value, order);
    const Kind kind = words_.at(word)->kind;
    if (kind == Kind::kWaitedFor)
      notify_waiters(at(word));
    if (kind == Kind::kPolled)
      tell_polling();
  }
  template <typename T> T exchange(T *word, T value) {
    const uint64_t old = at(word).exchange(value, std::memory_order_relaxed);
    last_[engine.current_thread()] = {&at(word), old};
    return static_cast<T>(old);
  }
  template <typename T> void wait_while(const T *word, uint64_t value) { wait_while_equal(at(word), value); }
  /// Waits until the word that the thread has read last changes.
  void wait_for_change() {
    const Last &last = last_.at(engine.current_thread());
    wait_while_equal(*last.word, last.value);
  }

private:
  struct Last {
    atomic<uint64_t> *word;
    uint64_t value;
  };
  struct Word {
    atomic<uint64_t> value;
    Kind kind;
  };
  atomic<uint64_t> &at(const void *word) { return words_.at(word)->value; }

  std::map<const void *, std::unique_ptr<Word>> words_;
  std::map<size_t, Last> last_;
};

/// Returns the words of the running scenario.
Words &words();

template <typename T> class atomic_ref {
public:
  explicit atomic_ref(T &word) : word_(&word) {}
  T load(std::memory_order order) const { return static_cast<T>(words().load(word_, order)); }
  void store(T value, std::memory_order order) const { words().store(word_, value, order); }

private:
  T *word_;
};

/// A condition variable that is waited for.
class bell {
public:
  template <typename Lock> void wait(Lock &lock) {
    const uint32_t before = rings_.load(std::memory_order_acquire);
    lock.unlock();
    wait_while_equal(rings_, before);
    lock.lock();
  }
  void notify_all() {
    rings_.fetch_add(1, std::memory_order_acq_rel);
    notify_waiters(rings_);
  }

private:
  atomic<uint32_t> rings_{0};
};

/// The polling thread calls it between two rounds.
void wait_a_little();

/// As pthread_join.
void join_thread();

} // namespace checked
