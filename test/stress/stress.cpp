// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress [--threads N] [--rounds N] [--minutes N] [--seed N] [--only NAME] [--plant FAULT]: random constructs of many
// threads on one device. They have random delays at the scheduling points. Each thread checks after each construct what
// it may expect, whatever the others do; at the end nothing may be left. Prints the seed of what failed and ends with
// 1.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "argument_list.h"
#include "base/sched_point.h"
#include "constructs.h"
#include "random_delays.h"

namespace omptarget::test {
namespace {

using namespace map_type;

void delay(const char *) { delay_some(1, 11); }

constexpr int kMostThreads = 16, kSharedValues = 8, kOwnValues = 6;

struct Linked {
  long x;
  int *p;
  long y;
};

/// State that all threads see. The host's values of all but the tallies never change.
struct Shared {
  int values[4][kSharedValues]; ///< each value is known
  int pointee[4] = {1, 2, 3, 4};
  Linked linked[kMostThreads];     ///< entered and updated by its thread, deleted by all
  long tallies[kMostThreads] = {}; ///< each thread adds to its own
};

class Failures {
public:
  void add(const char *what) {
    if (count_.fetch_add(1) < 20)
      std::fprintf(stderr, "stress: %s\n", what);
  }
  int64_t count() const { return count_.load(); }

private:
  std::atomic<int64_t> count_{0};
};

MapItem item(void *base, void *begin, int64_t size, uint64_t type) {
  return {host_ptr(base), host_ptr(begin), size, type, nullptr, 0, -1};
}
MapItem item(void *begin, int64_t size, uint64_t type) { return item(begin, begin, size, type); }

/// One thread of the program.
class Worker {
public:
  Worker(Device &device, Shared &shared, Failures &failures, uint64_t seed, int number)
      : device_(device), shared_(shared), failures_(failures), random_(seed * 0x9E3779B97F4A7C15ull + 1),
        number_(number) {
    for (int i = 0; i < kOwnValues; ++i)
      own_[i] = 100 * number + i;
    delays = random_ ^ 0x5bd1e995;
  }

  static constexpr const char *kKinds[] = {"result", "update", "linked", "tally", "data", "struct"};

  void round(const std::string &only) {
    const uint32_t kind = next(random_) % 6;
    if (!only.empty() && only.find(kKinds[kind]) == std::string::npos)
      return;
    switch (kind) {
    case 0: return own_result();
    case 1: return update_shared();
    case 2: return linked();
    case 3: return tally();
    case 4: return data_of_all();
    default: return own_struct();
    }
  }
  long tallied() const { return tallied_; }

private:
  int *row() { return shared_.values[next(random_) % 4]; }
  static constexpr int64_t kRowSize = sizeof(int) * kSharedValues;

  void expect(bool condition, const char *what) {
    if (!condition)
      failures_.add(what);
  }
  void expect_ok(Status status, const char *what) {
    if (status.is_ok())
      return;
    failures_.add((std::string(what) + " fails: " + status.to_string()).c_str());
    status.consume();
  }

  /// A region whose kernel gets the device addresses of the items' bases.
  template <typename Kernel> void region(const MapItems &items, Kernel kernel) {
    Construct work(device_);
    Status entered = work.enter(items, next(random_) % 4 != 0);
    const bool is_in = entered.is_ok();
    expect_ok(std::move(entered), "entering a region");
    if (!is_in)
      return;
    std::vector<void *> arguments{nullptr};
    for (size_t i = 0; i < work.arguments().size(); ++i) {
      const HostPtr base = work.arguments().base(i);
      const Mapping *const mapping = work.arguments().refs[i].mapping;
      if (!work.arguments().has(i, kPointer))
        arguments.push_back(mapping ? raw(mapping->target_of(base)) : raw(base));
    }
    FakeKernel function = kernel;
    __tgt_kernel_args args{};
    args.Version = 2;
    args.NumArgs = static_cast<uint32_t>(items.size());
    expect_ok(device_.plugin().launch_kernel(device_.local_id(), &function, arguments.data() + 1, args,
                                             &work.queue().plugin_queue()),
              "a launch");
    expect_ok(work.start_exit(items, true), "leaving a region");
    expect_ok(work.complete(), "a region");
  }
  void enter(const MapItems &items) { expect_ok(test::enter(device_, items, next(random_) % 2), "enter data"); }
  void exit(const MapItems &items) { expect_ok(test::exit(device_, items, next(random_) % 2), "exit data"); }
  void update(const MapItems &items) {
    DataUpdate work(device_);
    ArgumentList list(items);
    const bool waits = next(random_) % 2;
    expect_ok(next(random_) % 2 ? work.start(list.list(), nullptr, waits) : work.start(items, waits), "update");
    expect_ok(work.finish(), "update");
  }

