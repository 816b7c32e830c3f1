// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checker itself: the executions that it leaves out, since others cover them, have no results of their own. Random
// programs of two and three threads have the same results with and without them.

#include <cstdio>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "checked.h"

namespace {

using checked::Scenario;

enum class Operation {
  kLoad,
  kStore,
  kAdd,
  kExchange,
  kSection,
  kTwoSections,
  kTryLock,
  kTake,
  kAwait,
  kTell,
  kBranch,
  kUse
};

struct Step {
  Operation operation;
  unsigned location;
  int value;
  std::memory_order load_order, store_order;
};
using Program = std::vector<std::vector<Step>>;

constexpr unsigned kLocations = 3;

Program random_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  Program program(2 + below(2));
  for (std::vector<Step> &steps : program)
    for (unsigned i = 2 + below(program.size() == 2 ? 3 : 1); i > 0; --i)
      steps.push_back({static_cast<Operation>(below(12)), below(kLocations), 1 + static_cast<int>(below(2)),
                       below(2) ? std::memory_order_acquire : std::memory_order_relaxed,
                       below(2) ? std::memory_order_release : std::memory_order_relaxed});
  return program;
}

struct Memory {
  checked::atomic<int> locations[kLocations];
  checked::mutex mutexes[2];
  checked::Shared<int> shared{0};
  std::vector<std::string> results;
};

void run(Memory &memory, const Step &step, std::string &result) {
  checked::atomic<int> &location = memory.locations[step.location];
  const unsigned which = step.location & 1;
  const auto note = [&](int value) { result += std::to_string(value) + ' '; };
  switch (step.operation) {
  case Operation::kLoad: return note(location.load(step.load_order));
  case Operation::kStore: return location.store(step.value, step.store_order);
  case Operation::kAdd: return note(location.fetch_add(step.value, step.store_order));
  case Operation::kExchange: {
    int expected = step.value - 1;
    note(location.compare_exchange_strong(expected, step.value, std::memory_order_acq_rel, step.load_order));
    return note(expected);
  }
  case Operation::kSection:
  case Operation::kTwoSections: // which threads may wait for one another in
    memory.mutexes[which].lock();
    if (step.operation == Operation::kTwoSections)
      memory.mutexes[1 - which].lock();
    note(location.load(step.load_order));
    location.store(step.value, std::memory_order_relaxed);
    if (step.operation == Operation::kTwoSections)
      memory.mutexes[1 - which].unlock();
    return memory.mutexes[which].unlock();
  case Operation::kTryLock:
    if (memory.mutexes[which].try_lock())
      note(location.load(step.load_order)), memory.mutexes[which].unlock();
    else
      note(-1);
    return;
  case Operation::kTake: return memory.mutexes[which].lock(); // and keeps it
  case Operation::kAwait:                                     // for ever, unless somebody stores and tells
    wait_while_equal(location, 0);
    return note(location.load(step.load_order));
  case Operation::kTell: return notify_waiters(location);
  case Operation::kBranch:
    if (location.load(step.load_order) == step.value)
      note(memory.locations[(step.location + 1) % kLocations].fetch_add(1, step.store_order));
    return;
  case Operation::kUse: return note((*memory.shared)++);
  }
}

constexpr unsigned long kMost = 5'000; ///< executions: larger programs are passed over

struct Outcome {
  bool is_whole = true;
  bool ends = true; ///< in each execution all threads end
  std::set<std::string> results;
};

Outcome explore(const Program &program, bool is_full, unsigned long &executions) {
  Outcome outcome;
  const auto make = [&] {
    const auto memory = std::make_shared<Memory>();
    memory->results.resize(program.size());
    Scenario scenario;
    for (size_t i = 0; i < program.size(); ++i)
      scenario.threads.push_back([=, &program] {
        for (const Step &step : program[i])
          run(*memory, step, memory->results[i]);
      });
    scenario.check = [=, &outcome] {
      std::string all;
      for (const std::string &result : memory->results)
        all += result + "| ";
      for (const checked::atomic<int> &location : memory->locations)
        all += std::to_string(location.load()) + ' ';
      outcome.results.insert(all);
    };
    return scenario;
  };
  const uint64_t count = checked::engine.explore_quietly(make, is_full, kMost, outcome.ends);
  outcome.is_whole = count < kMost;
  if (outcome.is_whole)
    executions += count;
  return outcome;
}

} // namespace

int main() {
  unsigned programs = 0, endless = 0;
  unsigned long full = 0, reduced = 0, results = 0;
  for (unsigned seed = 1; programs < 500; ++seed) {
    const Program program = random_program(seed);
    const Outcome all = explore(program, true, full);
    if (!all.is_whole)
      continue;
    ++programs;
    const Outcome some = explore(program, false, reduced);
    if (all.ends != some.ends || all.results != some.results) {
      std::printf("program %u: %zu results%s, of which the checker finds %zu%s\n", seed, all.results.size(),
                  all.ends ? "" : ", and a thread that waits for ever", some.results.size(),
                  some.ends ? "" : ", and a thread that waits for ever");
      return 1;
    }
    endless += !all.ends;
    results += all.results.size();
  }
  std::printf("%u programs, %u of which may wait for ever, with %lu results: %lu executions, %lu of all\n", programs,
              endless, results, reduced, full);
  return 0;
}
