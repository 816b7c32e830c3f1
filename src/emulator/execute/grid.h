// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch: blocks of waves, several of them resident at a time, run in turns that a seed and a quantum decide. A long
// launch may use several cores, each with resident blocks of its own. Shared by all targets: an AMD wave and a warp of
// NVIDIA's are both a Wave, a work-group is a Block.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "breakpoint.h"
#include "memory.h"
#include "races.h"
#include "unwritten.h"
#include "weak_memory.h"

namespace emulator::executor {

std::string name_lanes(uint64_t lanes); ///< "0-3,7"

using Extent = std::array<uint32_t, 3>; ///< x, y, z
inline uint64_t count(const Extent &extent) { return uint64_t{extent[0]} * extent[1] * extent[2]; }

enum class FaultKind {
  kMemory,      ///< an access that a device would refuse, or that is wrong although it might not
  kProgram,     ///< a trap, a jump out of code, a barrier that not all reach, no end
  kUnsupported, ///< something that the executor cannot do: never a wrong result instead
};

/// The fault of a wave.
struct Fault {
  FaultKind kind;
  std::string text;     ///< the fault, and the memory or register concerned
  uint64_t address = 0; ///< address of a kMemory fault
  int lane = -1;        ///< if it is one lane's
  /// Another place in the code, and what happens there: the earlier access of a race.
  uint64_t other_code = 0;
  const char *other_text = nullptr;
  const char *rule = nullptr; ///< a short name, if the kind does not tell
  const char *rule_name() const { return rule ? rule : kind == FaultKind::kMemory ? "memory" : "execution"; }
};

/// A place in the source, for a report.
struct CodePlace {
  std::string path; ///< empty: not known
  uint32_t line = 0;
};

/// Returns whether a wave goes on behind a finding at the address of code, as the user does not want to hear of it.
using GoesOn = std::function<bool(const Fault &, uint64_t code)>;

enum class WaveState {
  kReady,
  kAtBarrier, ///< until all waves of the block are
  kBlocked,   ///< until another wave of the block makes it ready
  kEnded,
  kFaulted
};

/// Lanes that share a program counter.
class Wave {
public:
  Wave() = default;
  Wave(const Wave &) = delete;
  Wave &operator=(const Wave &) = delete;
  virtual ~Wave() = default;
  /// Executes at most so many instructions while ready, and returns how many.
  virtual uint64_t run(uint64_t most) = 0;
  /// Returns the address of the next instruction, or of the one with the fault.
  virtual uint64_t code_address() const = 0;
  /// Returns the address of the instruction that is carried out.
  virtual uint64_t running_code() const = 0;
  /// Returns what blocks it, for a message.
  virtual std::string waits_for() const { return {}; }
  /// Returns a reason why a launch with this wave may never end, for a message; empty if there is none.
  virtual std::string may_not_end() const { return {}; }
  /// Returns how many lanes wait at a barrier.
  virtual uint32_t lanes_at_barrier() const = 0;
  /// The wave has a fault, unless it has one already. lane: -1 for all.
  virtual void fail(FaultKind kind, std::string text, int lane = -1, uint64_t address = 0) {
    if (has_failed())
      return; // the first tells
    state = WaveState::kFaulted;
    fault = Fault{kind, std::move(text), address, lane};
  }
  /// The wave has a fault that a check has found, and false, or the user does not want to hear of it.
  bool goes_on_behind(const Fault &found) {
    if (has_failed() || (goes_on && *goes_on && (*goes_on)(found, running_code())))
      return !has_failed();
    fail(found.kind, found.text, found.lane, found.address);
    describe_fault(found.rule, found.other_code, found.other_text);
    return false;
  }
  bool has_failed() const { return state == WaveState::kFaulted; }
  /// use: "an address". origin: the code that has read the memory. Returns whether the wave goes on.
  bool fail_unwritten(const char *use, UnwrittenMemory::Origin origin, int lane = -1) {
    const bool is_of_lane = (origin & UnwrittenMemory::kOfLane) != 0;
    return goes_on_behind({is_of_lane ? FaultKind::kProgram : FaultKind::kMemory,
                           std::string(use) + " depends on " + describe_origin(origin), 0, lane,
                           origin & ~UnwrittenMemory::kOfLane, is_of_lane ? "the shuffle" : "that memory is read",
                           is_of_lane ? "execution" : "unwritten"});
  }
  /// Adds to the fault that has just been found.
  void describe_fault(const char *rule, uint64_t other_code = 0, const char *other_text = "the other access") {
    fault->rule = rule;
    fault->other_code = other_code;
    fault->other_text = other_text;
  }

