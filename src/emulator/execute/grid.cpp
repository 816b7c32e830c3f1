// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See grid.h.

#include "grid.h"

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "base/internal_thread.h"
#include "base/numa.h"
#include "progress.h"

namespace emulator::executor {

namespace {

constexpr uint64_t kNoEnd = std::numeric_limits<uint64_t>::max();

uint64_t number(const char *variable, uint64_t otherwise, uint64_t least) {
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return otherwise;
  const uint64_t value = std::strtoull(text, nullptr, 10);
  return value < least ? least : value;
}

Extent at(uint64_t number, const Extent &extent) {
  return {static_cast<uint32_t>(number % extent[0]), static_cast<uint32_t>(number / extent[0] % extent[1]),
          static_cast<uint32_t>(number / extent[0] / extent[1])};
}

// The state that the threads of a launch share.
struct SharedLaunch {
  SharedLaunch(const Extent &blocks, BlockSource &first, const Schedule &how)
      : extent(blocks), total(count(blocks)), schedule(how), executed(first.executed),
        progress(how.kernel, total, how.progress_after) {
    share_blocks(how.cores);
  }

  // Blocks that wait for one another must be resident.
  void share_blocks(uint64_t threads) {
    const uint64_t each = (total + threads - 1) / threads;
    resident = static_cast<uint32_t>(std::clamp<uint64_t>(each, 1, schedule.resident_blocks));
    has_others = threads > 1;
  }
  bool has_more() const {
    return next.load(std::memory_order_relaxed) < total && !has_failed.load(std::memory_order_relaxed);
  }
  void fail(Report &&found) {
    const std::lock_guard lock(mutex);
    if (!has_failed.exchange(true, std::memory_order_relaxed))
      report = std::move(found);
  }
  void note_progress() {
    if (const std::unique_lock lock(mutex, std::try_to_lock); lock)
      progress.note(ended.load(std::memory_order_relaxed), executed.load(std::memory_order_relaxed));
  }

  const Extent extent;
  const uint64_t total;
  const Schedule &schedule;
  std::atomic<uint64_t> &executed;         // instructions
  std::atomic<uint64_t> next{0}, ended{0}; // blocks
  std::atomic<uint32_t> resident{1};       // blocks of a thread
  std::atomic<bool> has_others{false};
  std::atomic<bool> has_failed{false};
  std::mutex mutex; // guards what follows
  std::optional<Report> report;
  Progress progress;
};

// The blocks that are resident on one thread, and whose turn it is.
class Grid {
public:
  Grid(SharedLaunch &launch, BlockSource &source, uint64_t seed)
      : launch_(launch), source_(source), schedule_(launch.schedule), random_(seed) {}

  // Returns at the end of all blocks of this thread, or when the launch has executed so many instructions.
  void take_turns(uint64_t until = kNoEnd) {
    while (!launch_.has_failed.load(std::memory_order_relaxed)) {
      while (resident_.size() < launch_.resident.load(std::memory_order_relaxed) && launch_.has_more())
        if (const uint64_t next = launch_.next.fetch_add(1, std::memory_order_relaxed); next < launch_.total)
          add_block(source_.make_block(at(next, launch_.extent)));
      if (resident_.empty() || executed_ >= until)
        break;
      if (executed_ >= next_note_) {
        next_note_ = executed_ + kBatch;
        launch_.note_progress();
      }
      if (auto report = take_turn())
        launch_.fail(std::move(*report));
    }
    count_executed();
  }

private:
  static constexpr uint64_t kBatch = 1 << 12; // instructions of a thread until others see that it has executed them

  void add_block(std::unique_ptr<Block> block) {
    for (const auto &wave : block->waves)
      wave->goes_on = &schedule_.goes_on;
    resident_.push_back(std::move(block));
  }

  void count_executed() {
    executed_ = launch_.executed.fetch_add(uncounted_, std::memory_order_relaxed) + uncounted_;
    uncounted_ = 0;
  }

  // Short turns show what lacks a lock or a barrier; long ones are fast.
  uint32_t longest_turn() {
    return schedule_.has_long_turns && executed_ >= Schedule::kShortTurns && random_.below(64) != 0
               ? Schedule::kLongTurn
               : schedule_.quantum;
  }

  Report report_of(const Block &block, const Wave &wave, Fault fault) const {
    const uint32_t lane = fault.lane < 0 ? 0 : static_cast<uint32_t>(fault.lane);
    return {std::move(fault), block.index, at(wave.first_thread + lane, block.threads), wave.code_address()};
  }

