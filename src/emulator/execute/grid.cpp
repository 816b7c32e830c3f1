// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See grid.h.

#include "grid.h"

#include <algorithm>
#include <cfenv>
#include <cstdlib>

#include "progress.h"

namespace emulator::executor {

namespace {

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

// The blocks that are resident, and whose turn it is.
class Grid {
public:
  Grid(const Extent &blocks, BlockSource &source, const Schedule &schedule)
      : extent_(blocks), source_(source), schedule_(schedule), random_(schedule.seed),
        progress_(schedule.kernel, count(blocks), schedule.progress_after) {}

  std::optional<Report> run() {
    while (true) {
      while (resident_.size() < schedule_.resident_blocks && next_ < count(extent_))
        resident_.push_back(source_.make_block(at(next_++, extent_)));
      if (resident_.empty())
        return std::nullopt;
      progress_.note(next_ - resident_.size(), executed_);
      if (auto report = take_turn())
        return report;
    }
  }

private:
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
    executed_ += wave.run(1 + random_.below(longest_turn()));
    if (wave.fault)
      return report_of(block, wave, *wave.fault);
    if (executed_ > schedule_.budget)
      return report_of(block, wave,
                       {FaultKind::kProgram, "the launch has executed " + std::to_string(executed_) +
                                                 " instructions and does not end (SIM_EXECUTOR_BUDGET)"});
    if (wave.state == WaveState::kReady)
      return std::nullopt;
    if (auto report = look_at_barrier(block))
      return report;
    bool has_ended = true;
    for (const auto &one : block.waves)
      has_ended = has_ended && one->state == WaveState::kEnded;
    if (has_ended && block.global_uses)
      block.global_uses->end(block.order);
    if (has_ended)
      resident_.erase(resident_.begin() + chosen);
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
    if (ended && schedule_.waits_for_ended && !is_main_alone(block))
      return report_of(block, *waits,
                       {FaultKind::kProgram, "a barrier that not all threads reach: the wave of thread " +
                                                 std::to_string(ended->first_thread) + " has ended after " +
                                                 std::to_string(ended->barriers) + " barriers, this one waits at its " +
                                                 std::to_string(waits->barriers) + "th"});
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

  Extent extent_;
  BlockSource &source_;
  const Schedule &schedule_;
  Random random_;
  std::vector<std::unique_ptr<Block>> resident_;
  std::vector<Wave *> ready_;
  uint64_t next_ = 0, executed_ = 0;
  Progress progress_;
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

} // namespace

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
  return Grid(blocks, source, schedule).run();
}

} // namespace emulator::executor
