// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#undef _FORTIFY_SOURCE // which takes jumping from stack to stack for an error

#include "checked.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace checked {

namespace {

constexpr size_t kStackBytes = 128 << 10;

void join(View &into, const View &other) {
  for (size_t i = 0; i < kMostLocations; ++i)
    into[i] = std::max(into[i], other[i]);
}

void start_thread() { engine.run_current(); }

} // namespace

Engine engine;

void Engine::run_current() {
  current_->run();
  current_->is_done = true;
  pause();
}

void Engine::note(const char *what, uint32_t location, uint64_t value) {
  if (is_printing_ && current_)
    for (size_t i = 0; i < thread_count_; ++i)
      if (threads_[i].get() == current_)
        std::printf("  thread %zu: %s %u: %llx\n", i, what, location, static_cast<unsigned long long>(value));
}

void Engine::require(bool holds, const char *what) {
  if (!holds && !failure_)
    failure_ = what;
}

size_t Engine::choose(size_t count, size_t turn) {
  if (count == 1)
    return 0;
  if (depth_ == choices_.size())
    choices_.push_back({0, count, turn});
  return choices_[depth_++].taken;
}

bool Engine::next_execution() {
  while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().count) {
    if (choices_.back().turn != kNoTurn)
      turns_.pop_back();
    choices_.pop_back();
  }
  if (choices_.empty())
    return false;
  ++choices_.back().taken;
  return true;
}

// Threads

/// A thread gives way after each step that others see. Its loads up to the next such step come at once: they may read
/// what is old, so that doing them late is enough.
void Engine::pause() {
  Thread *const thread = current_;
  if (!thread)
    return;
  current_ = nullptr;
  if (_setjmp(thread->where) == 0)
    _longjmp(scheduler_, 1);
}

void Engine::run_step(size_t number) {
  Thread &thread = *threads_[number];
  current_ = &thread;
  step_ = {};
  if (_setjmp(scheduler_) == 0) {
    if (thread.is_started)
      _longjmp(thread.where, 1);
    thread.is_started = true;
    setcontext(&thread.context);
  }
  current_ = nullptr;
}

void Engine::touch(size_t object, bool changes) {
  if (!current_)
    return;
  step_.touched.set(object);
  if (changes)
    step_.changed.set(object);
}

bool Engine::is_runnable(const Thread &thread) const {
  return !thread.is_done && thread.waits_for_location < 0 &&
         (thread.waits_for_change < 0 ||
          locations_[static_cast<size_t>(thread.waits_for_change)].back().value != thread.changes_from) &&
         (thread.waits_for_mutex < 0 || !mutexes_[static_cast<size_t>(thread.waits_for_mutex)].is_held);
}

/// The number of a thread that is to go on, or thread_count_. Threads that sleep are not tried, since what would follow
/// is covered.
size_t Engine::pick(size_t first_reader) {
  std::array<size_t, kMostThreads> candidates;
  size_t count = 0;
  bool is_any_runnable = false;
  const auto consider = [&](size_t i) {
    if (!is_runnable(*threads_[i]))
      return;
    is_any_runnable = true;
    if (!is_asleep_[i])
      candidates[count++] = i;
  };
  for (size_t i = 0; i < std::min(thread_count_, first_reader); ++i)
    consider(i);
  for (size_t i = first_reader; !is_any_runnable && i < thread_count_; ++i)
    consider(i);
  is_covered_ = is_any_runnable && count == 0 && !would_wait_for_ever(first_reader);
  current_turn_ = kNoTurn;
  if (count <= 1)
    return count == 0 ? thread_count_ : candidates[0];
  const bool is_new = depth_ == choices_.size();
  current_turn_ = is_new ? turns_.size() : choices_[depth_].turn;
  if (is_new)
    turns_.emplace_back();
  current_candidate_ = choose(count, current_turn_);
  for (size_t i = 0; i < current_candidate_ && !is_full_; ++i) {
    is_asleep_.set(candidates[i]);
    asleep_[candidates[i]] = turns_[current_turn_][i];
  }
  return candidates[current_candidate_];
}

/// Notes what the step has touched, and wakes who sleeps and would notice.
void Engine::end_step(size_t number, size_t first_reader) {
  const Thread &thread = *threads_[number];
  const bool waits_for_lock = thread.waits_for_mutex >= 0 || thread.waits_for_change >= 0;
  const bool is_blocked = waits_for_lock && !is_runnable(thread) && step_.changed.none();
  step_.proceeds = !is_blocked;
  if (current_turn_ != kNoTurn) {
    Footprint &known = turns_[current_turn_][current_candidate_];
    known.changed |= step_.changed;
    known.touched |= step_.touched;
    known.proceeds |= step_.proceeds;
  }
  for (size_t i = 0; i < thread_count_; ++i)
    if (is_asleep_[i] && (step_.changed & asleep_[i].touched).any())
      is_asleep_.reset(i);
  // It has only read: the same comes of its turn later, when the mutex is free, unless it never will be.
  if (!is_blocked || is_full_)
    return;
  is_covered_ = !would_wait_for_ever(first_reader);
  require(is_covered_, "threads wait for one another");
}

