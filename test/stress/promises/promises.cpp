// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// stress_promises [--threads N] [--rounds N] [--programs N] [--minutes N] [--seed N] [--leaving in-turn]
//                 [--without NAMES] [--plant FAULT] [--diary 1]
//
// Random OpenMP programs whose threads share data. They have random delays at the scheduling points and inside of the
// devices' copies. Each thread adds to cells of its own, and checks what OpenMP
// promises whatever the others do. Its kernels find what its kernels left. Data that were copied back stay, and nothing
// older comes after them. In the end all sums are there, and nothing is left. Prints the seed of what failed and ends
// with 1.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../random_delays.h"
#include "base/sched_point.h"
#include "diary.h"
#include "program.h"
#include "shared_data.h"

namespace omptarget::test {
namespace {

using namespace map_type;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kToFrom = kTo | kFrom;
constexpr int kMostData = 6, kPrivateWords = 24;

/// How the seed wants a program.
struct Plan {
  uint64_t seed = 0;
  int threads = 3;
  int rounds = 60;
  SplitKind kind = SplitKind::kAtOnce;
  int observed = 0;                 ///< 0: never; 1: always; 2: now and then
  int planned = 0;                  ///< the same of plans for what could do without
  uint32_t sleeping = 2;            ///< out of 64 points
  uint32_t yielding = 8;            ///< the same
  uint32_t sleeping_in_copies = 16; ///< out of 64 copies that have read
  uint32_t hot = 0;                 ///< the points where threads are delayed more often: one in 8
  uint32_t progress = 0;            ///< out of 4 calls, on how many the device works
  bool has_nowait = false;
  /// The program has its threads leave data one after the other, and regions have data that the thread holds only. So
  /// no two copies back are under way at once, whatever the runtime does.
  bool leaves_in_turn = false;
  std::string without; ///< forms of data, and what else is left out
  bool has(const char *name) const { return without.find(name) == std::string::npos; }
};
constexpr const char *kFormNames[kForms] = {"array", "members", "pointer", "attach", "input"};

class Failures {
public:
  void add(const std::string &what) {
    if (count_.fetch_add(1) < 8) {
      std::printf("stress_promises: %s\n", what.c_str());
      std::fflush(stdout);
    }
  }
  int64_t count() const { return count_.load(); }

private:
  std::atomic<int64_t> count_{0};
};

Failures failures;
std::atomic<uint64_t> running_seed{0};
std::atomic<int64_t> begun{0}; ///< milliseconds of the clock when the program began; 0: none runs
std::atomic<uint32_t> sleeping{0}, yielding{0}, sleeping_in_copies{0}, hot{0}, progress{0};

int64_t now() { return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count(); }

void at_point(const char *point) {
  uint32_t hash = 2166136261u;
  for (const char *at = point; *at; ++at)
    hash = (hash ^ static_cast<unsigned char>(*at)) * 16777619u;
  Diary::write("at %s", point);
  const bool is_hot = (hash >> 8) % 8 == hot;
  delay_some(is_hot ? 16 : sleeping.load(), yielding);
}
void at_moment(const SplitEvent &event) {
  static constexpr const char *kMoments[] = {"copy begins", "copy has read", "copy writes on", "copy ends", "allocates",
                                             "frees",       "launches",      "waits",          "asks"};
  Diary::write("%s %s host %p device %p %lld bytes", kMoments[static_cast<int>(event.moment)],
               !event.host          ? ""
               : event.is_to_device ? "to"
                                    : "from",
               event.host, event.device, static_cast<long long>(event.size));
  if (event.moment == SplitMoment::kCopyHasRead)
    delay_some(sleeping_in_copies, 0);
  else
    delay_some(sleeping, yielding);
}
uint32_t choose(uint32_t limit) {
  if (limit == 4 && next(delays) % 4 >= progress) // the device does not work now
    return 0;
  return next(delays) % limit;
}

/// Memory of the shared data, and what each thread knows of them.
struct Shared {
  explicit Shared(const Plan &plan) : plan(plan) {}
  const Plan plan;
  std::vector<SharedData> data;
  std::vector<Knowledge> known[kMostThreads]; ///< indexed by the number of the data
  std::mutex turn;                            ///< held by the thread that leaves data
  int64_t private_words[kMostThreads][kPrivateWords] = {};
};

/// A construct of a thread that is not complete yet.
struct Unfinished {
  void *handle;
  std::vector<int> data;
  std::vector<Motion> motions;
  std::unique_ptr<Body> body;
  int becomes_held; ///< -1: no longer held; 1: held; 0: as before
};

/// One thread of the program.
class Worker {
public:
  Worker(Shared &shared, int number)
      : shared_(shared), plan_(shared.plan), on_(device_of(plan_.kind)), number_(number), known_(shared.known[number]),
        held_(shared.data.size(), 0), is_busy_(shared.data.size(), false) {
    random_ = (plan_.seed * kMostThreads + static_cast<uint64_t>(number) + 1) * 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < 8; ++i)
      (void)next(random_);
    delays = random_ ^ 0x5bd1e995;
    Diary::number = number;
  }

