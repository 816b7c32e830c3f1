// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "state.h"

#include "base/clock.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "emulator/execute/at_exit.h"

#define STAND_IN_SYMBOL(name) sim_hsa_##name
#include "emulator/stand_in_functions.h"

namespace emulator {

namespace {

struct Held {
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t added = 0, released = 0;
  int hold = -1;

  bool holds() { // mutex held
    if (hold < 0) {
      const char *text = std::getenv("SIM_HSA_HOLD");
      hold = text && *text == '1';
    }
    return hold != 0;
  }
};
Held &held() {
  static Held &the_held = *new Held;
  return the_held;
}

struct Changes {
  std::mutex mutex;
  std::condition_variable changed;
};
Changes &changes() {
  static Changes &the_changes = *new Changes;
  return the_changes;
}

} // namespace

Calls &calls() {
  static Calls &the_calls = *new Calls({"libhsa-runtime64",
                                        "SIM_HSA_FAIL",
                                        "SIM_HSA_RECORD",
                                        HSA_STATUS_ERROR,
                                        {"agent with access", "agent pinned for", "memory of the second CPU"}});
  return the_calls;
}

State &state() {
  static State &the_state = *new State;
  return the_state;
}

hsa_status_t enter(const char *name) {
  if (state().has_ended) { // AMD's would read freed memory
    std::fprintf(stderr, "libhsa-runtime64 stand-in: wrong use: %s after the end of the runtime\n", name);
    std::fflush(nullptr);
    _exit(70);
  }
  if (const auto injected = calls().enter(name))
    return static_cast<hsa_status_t>(*injected);
  const std::string called = name;
  if (!state().is_initialised && called != "hsa_init" && called != "hsa_status_string") {
    violation("%s before hsa_init", name);
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  }
  return HSA_STATUS_SUCCESS;
}

void count(const char *name) { calls().count(name); }

// ---- Workers

void Worker::add(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable())
    thread_ = std::thread([this] { run(); });
  work_.push_back(std::move(work));
  changed_.notify_all();
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stops_ || !work_.empty(); });
    if (work_.empty())
      return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

void Worker::stop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable())
    thread_.join();
}

uint64_t next_work_number() {
  const std::lock_guard lock(held().mutex);
  const uint64_t number = ++held().added;
  if (!held().holds())
    held().released = number;
  return number;
}

void release_work() {
  const std::lock_guard lock(held().mutex);
  held().released = held().added;
  held().changed.notify_all();
}

void wait_until_released(uint64_t number) {
  std::unique_lock lock(held().mutex);
  held().changed.wait(lock, [&] { return held().released >= number; });
}

// ---- Signals

uint64_t ticks_now() {
  constexpr uint64_t kOffset = 1'000'000'000'000;
  return kOffset + omptarget::now_ns() / (1'000'000'000 / kTicksPerSecond);
}

void signal_changed() {
  const std::lock_guard lock(changes().mutex);
  changes().changed.notify_all();
}

bool wait_less(StandInSignal &signal, int64_t value, const Agent &agent) {
  std::unique_lock lock(changes().mutex);
  changes().changed.wait(lock, [&] { return signal.value.load() < value || agent.is_lost; });
  return signal.value.load() < value;
}

void complete(StandInSignal &signal) {
  signal.value.fetch_sub(1);
  signal_changed();
}

executor::SharedOperation queue_operation(executor::Chain chain, uint64_t number,
                                          const std::vector<StandInSignal *> &dependencies, StandInSignal *completion) {
  auto *const overlaps = executor::Overlaps::find();
  if (!overlaps)
    return nullptr;
  for (const StandInSignal *dependency : dependencies)
    overlaps->wait(chain, dependency->chain, dependency->number);
  if (completion) {
    completion->chain = chain;
    completion->number = number;
  }
  return overlaps->queue(chain, number);
}

void learn(const StandInSignal &signal) {
  if (auto *const overlaps = executor::Overlaps::find())
    overlaps->learn(signal.chain, signal.number);
}

// ---- Memory

Allocation *find_memory(uintptr_t address, size_t size, uintptr_t *begin) {
  auto &memory = state().memory;
  auto next = memory.upper_bound(address);
  if (next == memory.begin())
    return nullptr;
  const auto found = std::prev(next);
  const size_t offset = address - found->first;
  if (offset > found->second.size || size > found->second.size - offset)
    return nullptr;
  if (begin)
    *begin = found->first;
  return &found->second;
}

bool check_access(const char *call, Agent *agent, const void *address, size_t size) {
  const std::lock_guard lock(state().mutex);
  const Allocation *allocation = find_memory(reinterpret_cast<uintptr_t>(address), size);
  if (!allocation) {
    violation("%s: %zu bytes at %p are in no allocation that devices reach", call, size, address);
    return false;
  }
  const bool is_own = allocation->pool && allocation->pool->agent == agent;
  if (is_own || allocation->kind == MemoryKind::kGlobal || allocation->access.count(agent))
    return true;
  violation("%s: %s %s has no access to %zu bytes at %p", call, agent->is_gpu ? "GPU" : "CPU", agent->target.c_str(),
            size, address);
  return false;
}

Agent *find_agent(const char *call, hsa_agent_t agent) {
  for (const auto &one : state().agents)
    if (reinterpret_cast<uintptr_t>(one.get()) == agent.handle)
      return one.get();
  violation("%s: no agent %#lx", call, static_cast<unsigned long>(agent.handle));
  return nullptr;
}

bool reaches_host_memory(const Agent &agent) {
  const char *xnack = std::getenv("SIM_HSA_XNACK");
  return (xnack && *xnack == '1') || agent.target.find(":xnack+") != std::string::npos;
}

bool can_reach(const Agent &agent, const Pool &pool) {
  const char *none = std::getenv("SIM_HSA_NO_PEERS");
  return !(none && *none == '1') || !pool.agent->is_gpu || pool.agent == &agent;
}

uint64_t live_objects() {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  uint64_t live =
      count_live(all.signals) + count_live(all.queues) + count_live(all.executables) + count_live(all.readers);
  for (const auto &[address, allocation] : all.memory)
    live += allocation.kind != MemoryKind::kGlobal;
  return live;
}

uint64_t leaked_objects() { return 0; }

void set_hold(bool hold) {
  {
    const std::lock_guard lock(held().mutex);
    held().hold = hold;
  }
  release_work();
}

} // namespace emulator

using namespace emulator;

namespace {
// A process that used the runtime wrongly does not end well. SIM_HSA_ENDS=1: the runtime ends here, as AMD's does.
void end() {
  const char *ends = std::getenv("SIM_HSA_ENDS");
  state().has_ended = ends && *ends == '1';
  calls().exit_after_violations();
  calls().exit_after_leaks(live_objects(), leaked_objects());
}
[[maybe_unused]] const bool is_awaited = (at_exit(end), true);
} // namespace