  WaveState state = WaveState::kReady;
  std::optional<Fault> fault;      ///< when faulted
  uint32_t first_thread = 0;       ///< number in the block of its first lane's thread
  uint64_t barriers = 0;           ///< reached so far
  WaveView view;                   ///< its view of weak memory
  const GoesOn *goes_on = nullptr; ///< of the schedule
  uint32_t rest = 0;               ///< turns of its block that go by without it
};

struct Block {
  Block() = default;
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  virtual ~Block() = default;
  /// Gives it shared memory, with room for a whole word at the end.
  void make_shared(size_t bytes) {
    shared.reserve((bytes + kWordSize - 1) / kWordSize * kWordSize);
    shared.resize(bytes);
  }
  Extent index{};
  Extent threads{};
  std::vector<uint8_t> shared;       ///< memory, of exactly the size that was asked for
  std::unique_ptr<FreshBytes> fresh; ///< nobody has written it yet
  std::vector<std::unique_ptr<Wave>> waves;
  std::unique_ptr<SharedUses> uses;        ///< uses of shared memory, if races are looked for
  TeamView view;                           ///< its view of weak memory
  std::shared_ptr<GlobalUses> global_uses; ///< uses by the launch, if races on global memory are looked for
  TeamOrder order;
};

/// Makes the blocks of a launch when their turn comes. One thread.
class BlockSource {
public:
  BlockSource() = default;
  BlockSource(const BlockSource &) = delete;
  BlockSource &operator=(const BlockSource &) = delete;
  virtual ~BlockSource() = default;
  virtual std::unique_ptr<Block> make_block(const Extent &index) = 0;
  /// Returns a source for the blocks that another thread runs. number: of the thread, from 1. Null: all blocks run on
  /// one thread.
  virtual std::unique_ptr<BlockSource> make_another(uint32_t) { return nullptr; }
  std::atomic<uint64_t> executed{0}; ///< instructions of all waves, counted in the launch's first source
};

/// How a launch is carried out.
struct Schedule {
  uint64_t seed = 1;            ///< SIM_EXECUTOR_SEED
  uint32_t quantum = 64;        ///< SIM_EXECUTOR_QUANTUM: at most so many instructions in turn
  bool has_own_quantum = false; ///< it was asked for
  bool has_long_turns = false;  ///< when kShortTurns instructions have run, of 64 turns 63 have up to kLongTurn
  uint32_t resident_blocks = 4; ///< SIM_EXECUTOR_BLOCKS, on each core
  /// SIM_EXECUTOR_CORES: cores that a launch may use. In the environment it is 1 if there is a seed, else all CPUs that
  /// the process may use.
  uint32_t cores = 1;
  uint32_t alone = 1 << 12; ///< SIM_EXECUTOR_ALONE: instructions that are executed before a launch uses a further core
  uint64_t budget = 2000000000; ///< SIM_EXECUTOR_BUDGET: instructions of a launch, of all waves
  bool waits_for_ended = false; ///< SIM_EXECUTOR_STRICT_BARRIERS=1: a wave that has ended is missed at a barrier
  bool refuses_absent = false;  ///< SIM_EXECUTOR_STRICT_LANES=1: a value of a lane that does not take part is a fault
  bool finds_races = false;     ///< SIM_EXECUTOR_RACES=1
  bool finds_global_races = false;         ///< SIM_EXECUTOR_GLOBAL_RACES=1
  std::shared_ptr<GlobalUses> global_uses; ///< gets the launch's uses of global memory, if races on it are looked for
  bool is_weak = false; ///< SIM_EXECUTOR_STRICT_MEMORY=1: a store is seen as fences and scopes make it so
  /// SIM_EXECUTOR_COMPILE: what has run so often is compiled, if the target can; SIM_EXECUTOR_INTERPRET=1: nothing is.
  uint32_t compile_after = 300;
  static constexpr uint32_t kNever = 0xFFFFFFFF, kLongTurn = 8192, kShortTurns = 1 << 18, kMostCores = 32;
  Breakpoint breakpoint; ///< SIM_EXECUTOR_BREAK and others
  GoesOn goes_on;        ///< may be empty
  std::string kernel;    ///< its name, for the line about its progress
  /// SIM_EXECUTOR_PROGRESS: milliseconds until a terminal shows that line; nothing: never.
  std::optional<uint32_t> progress_after;
  /// Returns whether a check looks at each access.
  bool looks_closely() const {
    return finds_races || finds_global_races || global_uses || is_weak || UnwrittenMemory::find();
  }
  static Schedule from_environment();
};

/// A fault, and where.
struct Report {
  Fault fault;
  Extent block{};
  Extent thread{}; ///< thread of the lane, or of the wave's first
  uint64_t code_address = 0;
};

/// Random numbers that a seed decides.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) {}
  uint64_t next();
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

private:
  uint64_t state_;
};

/// Runs all blocks; nothing if all of them ended as they should, else the first fault that is found.
std::optional<Report> run_grid(const Extent &blocks, BlockSource &source, const Schedule &schedule);

} // namespace emulator::executor