  void run() {
    for (int i = 0; i < plan_.rounds && failures.count() == 0; ++i)
      round();
    while (!unfinished_.empty())
      finish(true);
    for (size_t i = 0; i < held_.size(); ++i)
      if (held_[i])
        leave({static_cast<int>(i)}, false);
  }

private:
  uint32_t any(uint32_t limit) { return next(random_) % limit; }
  bool one_in(uint32_t n) { return any(n) == 0; }

  void expect(bool condition, const std::string &what) {
    if (!condition)
      failures.add(what);
  }
  std::string about(int i, const char *what, int64_t is, int64_t wanted) const {
    return std::string(what) + ": thread " + std::to_string(number_) + ", data " + std::to_string(i) + " (" +
           kFormNames[static_cast<int>(shared_.data[static_cast<size_t>(i)].form())] + "), is " + std::to_string(is) +
           ", wanted " + std::to_string(wanted);
  }

  void round() {
    if (plan_.observed == 2 && one_in(8))
      observe(one_in(2));
    if (plan_.planned == 2 && one_in(8))
      plans_all = one_in(2);
    finish(false);
    look();
    switch (any(16)) {
    case 0:
    case 1:
    case 2: return enter_some();
    case 3:
    case 4:
    case 5: return leave_some();
    case 6:
    case 7: return plan_.has("update") ? update_some() : region();
    case 8: return own_data();
    default: return region();
    }
  }

  /// Random data that are not in use by an unfinished construct, in random order.
  std::vector<int> choose_data(uint32_t most, bool (*accepts)(int held) = [](int) { return true; }) {
    std::vector<int> all;
    for (size_t i = 0; i < held_.size(); ++i)
      if (!is_busy_[i] && accepts(held_[i]))
        all.push_back(static_cast<int>(i));
    for (size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[any(static_cast<uint32_t>(i))]);
    if (!all.empty())
      all.resize(std::min<size_t>(all.size(), 1 + any(most)));
    return all;
  }

  SharedData &data_of(int i) { return shared_.data[static_cast<size_t>(i)]; }
  Knowledge &known_of(int i) { return known_[static_cast<size_t>(i)]; }
  bool is_held(int i) const { return held_[static_cast<size_t>(i)] != 0; }

  void tell(const char *construct, const std::vector<int> &chosen, const std::vector<Motion> &motions) const {
    if (!Diary::is_kept)
      return;
    std::string text = construct;
    for (size_t i = 0; i < chosen.size(); ++i)
      text += ", data " + std::to_string(chosen[i]) + " (" + std::to_string(motions[i]) + ")";
    Diary::write("%s", text.c_str());
  }

  Arguments arguments(const std::vector<int> &chosen, const std::vector<Motion> &motions, bool are_parameters) {
    Arguments all;
    for (size_t i = 0; i < chosen.size(); ++i)
      data_of(chosen[i]).add_arguments(motions[i], are_parameters, all);
    return all;
  }

  // ---- Looking at the host