/// Returns whether no thread can go on, or those that can are known to wait for a mutex then.
bool Engine::would_wait_for_ever(size_t first_reader) const {
  for (size_t i = 0; i < std::min(thread_count_, first_reader); ++i)
    if (is_runnable(*threads_[i]) && !(is_asleep_[i] && !asleep_[i].proceeds))
      return false;
  return true;
}

void Engine::run_threads(size_t first_reader) {
  is_asleep_.reset();
  is_covered_ = false;
  for (size_t i = pick(first_reader); i < thread_count_; i = pick(first_reader)) {
    run_step(i);
    end_step(i, first_reader);
    if (failure_ || is_covered_)
      return; // the others stay where they are
  }
  for (size_t i = 0; i < thread_count_ && !is_covered_; ++i)
    require(threads_[i]->is_done, "a thread waits for ever");
}

void Engine::execute(const std::function<Scenario()> &make) {
  location_count_ = 0;
  mutexes_.clear();
  shared_count_ = 0;
  depth_ = 0;
  failure_ = nullptr;
  all_known_ = {};
  is_concurrent_ = false;
  Scenario scenario = make();
  thread_count_ = scenario.threads.size();
  while (threads_.size() < thread_count_)
    threads_.push_back(std::make_unique<Thread>());
  for (size_t i = 0; i < thread_count_; ++i) {
    Thread &thread = *threads_[i];
    if (!thread.stack)
      thread.stack = std::make_unique<char[]>(kStackBytes);
    thread.run = scenario.threads[i];
    thread.view = thread.fenced = thread.pending = {};
    thread.is_started = thread.is_done = false;
    thread.waits_for_mutex = thread.waits_for_location = thread.waits_for_change = -1;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStackBytes;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, start_thread, 0);
  }
  is_concurrent_ = true;
  run_threads(scenario.first_reader);
  is_concurrent_ = false;
  for (size_t i = 0; i < location_count_; ++i)
    all_known_[i] = static_cast<uint8_t>(locations_[i].size() - 1);
  if (!failure_ && !is_covered_)
    scenario.check();
}

bool Engine::explore(const char *name, const std::function<Scenario()> &make, uint64_t most) {
  choices_.clear();
  turns_.clear();
  uint64_t executions = 0, covered = 0;
  do {
    execute(make);
    ++executions;
    covered += is_covered_;
    if (failure_) {
      std::printf("%s: execution %llu: %s\n", name, static_cast<unsigned long long>(executions), failure_);
      is_printing_ = true;
      execute(make); // the same again
      is_printing_ = false;
      std::fflush(stdout);
      return false;
    }
    if (executions > most) {
      std::printf("%s: more than %llu executions\n", name, static_cast<unsigned long long>(most));
      return false;
    }
  } while (next_execution());
  std::printf("%s: %llu executions, %llu of which others cover\n", name, static_cast<unsigned long long>(executions),
              static_cast<unsigned long long>(covered));
  std::fflush(stdout);
  return true;
}

uint64_t Engine::explore_quietly(const std::function<Scenario()> &make, bool is_full, uint64_t most, bool &holds) {
  choices_.clear();
  turns_.clear();
  is_full_ = is_full;
  uint64_t executions = 0;
  holds = true;
  do {
    execute(make);
    ++executions;
    holds = holds && !failure_;
  } while (executions < most && next_execution());
  is_full_ = false;
  return executions;
}

// Locations

uint32_t Engine::new_location(uint64_t value) {
  if (location_count_ == kMostLocations) {
    std::fprintf(stderr, "too many atomics in a scenario\n");
    std::abort();
  }
  locations_[location_count_].assign(1, {value, {}});
  return static_cast<uint32_t>(location_count_++);
}

uint64_t Engine::read(uint32_t location, size_t number, std::memory_order order) {
  const Store &store = locations_[location][number];
  view()[location] = static_cast<uint8_t>(number);
  if (acquires(order))
    join(view(), store.view);
  else if (current_)
    join(current_->pending, store.view);
  return store.value;
}

uint64_t Engine::load(uint32_t location, std::memory_order order) {
  touch(location, false);
  const size_t latest = locations_[location].size() - 1;
  const size_t oldest = current_ ? current_->view[location] : latest;
  const uint64_t value = read(location, latest - choose(latest - oldest + 1), order);
  note("load", location, value);
  return value;
}

void Engine::append(uint32_t location, uint64_t value, std::memory_order order, const View *continued) {
  std::vector<Store> &stores = locations_[location];
  if (!is_concurrent_) {
    stores.assign(1, {value, {}});
    return;
  }
  if (stores.size() > UINT8_MAX) {
    std::fprintf(stderr, "too many stores in a scenario\n");
    std::abort();
  }
  Store store{value, {}};
  view()[location] = static_cast<uint8_t>(stores.size());
  if (releases(order))
    store.view = view();
  else {
    if (current_)
      store.view = current_->fenced;
    store.view[location] = view()[location];
  }
  if (continued)
    join(store.view, *continued);
  stores.push_back(store);
}