  /// Threads copy these values back that never change, while others read them here: for C++ a race, for OpenMP none.
  [[gnu::no_sanitize_thread]] bool is_row(const int *values) const {
    for (int i = 1; i < kSharedValues; ++i)
      if (values[i] != values[0] + i)
        return false;
    return values[0] % 1000 == 0;
  }

  /// Shared data are read, and a result of this thread's own comes back.
  void own_result() {
    int *const read = row();
    int before[kOwnValues];
    std::memcpy(before, own_, sizeof own_);
    bool is_right = false;
    region({item(read, kRowSize, kTo), item(own_, sizeof own_, kTo | kFrom)}, [&](void **arguments) {
      is_right = is_row(static_cast<int *>(arguments[0]));
      for (int i = 0; i < kOwnValues; ++i)
        static_cast<int *>(arguments[1])[i] += 1000;
    });
    expect(is_right, "a kernel reads other values than the shared ones");
    for (int i = 0; i < kOwnValues; ++i)
      expect(own_[i] == before[i] + 1000, "a result does not come back");
    std::memcpy(own_, before, sizeof own_);
  }

  /// Copies what never changes, there or back, whether or not it is present.
  void update_shared() {
    int *const values = row();
    update({item(values, kRowSize, next(random_) % 2 ? kTo : kFrom)});
    expect(is_row(values), "an update brings other values");
  }

  /// A struct with an attached pointer that this thread enters and updates, and all delete.
  void linked() {
    Linked &linked = shared_.linked[number_];
    Linked &other = shared_.linked[next(random_) % kMostThreads];
    switch (next(random_) % 4) {
    case 0:
      enter({item(&linked, sizeof linked, kTo), item(shared_.pointee, sizeof shared_.pointee, kTo),
             item(&linked.p, shared_.pointee, sizeof linked.p, kAttach)});
      break;
    case 1: exit({item(&other, sizeof other, kDelete)}); break;
    default: update({item(&linked, sizeof linked, kFrom)});
    }
    expect(is_unchanged(linked), "the host's pointer is lost");
  }
  [[gnu::no_sanitize_thread]] bool is_unchanged(const Linked &linked) const {
    return linked.p == shared_.pointee && linked.x == 7 && linked.y == 9;
  }

  /// All map the whole array and change an element of their own: maps are atomic.
  void tally() {
    ++tallied_;
    region({item(shared_.tallies, sizeof shared_.tallies, kTo | kFrom)},
           [this](void **arguments) { ++static_cast<long *>(arguments[0])[number_]; });
  }

  /// A data region around updates and a region.
  void data_of_all() {
    int *const values = row();
    enter({item(values, kRowSize, kTo | (next(random_) % 4 == 0 ? kAlways : 0))});
    if (next(random_) % 2)
      own_result();
    update({item(values, kRowSize, kTo)});
    exit({item(values, kRowSize, next(random_) % 2 ? kFrom : 0)});
    expect(is_row(values), "leaving brings other values");
  }

  /// A struct of its own with a pointer to shared data, updated in part.
  void own_struct() {
    Linked own = {number_, shared_.values[0], 5};
    enter({item(&own, sizeof own, kTo), item(&own.p, shared_.values[0], kRowSize, kTo | kPtrAndObj)});
    own.x = 50 + number_;
    update({item(&own.x, sizeof own.x, kTo)});
    own.x = 0;
    own.p = nullptr;
    update({item(&own, sizeof own, kFrom)});
    expect(own.x == 50 + number_ && !own.p && own.y == 5,
           "an own struct is not what was put there"); // attached pointers stay as they are
    own.p = shared_.values[0];
    exit({item(&own.p, shared_.values[0], kRowSize, kPtrAndObj), item(&own, sizeof own, 0)});
  }