  /// Cells on the host never go back.
  void look() {
    for (size_t i = 0; i < shared_.data.size(); ++i)
      if (!is_busy_[i] && one_in(2))
        look_at(static_cast<int>(i));
  }
  void look_at(int i) {
    Knowledge &known = known_of(i);
    const SharedData &data = data_of(i);
    for (int cell = 0; cell < data.cell_count(); ++cell) {
      const int64_t value = __atomic_load_n(data.host_cell(number_, cell), __ATOMIC_RELAXED);
      expect(value >= known.seen[cell], about(i, "the host's value goes back", value, known.seen[cell]));
      expect(value <= known.value, about(i, "the host has a value that nobody made", value, known.value));
      known.seen[cell] = value;
    }
  }
  /// The construct has copied the cells back.
  void expect_back(int i, const char *what) {
    Knowledge &known = known_of(i);
    const SharedData &data = data_of(i);
    for (int cell = 0; cell < data.cell_count(); ++cell) {
      const int64_t value = __atomic_load_n(data.host_cell(number_, cell), __ATOMIC_RELAXED);
      expect(value == known.value, about(i, what, value, known.value));
      known.seen[cell] = std::max(known.seen[cell], value);
    }
  }

  // ---- Regions

  /// With a reference of the thread's own, any motion is right that does not overwrite what the device has.
  Motion motion_of_region(int i) {
    if (data_of(i).is_input())
      return is_held(i) && one_in(2) ? (one_in(2) ? kPresent : 0) : kTo;
    if (!is_held(i))
      return kToFrom;
    static constexpr Motion kMotions[] = {0, kTo, kFrom, kToFrom};
    Motion motion = kMotions[any(4)];
    if (data_of(i).uses_always && one_in(2))
      motion = kFrom | kAlways;
    return motion | (one_in(4) ? kPresent : 0);
  }

  /// The region's work on the device: cells hold what the thread knows, and are increased.
  Body body_of(const std::vector<int> &chosen) {
    struct Step {
      const SharedData *data;
      int number;
      int64_t value;
    };
    std::vector<Step> steps;
    for (const int i : chosen) {
      steps.push_back({&data_of(i), i, known_of(i).value});
      if (!data_of(i).is_input())
        ++known_of(i).value;
    }
    return [this, steps](void **parameters) {
      for (size_t i = 0; i < steps.size(); ++i) {
        const Step &step = steps[i];
        for (int cell = 0; cell < step.data->cell_count(); ++cell) {
          int64_t *const at = step.data->device_cell(parameters[i], number_, cell);
          if (!is_device_memory(plan_.kind, at, 8)) {
            const bool is_host = at == step.data->host_cell(number_, cell);
            return expect(false,
                          about(step.number,
                                is_host ? "a kernel gets host memory" : "a kernel gets memory that is not in use", cell,
                                step.data->cell_count()));
          }
          const int64_t value = __atomic_load_n(at, __ATOMIC_RELAXED);
          expect(value == step.value,
                 about(step.number, "a kernel does not find what its thread knows", value, step.value));
          delay_some(sleeping, yielding);
          if (!step.data->is_input())
            __atomic_store_n(at, step.value + 1, __ATOMIC_RELAXED);
        }
      }
    };
  }

  void region() {
    const std::vector<int> chosen =
        plan_.leaves_in_turn ? choose_data(4, [](int held) { return held != 0; }) : choose_data(4);
    if (chosen.empty())
      return;
    std::vector<Motion> motions;
    for (const int i : chosen)
      motions.push_back(motion_of_region(i));
    const Arguments list = arguments(chosen, motions, true);
    auto body = std::make_unique<Body>(body_of(chosen));
    if (has_nowait_ && one_in(3)) {
      tell("region nowait", chosen, motions);
      void *const handle = on_.region_nowait(list, *body);
      return begin({handle, chosen, motions, std::move(body), 0});
    }
    const std::vector<Argument> alone = choose_alone(chosen);
    map_alone(alone, kTo);
    tell("region", chosen, motions);
    on_.region(list, *body);
    Diary::write("region ends");
    complete(chosen, motions);
    map_alone(alone, kFrom);
  }