void Engine::store(uint32_t location, uint64_t value, std::memory_order order) {
  touch(location, true);
  append(location, value, order, nullptr);
  note("store", location, value);
  pause();
}

uint64_t Engine::modify(uint32_t location, const std::function<uint64_t(uint64_t)> &change, std::memory_order order) {
  touch(location, true);
  const size_t latest = locations_[location].size() - 1;
  const uint64_t old = read(location, latest, order);
  const View continued = locations_[location][latest].view;
  append(location, change(old), order, &continued);
  note("modify", location, change(old));
  pause();
  return old;
}

bool Engine::compare_exchange(uint32_t location, uint64_t &expected, uint64_t desired, std::memory_order success,
                              std::memory_order failure) {
  const std::vector<Store> &stores = locations_[location];
  const size_t latest = stores.size() - 1;
  const size_t oldest = current_ ? current_->view[location] : latest;
  // Only the latest store can be replaced; any that differs may be what is read in vain.
  std::array<size_t, UINT8_MAX + 1> candidates;
  size_t count = 0;
  for (size_t number = latest + 1; number-- > oldest;)
    if (stores[number].value != expected || number == latest)
      candidates[count++] = number;
  const size_t number = candidates[choose(count)];
  touch(location, stores[number].value == expected);
  if (stores[number].value != expected) {
    expected = read(location, number, failure);
    note("exchange in vain", location, expected);
    return false;
  }
  read(location, number, success);
  const View continued = locations_[location][number].view;
  append(location, desired, success, &continued);
  note("exchange", location, desired);
  pause();
  return true;
}

/// As a futex: sleeps if the value is the old one, until somebody notifies. The latest value decides, so that no store
/// may come in between.
void Engine::wait(uint32_t location, uint64_t old, std::memory_order order) {
  touch(location, true);
  while (locations_[location].back().value == old) {
    if (!current_) {
      require(false, "the check waits");
      return;
    }
    current_->waits_for_location = location;
    touch(kMostLocations + location, true);
    note("wait", location, old);
    pause();
    touch(location, true);
  }
  (void)read(location, locations_[location].size() - 1, order);
}

void Engine::fence() {
  if (!current_)
    return;
  join(current_->view, current_->pending);
  current_->fenced = current_->view;
}

size_t Engine::current_thread() const {
  size_t number = 0;
  while (number < thread_count_ && threads_[number].get() != current_)
    ++number;
  return number;
}

void Engine::wait_for_change(uint32_t location, uint64_t old, std::memory_order order) {
  while (locations_[location].back().value == old) {
    if (!current_) {
      require(false, "the check waits");
      return;
    }
    current_->waits_for_change = location;
    current_->changes_from = old;
    touch(location, false);
    pause();
  }
  if (current_)
    current_->waits_for_change = -1;
  touch(location, true);
  (void)read(location, locations_[location].size() - 1, order);
}

void Engine::notify(uint32_t location) {
  note("notify", location, 0);
  touch(kMostLocations + location, true);
  for (size_t i = 0; i < thread_count_; ++i)
    if (threads_[i]->waits_for_location == static_cast<int64_t>(location))
      threads_[i]->waits_for_location = -1;
  pause();
}

// Mutexes

uint32_t Engine::new_mutex() {
  if (mutexes_.size() == kMostMutexes) {
    std::fprintf(stderr, "too many mutexes in a scenario\n");
    std::abort();
  }
  mutexes_.emplace_back();
  return static_cast<uint32_t>(mutexes_.size() - 1);
}

void Engine::lock(uint32_t mutex) {
  while (mutexes_[mutex].is_held) {
    if (!current_) {
      require(false, "the check finds a mutex locked");
      return;
    }
    current_->waits_for_mutex = mutex;
    touch(2 * kMostLocations + mutex, false);
    pause();
  }
  if (current_)
    current_->waits_for_mutex = -1;
  (void)try_lock(mutex);
}

bool Engine::try_lock(uint32_t mutex) {
  Mutex &state = mutexes_[mutex];
  touch(2 * kMostLocations + mutex, true); // held or not, as it is now
  if (state.is_held)
    return false;
  state.is_held = true;
  join(view(), state.view);
  note("lock", mutex, 1);
  pause();
  return true;
}

void Engine::unlock(uint32_t mutex) {
  touch(2 * kMostLocations + mutex, true);
  mutexes_[mutex].is_held = false;
  mutexes_[mutex].view = view();
  note("unlock", mutex, 0);
  pause();
}

// Variables of the scenario

uint32_t Engine::new_shared() {
  if (shared_count_ == kMostShared) {
    std::fprintf(stderr, "too many shared variables in a scenario\n");
    std::abort();
  }
  return shared_count_++;
}

void Engine::use_shared(uint32_t shared) { touch(2 * kMostLocations + kMostMutexes + shared, true); }

} // namespace checked