  // Every block that is resident has a wave that is ready, or rests: otherwise it ended, or its barrier let all go on.
  std::optional<Report> take_turn() {
    const uint32_t chosen = random_.below(static_cast<uint32_t>(resident_.size()));
    Block &block = *resident_[chosen];
    ready_.clear();
    for (const auto &wave : block.waves)
      if (wave->state == WaveState::kReady && wave->rest != 0)
        --wave->rest;
      else if (wave->state == WaveState::kReady)
        ready_.push_back(wave.get());
    if (ready_.empty())
      return std::nullopt;
    Wave &wave = *ready_[random_.below(static_cast<uint32_t>(ready_.size()))];
    const uint64_t ran = wave.run(1 + random_.below(longest_turn()));
    executed_ += ran;
    uncounted_ += ran;
    if (uncounted_ >= kBatch || !launch_.has_others.load(std::memory_order_relaxed))
      count_executed();
    if (wave.fault)
      return report_of(block, wave, *wave.fault);
    if (executed_ > schedule_.budget)
      return report_of(block, wave,
                       {FaultKind::kProgram, "the launch has executed " + std::to_string(executed_) +
                                                 " instructions and does not end (SIM_EXECUTOR_BUDGET)" +
                                                 wave.may_not_end()});
    if (wave.state == WaveState::kReady)
      return std::nullopt;
    if (auto report = look_at_barrier(block))
      return report;
    bool has_ended = true;
    for (const auto &one : block.waves)
      has_ended = has_ended && one->state == WaveState::kEnded;
    if (has_ended && block.global_uses)
      block.global_uses->end(block.order);
    if (has_ended) {
      resident_.erase(resident_.begin() + chosen);
      launch_.ended.fetch_add(1, std::memory_order_relaxed);
    }
    return std::nullopt;
  }

  // A barrier lets the waves go on when all have reached it that have not ended: so GPUs do it, and LLVM's device RTL needs it.
  std::optional<Report> look_at_barrier(Block &block) {
    const Wave *waits = nullptr, *ended = nullptr, *blocked = nullptr;
    for (const auto &wave : block.waves) {
      if (wave->state == WaveState::kReady)
        return std::nullopt;
      (wave->state == WaveState::kBlocked     ? blocked
       : wave->state == WaveState::kAtBarrier ? waits
                                              : ended) = wave.get();
    }
    if (blocked)
      return report_of(block, *blocked, {FaultKind::kProgram, blocked->waits_for()});
    if (!waits)
      return std::nullopt;
    if (ended && schedule_.waits_for_ended && !is_main_alone(block) && !waits_alone(block)) {
      Fault fault{FaultKind::kProgram, "a barrier that not all threads reach: the wave of thread " +
                                           std::to_string(ended->first_thread) + " has ended after " +
                                           std::to_string(ended->barriers) + " barriers, this one waits at number " +
                                           std::to_string(waits->barriers)};
      if (!schedule_.goes_on || !schedule_.goes_on(fault, waits->code_address()))
        return report_of(block, *waits, std::move(fault));
    }
    for (const auto &wave : block.waves)
      if (wave->state == WaveState::kAtBarrier)
        wave->state = WaveState::kReady;
    if (block.uses)
      block.uses->forget();
    if (block.global_uses)
      block.global_uses->order_waves(block.order, block.waves.size());
    return std::nullopt;
  }

  // The main thread of a generic kernel is in the last wave. It waits at the end, and workers have left at the begin
  // if the compiler has found no work for them.
  static bool is_main_alone(const Block &block) {
    return std::all_of(block.waves.begin(), std::prev(block.waves.end()),
                       [](const auto &wave) { return wave->state == WaveState::kEnded && wave->barriers == 0; });
  }

  // One thread waits, all others have ended. Compilers leave the barrier of a region for the main thread there, in code
  // that only the last thread of a reduction comes to.
  static bool waits_alone(const Block &block) {
    uint32_t lanes = 0;
    for (const auto &wave : block.waves)
      lanes += wave->state == WaveState::kEnded ? 0 : wave->lanes_at_barrier();
    return lanes == 1;
  }

  SharedLaunch &launch_;
  BlockSource &source_;
  const Schedule &schedule_;
  Random random_;
  std::vector<std::unique_ptr<Block>> resident_;
  std::vector<Wave *> ready_;
  uint64_t executed_ = 0; // by all threads, as far as this one has seen
  uint64_t uncounted_ = 0, next_note_ = 0;
};

// While it lives, floats are computed as GPUs do. A program's rounding, its traps (as of -ffpe-trap) and its flushing
// of denormals (as of -ffast-math) are of its host code only; threads inherit them.
class DefaultFloats {
public:
  DefaultFloats() {
    std::fegetenv(&programs_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&programs_); }
  DefaultFloats(const DefaultFloats &) = delete;
  DefaultFloats &operator=(const DefaultFloats &) = delete;

private:
  std::fenv_t programs_{};
};

// Those that the process may use.
const std::vector<int> &processors() {
  static const auto &numbers = *new std::vector<int>(omptarget::cpus_of_process());
  return numbers;
}

// Further threads that run blocks of a launch. They end with it.
class OtherCores {
public:
  OtherCores(SharedLaunch &launch, BlockSource &first) : launch_(launch), first_(first) {}
  ~OtherCores() {
    for (const auto &thread : threads_)
      pthread_join(thread->id, nullptr);
  }
  OtherCores(const OtherCores &) = delete;
  OtherCores &operator=(const OtherCores &) = delete;