  /// Structs with pointers among the data of a region, or what these point to: the thread maps some of them alone
  /// around it.
  std::vector<Argument> choose_alone(const std::vector<int> &chosen) {
    std::vector<Argument> alone;
    if (plan_.has("alone") && !plan_.leaves_in_turn)
      for (const int i : chosen)
        if (data_of(i).has_struct() && one_in(2))
          alone.push_back(one_in(2) ? data_of(i).struct_alone(0) : data_of(i).pointee_alone(0));
    return alone;
  }
  void map_alone(Arguments list, Motion motion) const {
    if (list.empty())
      return;
    for (Argument &argument : list)
      argument.type = motion;
    Diary::write(motion == kTo ? "enter %zu alone" : "exit %zu alone", list.size());
    motion == kTo ? on_.enter(list) : on_.exit(list);
  }

  void complete(const std::vector<int> &chosen, const std::vector<Motion> &motions) {
    for (size_t i = 0; i < chosen.size(); ++i)
      if (motions[i] & kAlways)
        expect_back(chosen[i], "what is always copied back is not there");
  }

  // ---- Data constructs

  static constexpr int kDynamic = 1, kByHold = 2;

  void enter_some() {
    std::vector<int> chosen = choose_data(4, [](int held) { return held == 0; });
    if (chosen.empty())
      return;
    const bool by_hold = one_in(4) && plan_.has("hold");
    std::vector<Motion> motions;
    for (const int i : chosen) {
      motions.push_back(kTo | (by_hold && data_of(i).form() != Form::kPointer ? kHold : 0));
      held_[static_cast<size_t>(i)] = motions.back() & kHold ? kByHold : kDynamic;
    }
    const Arguments list = arguments(chosen, motions, false);
    const bool is_nowait = has_nowait_ && one_in(4);
    tell(is_nowait ? "enter nowait" : "enter", chosen, motions);
    if (is_nowait)
      return begin({on_.enter_nowait(list), chosen, motions, nullptr, 1});
    on_.enter(list);
    Diary::write("enter ends");
  }

  void leave_some() {
    const std::vector<int> chosen = choose_data(3, [](int held) { return held != 0; });
    if (!chosen.empty())
      leave(chosen, has_nowait_ && one_in(3));
  }
  void leave(const std::vector<int> &chosen, bool is_nowait) {
    std::vector<Motion> motions;
    for (const int i : chosen)
      motions.push_back((data_of(i).is_input() ? 0 : kFrom) | (held_[static_cast<size_t>(i)] == kByHold ? kHold : 0) |
                        (data_of(i).uses_always && !data_of(i).is_input() && one_in(3) ? kAlways : 0));
    const Arguments list = arguments(chosen, motions, false);
    for (const int i : chosen)
      held_[static_cast<size_t>(i)] = 0;
    tell(is_nowait ? "exit nowait" : "exit", chosen, motions);
    if (is_nowait)
      return begin({on_.exit_nowait(list), chosen, motions, nullptr, -1});
    std::unique_lock turn(shared_.turn, std::defer_lock);
    if (plan_.leaves_in_turn)
      turn.lock();
    on_.exit(list);
    Diary::write("exit ends");
    complete(chosen, motions);
  }

  /// Cells of the thread's own in data that it holds.
  void update_some() {
    for (const int i : choose_data(2, [](int held) { return held != 0; })) {
      const SharedData &data = data_of(i);
      std::unique_lock turn(shared_.turn, std::defer_lock);
      if (plan_.leaves_in_turn)
        turn.lock();
      if (data.is_input()) {
        ++known_of(i).value;
        __atomic_store_n(data.host_cell(number_, 0), known_of(i).value, __ATOMIC_RELAXED);
        on_.update({data.cell_argument(number_, 0, kTo | (one_in(4) ? kPresent : 0))});
      } else if (!data.uses_always && one_in(2)) {
        replace_cells(i);
      } else if (!data.uses_always) {
        Arguments cells;
        for (int cell = 0; cell < data.cell_count(); ++cell)
          cells.push_back(data.cell_argument(number_, cell, kFrom));
        Diary::write("update from, data %d", i);
        on_.update(cells);
        Diary::write("update from ends");
        expect_back(i, "an update does not bring what the device has");
      }
      expect(on_.is_present(data.host_cell(number_, 0)), about(i, "held data are not present", 0, 1));
    }
  }