  Device &device_;
  Shared &shared_;
  Failures &failures_;
  uint64_t random_;
  const int number_;
  int own_[kOwnValues];
  long tallied_ = 0;
};

struct Options {
  int threads = 4;
  int rounds = 400;
  double minutes = 0;
  uint64_t seed = 1;
  std::string only;
};

/// One program of the given seed on a fresh device; what went wrong is counted.
void run_program(const Options &options, uint64_t seed, FakeKind kind, Failures &failures) {
  const int64_t blocks = fake_blocks();
  Shared shared;
  for (Linked &linked : shared.linked)
    linked = {7, shared.pointee, 9};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < kSharedValues; ++j)
      shared.values[i][j] = 1000 * (i + 1) + j;
  FakeDevice device(kind);
  if (seed % 2 == 1)
    device.map().dormant().limit(0); // what nobody references any more is freed
  std::vector<std::thread> threads;
  long expected[kMostThreads] = {};
  for (int i = 0; i < options.threads; ++i)
    threads.emplace_back([&, i] {
      Worker worker(device, shared, failures, seed * kMostThreads + static_cast<uint64_t>(i), i);
      for (int round = 0; round < options.rounds && failures.count() == 0; ++round)
        worker.round(options.only);
      expected[i] = worker.tallied();
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < options.threads; ++i)
    if (failures.count() == 0 && shared.tallies[i] != expected[i])
      failures.add("what a thread added to an array that all map is lost");
  MapItems rest;
  for (const auto &row : device.map().snapshot())
    rest.push_back(item(raw(row.begin), row.end - row.begin, kDelete));
  for (const MapItem &one : rest)
    if (raw(one.begin) != shared.pointee &&
        (raw(one.begin) < shared.linked || raw(one.begin) >= shared.linked + kMostThreads))
      failures.add("data stay present that nobody references");
  Construct work(device);
  work.start_exit(rest, false).consume();
  work.complete().consume();
  device.free_dormant();
  if (failures.count() == 0 && (fake_blocks() != blocks || device.map().size() != 0))
    failures.add("device memory is lost");
}

int run(const Options &options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto limit = start + std::chrono::duration<double>(60 * options.minutes);
  sched_point_hook = delay;
  Failures failures;
  int64_t programs = 0;
  const int fewest = options.minutes > 0 ? 1 : 12;
  for (; programs < fewest || Clock::now() < limit; ++programs) {
    const uint64_t seed = options.seed + static_cast<uint64_t>(programs);
    Options one = options;
    if (options.threads == 0)
      one.threads = 2 + static_cast<int>(seed % (kMostThreads - 1));
    const FakeKind kind = programs % 3 == 0   ? FakeKind::kLazy
                          : programs % 3 == 1 ? FakeKind::kSynchronous
                                              : FakeKind::kLazyWithoutEvents;
    run_program(one, seed, kind, failures);
    if (failures.count() != 0) {
      std::fprintf(stderr, "stress: seed %llu, program %lld of this run, %d threads, after %.1f s\n",
                   static_cast<unsigned long long>(seed), static_cast<long long>(programs + 1), one.threads,
                   std::chrono::duration<double>(Clock::now() - start).count());
      return 1;
    }
  }
  std::printf("stress: %lld programs from seed %llu, no finding in %.1f s\n", static_cast<long long>(programs),
              static_cast<unsigned long long>(options.seed),
              std::chrono::duration<double>(Clock::now() - start).count());
  return 0;
}

} // namespace
} // namespace omptarget::test

int main(int count, char **words) {
  omptarget::test::Options options;
  options.threads = 0; // as the seed says
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    const char *const value = i + 1 < count ? words[i + 1] : "";
    char *end = nullptr;
    if (name == "--only" || name == "--plant") {
      if (name == "--only")
        options.only = value;
      else
        omptarget::planted_fault = value;
      continue;
    }
    const double number = std::strtod(value, &end);
    const bool is_number = end != value && *end == 0 && number >= 0;
    if (is_number && name == "--threads" && number <= 16)
      options.threads = static_cast<int>(number);
    else if (is_number && name == "--rounds" && number <= 1e9)
      options.rounds = static_cast<int>(number);
    else if (is_number && name == "--minutes")
      options.minutes = number;
    else if (is_number && name == "--seed")
      options.seed = static_cast<uint64_t>(number);
    else {
      std::fprintf(stderr,
                   "stress: '%s %s' is no option; there are --threads N (0 to 16), --rounds N, --minutes N, "
                   "--seed N, --only NAMES, --plant FAULT\n",
                   words[i], value);
      return 2;
    }
  }
  return omptarget::test::run(options);
}