  bool add_one() {
    auto source = first_.make_another(static_cast<uint32_t>(threads_.size() + 1));
    if (!source)
      return false;
    if (threads_.empty()) // OpenMP may have bound the program's thread that made this one
      is_bound_ = omptarget::cpus_of_thread(0).size() < processors().size();
    threads_.push_back(std::make_unique<Thread>(launch_, std::move(source), threads_.size() + 1));
    if (omptarget::create_internal_thread(threads_.back()->id, run, threads_.back().get()) != 0) {
      threads_.pop_back();
      return false;
    }
    if (is_bound_)
      omptarget::run_on_cpus(threads_.back()->id, processors());
    return true;
  }
  size_t count() const { return threads_.size(); }

private:
  struct Thread {
    Thread(SharedLaunch &launch, std::unique_ptr<BlockSource> own, uint64_t number)
        : source(std::move(own)), grid(launch, *source, launch.schedule.seed + number) {}
    const std::unique_ptr<BlockSource> source;
    Grid grid;
    pthread_t id{};
  };
  static void *run(void *thread) { // with the floats of its creator
    static_cast<Thread *>(thread)->grid.take_turns();
    return nullptr;
  }

  SharedLaunch &launch_;
  BlockSource &first_;
  bool is_bound_ = false;
  std::vector<std::unique_ptr<Thread>> threads_;
};

} // namespace

std::string name_lanes(uint64_t lanes) {
  std::string text;
  for (unsigned lane = 0; lane < 64; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    unsigned last = lane;
    while (last + 1 < 64 && (lanes >> (last + 1) & 1))
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(lane) + (last > lane ? "-" + std::to_string(last) : "");
    lane = last;
  }
  return text;
}

uint64_t Random::next() { // splitmix64
  uint64_t value = state_ += 0x9E3779B97F4A7C15;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

Schedule Schedule::from_environment() {
  Schedule schedule;
  schedule.seed = number("SIM_EXECUTOR_SEED", schedule.seed, 0);
  schedule.quantum = static_cast<uint32_t>(number("SIM_EXECUTOR_QUANTUM", schedule.quantum, 1));
  schedule.has_own_quantum = number("SIM_EXECUTOR_QUANTUM", 0, 0) != 0;
  schedule.compile_after = static_cast<uint32_t>(number("SIM_EXECUTOR_COMPILE", schedule.compile_after, 0));
  if (number("SIM_EXECUTOR_INTERPRET", 0, 0) != 0)
    schedule.compile_after = Schedule::kNever;
  schedule.resident_blocks = static_cast<uint32_t>(number("SIM_EXECUTOR_BLOCKS", schedule.resident_blocks, 1));
  const char *const seed = std::getenv("SIM_EXECUTOR_SEED");
  const uint64_t cores = number("SIM_EXECUTOR_CORES", seed && *seed ? 1 : processors().size(), 1);
  schedule.cores = static_cast<uint32_t>(std::min<uint64_t>(cores, Schedule::kMostCores));
  schedule.alone = static_cast<uint32_t>(number("SIM_EXECUTOR_ALONE", schedule.alone, 0));
  schedule.budget = number("SIM_EXECUTOR_BUDGET", schedule.budget, 1);
  const uint64_t is_strict = number("SIM_EXECUTOR_STRICT", 0, 0);
  schedule.waits_for_ended = number("SIM_EXECUTOR_STRICT_BARRIERS", is_strict, 0) != 0;
  schedule.refuses_absent = number("SIM_EXECUTOR_STRICT_LANES", is_strict, 0) != 0;
  schedule.is_weak = number("SIM_EXECUTOR_STRICT_MEMORY", is_strict, 0) != 0;
  schedule.finds_races = number("SIM_EXECUTOR_RACES", 0, 0) != 0;
  schedule.finds_global_races = number("SIM_EXECUTOR_GLOBAL_RACES", 0, 0) != 0;
  schedule.breakpoint = Breakpoint::from_environment();
  // These write so much themselves that a line would be no help.
  const char *const after = std::getenv("SIM_EXECUTOR_PROGRESS");
  if (after && *after && !schedule.breakpoint.is_set && number("SIM_EXECUTOR_TRACE", 0, 0) == 0)
    schedule.progress_after = static_cast<uint32_t>(number("SIM_EXECUTOR_PROGRESS", 0, 0));
  return schedule;
}

std::optional<Report> run_grid(const Extent &blocks, BlockSource &source, const Schedule &schedule) {
  const DefaultFloats floats;
  SharedLaunch launch(blocks, source, schedule);
  Grid grid(launch, source, schedule.seed);
  {
    OtherCores others(launch, source);
    do
      grid.take_turns((others.count() + 1) * schedule.alone);
    while (others.count() + 1 < schedule.cores && launch.has_more() && others.add_one());
    launch.share_blocks(others.count() + 1);
    grid.take_turns();
  }
  return std::move(launch.report);
}

} // namespace emulator::executor