  /// The thread gives its cells a new value on the host, and the device gets it. It holds the data: nobody copies them
  /// back.
  void replace_cells(int i) {
    const SharedData &data = data_of(i);
    Knowledge &known = known_of(i);
    known.value += 10;
    Arguments cells;
    for (int cell = 0; cell < data.cell_count(); ++cell) {
      __atomic_store_n(data.host_cell(number_, cell), known.value, __ATOMIC_RELAXED);
      known.seen[cell] = known.value;
      cells.push_back(data.cell_argument(number_, cell, kTo));
    }
    Diary::write("cells of data %d become %lld, and update to", i, static_cast<long long>(known.value));
    delay_some(sleeping, yielding);
    on_.update(cells);
    Diary::write("update to ends");
    expect_back(i, "a value that the host has written is overwritten");
  }

  // ---- Data of the thread's own, beside those of others

  void own_data() {
    int64_t *const words = shared_.private_words[number_];
    const uint32_t count = 1 + any(kPrivateWords);
    const uint32_t begin = any(kPrivateWords - count + 1);
    const int64_t sum = 1 + any(100);
    for (uint32_t i = 0; i < count; ++i)
      words[begin + i] = sum + i;
    Arguments list = {data(words + begin, count * 8, kToFrom | kTargetParam)};
    if (one_in(3))
      on_.enter({data(words + begin, count * 8, kTo)});
    const bool is_entered = on_.is_present(words + begin);
    on_.region(list, [count](void **parameters) {
      for (uint32_t i = 0; i < count; ++i)
        static_cast<int64_t *>(parameters[0])[i] += 1000;
    });
    if (is_entered)
      on_.exit({data(words + begin, count * 8, kFrom)});
    for (uint32_t i = 0; i < count; ++i)
      expect(words[begin + i] == sum + i + 1000, "data of a thread's own do not come back");
  }

  // ---- Unfinished constructs

  void begin(Unfinished construct) {
    for (const int i : construct.data)
      is_busy_[static_cast<size_t>(i)] = true;
    unfinished_.push_back(std::move(construct));
  }
  /// Asks for one of them; or, if all are to be finished, until it is complete.
  void finish(bool waits) {
    if (unfinished_.empty())
      return;
    const size_t number = any(static_cast<uint32_t>(unfinished_.size()));
    Unfinished &construct = unfinished_[number];
    while (!ask(construct.handle))
      if (!waits)
        return;
    for (const int i : construct.data)
      is_busy_[static_cast<size_t>(i)] = false;
    Diary::write("what was begun with data %d is complete", construct.data[0]);
    const Unfinished done = std::move(construct);
    unfinished_.erase(unfinished_.begin() + static_cast<long>(number));
    complete(done.data, done.motions);
  }

  Shared &shared_;
  const Plan &plan_;
  const Constructs on_;
  const int number_;
  std::vector<Knowledge> &known_;
  std::vector<int> held_;     ///< how each of the data is held: not, dynamic, or by ompx_hold
  std::vector<bool> is_busy_; ///< an unfinished construct uses them
  std::vector<Unfinished> unfinished_;
  const bool has_nowait_ = plan_.has_nowait && plan_.has("nowait");
  uint64_t random_;
};

// ---- Programs

int64_t pool[1 << 16];

enum class Leaving { kAny, kInTurn, kFree };

Plan plan_of(uint64_t seed, int threads, int rounds, Leaving leaving) {
  uint64_t random = seed * 0x9E3779B97F4A7C15ull + 0x2545F491;
  for (int i = 0; i < 8; ++i)
    (void)next(random);
  static constexpr SplitKind kKinds[] = {SplitKind::kAtOnce, SplitKind::kAtOnce, SplitKind::kQueueing,
                                         SplitKind::kQueueingWithEvents};
  Plan plan;
  plan.seed = seed;
  plan.threads = threads != 0 ? threads : 2 + static_cast<int>(next(random) % 3);
  plan.rounds = rounds;
  plan.kind = kKinds[seed % 4];
  plan.observed = static_cast<int>(next(random) % 6); // half of all: never
  plan.observed = plan.observed > 2 ? 0 : plan.observed;
  plan.planned = static_cast<int>(next(random) % 6);
  plan.planned = plan.planned > 2 ? 0 : plan.planned;
  plan.sleeping = next(random) % 6;
  plan.yielding = next(random) % 3; // dear on a busy machine
  plan.sleeping_in_copies = next(random) % 4 == 0 ? 0 : next(random) % 32;
  plan.hot = next(random) % 9; // none, too
  plan.progress = next(random) % 5;
  plan.has_nowait = next(random) % 2 == 0;
  plan.leaves_in_turn = next(random) % 4 == 0;
  if (leaving != Leaving::kAny)
    plan.leaves_in_turn = leaving == Leaving::kInTurn;
  plan.has_nowait = plan.has_nowait && !plan.leaves_in_turn;
  return plan;
}

/// Data of random forms and sizes, which lie side by side.
void make_data(Shared &shared) {
  uint64_t random = shared.plan.seed * 0xD1B54A32D192ED03ull + 1;
  for (int i = 0; i < 8; ++i)
    (void)next(random);
  static constexpr int kLengths[] = {8, 16, 64, 256, 512, 600, 2048};
  const uint32_t count = 1 + next(random) % kMostData;
  int64_t *memory = pool + next(random) % 512;
  for (uint32_t i = 0; i < count; ++i) {
    auto form = static_cast<Form>(next(random) % 2 == 0 ? 0 : next(random) % kForms);
    if (!shared.plan.has(kFormNames[static_cast<int>(form)]))
      form = Form::kArray;
    const int length = kLengths[next(random) % 7];
    shared.data.emplace_back(form, length, memory);
    shared.data.back().uses_always = next(random) % 2 == 0 && !shared.plan.leaves_in_turn && shared.plan.has("always");
    memory += SharedData::words_for(form, length) + (next(random) % 2 == 0 ? 0 : next(random) % 64);
  }
  for (auto &known : shared.known)
    known.resize(count);
}

void check_end(const Shared &shared) {
  for (int thread = 0; thread < shared.plan.threads; ++thread)
    for (size_t i = 0; i < shared.data.size(); ++i)
      for (int cell = 0; cell < shared.data[i].cell_count(); ++cell) {
        const int64_t value = *shared.data[i].host_cell(thread, cell), wanted = shared.known[thread][i].value;
        if (value != wanted)
          failures.add("a result is lost in the end: thread " + std::to_string(thread) + ", data " + std::to_string(i) +
                       ", is " + std::to_string(value) + ", wanted " + std::to_string(wanted));
      }
  for (const SharedData &data : shared.data)
    if (!data.has_host_pointer())
      failures.add("the host's pointer is lost");
}

void run_program(const Plan &plan) {
  running_seed = plan.seed;
  Diary::clear();
  begun = now();
  free_dormant_data(plan.kind);
  const int64_t blocks = count_blocks(plan.kind);
  sleeping = plan.sleeping;
  yielding = plan.yielding;
  sleeping_in_copies = plan.sleeping_in_copies;
  hot = plan.hot;
  progress = plan.progress;
  observe(plan.observed == 1);
  plans_all = plan.planned == 1;
  Shared shared(plan);
  make_data(shared);
  for (const SharedData &data : shared.data)
    Diary::write("data %d: %s at %p, %lld bytes%s", static_cast<int>(&data - shared.data.data()),
                 kFormNames[static_cast<int>(data.form())], data.begin(), static_cast<long long>(data.bytes()),
                 data.uses_always ? ", always" : "");
  std::vector<std::thread> threads;
  for (int i = 0; i < plan.threads; ++i)
    threads.emplace_back([&, i] { Worker(shared, i).run(); });
  for (std::thread &thread : threads)
    thread.join();
  begun = 0;
  observe(false);
  plans_all = false;
  if (failures.count() != 0)
    return;
  check_end(shared);
  if (runtime_device(plan.kind).map().size() != 0)
    failures.add("data stay present that nobody references");
  free_dormant_data(plan.kind);
  if (count_blocks(plan.kind) != blocks)
    failures.add("device memory is lost");
}

// ---- The process

void tell_seed(const char *what) {
  char text[160];
  const int length = std::snprintf(text, sizeof text, "stress_promises: %s, seed %llu\n", what,
                                   static_cast<unsigned long long>(running_seed.load()));
  (void)!write(STDOUT_FILENO, text, static_cast<size_t>(length));
}

void end_badly(int signal) {
  tell_seed(signal == SIGABRT ? "the runtime ends the program" : "the program crashes");
  std::_Exit(1);
}

/// Ends the process if a program does not come to its end.
void watch() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const int64_t since = begun;
    if (since != 0 && now() - since > 60000) {
      tell_seed("the program does not end");
      std::abort();
    }
  }
}

struct Options {
  int threads = 3;
  int rounds = 60;
  int64_t programs = 400;
  double minutes = 0;
  uint64_t seed = 1;
  Leaving leaving = Leaving::kAny;
  std::string without;
};

std::string describe(const Plan &plan) {
  return std::string("device ") + static_cast<char>(plan.kind) + ", " + std::to_string(plan.threads) +
         " threads, observed " + std::to_string(plan.observed) + ", planned " + std::to_string(plan.planned) +
         (plan.has_nowait ? ", nowait" : "") + (plan.leaves_in_turn ? ", leaving in turn" : "");
}

int run(const Options &options) {
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  static const SplitHooks hooks = {at_moment, choose, [](const char *what) { failures.add(what); }};
  start_program(hooks);
  sched_point_hook = at_point;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS})
    std::signal(signal, end_badly);
  std::thread(watch).detach();
  int64_t programs = 0;
  for (; options.minutes > 0 ? seconds() < 60 * options.minutes : programs < options.programs; ++programs) {
    Plan plan =
        plan_of(options.seed + static_cast<uint64_t>(programs), options.threads, options.rounds, options.leaving);
    plan.without = options.without;
    run_program(plan);
    if (failures.count() != 0) {
      std::printf("stress_promises: seed %llu, program %lld of this run, %s, after %.1f s\n",
                  static_cast<unsigned long long>(plan.seed), static_cast<long long>(programs + 1),
                  describe(plan).c_str(), seconds());
      Diary::print();
      std::fflush(stdout);
      std::_Exit(1); // others may still use the data
    }
  }
  std::printf("stress_promises: %lld programs from seed %llu, no finding in %.1f s\n", static_cast<long long>(programs),
              static_cast<unsigned long long>(options.seed), seconds());
  std::fflush(stdout);
  std::_Exit(0);
}

} // namespace
} // namespace omptarget::test

int main(int count, char **words) {
  omptarget::test::Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string name = words[i];
    const char *const value = i + 1 < count ? words[i + 1] : "";
    if (name == "--leaving" && (!std::strcmp(value, "in-turn") || !std::strcmp(value, "freely"))) {
      options.leaving = *value == 'i' ? omptarget::test::Leaving::kInTurn : omptarget::test::Leaving::kFree;
      continue;
    }
    if (name == "--without" || name == "--plant") {
      if (name == "--without")
        options.without = value;
      else
        omptarget::planted_fault = value;
      continue;
    }
    char *end = nullptr;
    const double number = std::strtod(value, &end);
    const bool is_number = end != value && *end == 0 && number >= 0;
    if (is_number && name == "--threads" && number <= omptarget::test::kMostThreads)
      options.threads = static_cast<int>(number);
    else if (is_number && name == "--rounds" && number <= 1e9)
      options.rounds = static_cast<int>(number);
    else if (is_number && name == "--programs" && number <= 1e15)
      options.programs = static_cast<int64_t>(number);
    else if (is_number && name == "--diary")
      omptarget::test::Diary::is_kept = number != 0;
    else if (is_number && name == "--minutes")
      options.minutes = number;
    else if (is_number && name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else {
      std::fprintf(stderr,
                   "stress_promises: '%s %s' is no option; there are --threads N (0 to %d), --rounds N, --programs N, "
                   "--minutes N, --seed N, --leaving in-turn or freely, --without "
                   "members,pointer,attach,alone,input,update,always,nowait,hold, --plant FAULT\n",
                   words[i], value, omptarget::test::kMostThreads);
      return 2;
    }
  }
  return omptarget::test::run(options);
}
