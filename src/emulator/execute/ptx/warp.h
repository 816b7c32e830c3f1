// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp that runs PTX: its lanes are in one fragment or in several, each with a place in the code of its own. A branch
// whose lanes disagree parts a fragment; at the immediate post-dominator its lanes wait for each other and go on as
// one. Fragments have turns in random order, so that lanes that wait for other lanes of their warp in a loop let them
// come. Before sm_70 the fragment that ran goes on until it meets the others or ends, and a warp comes to a barrier as
// one.
#pragma once

#include "compiled.h"
#include "launch.h"
#include "module.h"

namespace emulator::executor::ptx {

/// One activation of a function, of some lanes.
struct Frame {
  const Function *function = nullptr;
  std::shared_ptr<Frame> caller;
  const Call *call = nullptr;             ///< that made it
  uint32_t return_to = 0;                 ///< in the caller
  uint32_t stack = 0;                     ///< where its part of each lane's stack begins
  uint32_t counted = 0;                   ///< stack of this and of all before it, as frames.h counts
  std::array<uint32_t, kLanes> dynamic{}; ///< bytes behind that which alloca took
  std::vector<uint64_t> registers;        ///< rows
  CompiledFunction *compiled = nullptr;   ///< of the function, once a part of it is looked for
  /// The other values of registers that depend on memory which nobody wrote (unwritten.h), and who has read it, for
  /// each register; empty if none does.
  std::vector<uint64_t> others;
  std::vector<UnwrittenMemory::Origin> origins;
};

/// Where lanes that were parted wait for each other.
struct Join {
  std::shared_ptr<Frame> frame;
  uint32_t place = 0, expected = 0, arrived = 0;
  Join *outer = nullptr;
};

struct Fragment {
  enum class Wait : uint8_t { kNone, kBarrier, kLanes };
  std::shared_ptr<Frame> frame;
  uint32_t place = 0, mask = 0; ///< next instruction; lanes
  Join *join = nullptr;         ///< the innermost that these lanes are awaited at
  Wait wait = Wait::kNone;
  uint32_t barrier = 0, threads = 0, members = 0; ///< that it waits at or for; threads of 0: all
  uint32_t votes = 0;                             ///< votes at a barrier that reduces
  const Instruction *at = nullptr;                ///< where it waits
};

class Warp final : public Wave {
public:
  Warp(LaunchState &launch, BlockState &block, unsigned index, uint32_t lanes);
  uint64_t run(uint64_t most) override;
  uint64_t code_address() const override;
  uint64_t running_code() const override;
  std::string waits_for() const override;
  std::string may_not_end() const override;
  uint32_t lanes_at_barrier() const override { return static_cast<uint32_t>(__builtin_popcount(live_)); }

  // For handlers.
  uint32_t active() const { return active_; }
  const uint64_t *source(const Operand &operand, unsigned slot);
  uint64_t *destination(const Operand &operand);
  Frame &frame() { return *now_.frame; }
  LaunchState &launch() { return launch_; }
  BlockState &block() { return block_; }
  void fail(FaultKind kind, std::string text, int lane = -1, uint64_t address = 0) override;
  /// The bytes, or null after a fault was noted.
  /// The bytes that the next access writes, for races and weak memory.
  void tell_value(const void *bytes) {
    if (log_.is_second())
      return;
    value_ = bytes;
    if (block_.block().uses)
      block_.block().uses->tell_value(bytes);
  }
  uint8_t *reach(Space space, uint64_t address, uint32_t size, Access access, unsigned lane);
  /// If all active lanes' addresses are aligned and in one piece of memory: what is to be added to an address for the
  /// bytes. Nothing if not, or if a check looks at each access: then each lane reaches for its own.
  std::optional<uint64_t> reach_together(Space space, const uint64_t *addresses, uint32_t size, Access access);
  uint64_t to_generic(Space space, uint64_t address, unsigned lane) const;
  uint64_t from_generic(Space space, uint64_t address, unsigned lane) const;
  /// Where the lane's stack goes on behind this frame.
  uint32_t stack_top(unsigned lane) const;
  /// So many bytes of the lane's stack, until the function is left: their address, or 0 after a fault was noted.
  uint32_t take_stack(unsigned lane, uint64_t size, uint32_t alignment);
  uint8_t *stack(unsigned lane, uint32_t offset) { return &stack_[size_t{lane} * stack_size_ + offset]; }
  /// The effects of fences on weak memory, and of barriers for the threads of a block.
  void release_stores(Scope scope) {
    if (launch_.weak && !log_.is_second())
      launch_.weak->release(view, scope);
  }
  void acquire_stores(Scope scope) {
    if (log_.is_second())
      return;
    if (launch_.weak)
      launch_.weak->acquire(view, scope);
    Block &block = block_.block();
    if (!block.global_uses || scope == Scope::kWave)
      return;
    block.global_uses->order_wave(block.order, first_thread / kLanes);
    if (scope >= Scope::kDevice)
      block.global_uses->acquire(block.order);
  }
  Row carry{}; ///< CC.CF

  // For handlers of instructions that are not carried out twice where memory that nobody wrote is looked for.
  bool follows() const { return log_.is_on(); }
  /// Fails if what the operand has depends on memory that nobody wrote. use: "which way a branch goes".
  bool is_written(const Operand &operand, const char *use);
  Random &random() { return random_; }
  /// The code of the instruction that is carried out, as an origin of a value from a lane that does not take part.
  UnwrittenMemory::Origin absent_origin() const { return running_code() | UnwrittenMemory::kOfLane; }

  // Control.
  void branch(uint32_t target, uint32_t meet);
  void branch_table(const Instruction &instruction, const uint64_t *index);
  void call(const Instruction &instruction);
  void exit_lanes();
  void wait_at_barrier(const Instruction &instruction, uint32_t barrier, uint32_t threads, uint32_t votes);
  /// False after a fault: the lanes must not come to this barrier so.
  bool can_wait(const Instruction &instruction, uint32_t barrier, uint32_t threads);
  /// For operations of several lanes: false if they are not all there yet. Then collect, deliver for all, and dismiss.
  bool assemble(const Instruction &instruction, const Operand &members);
  uint32_t members() const { return members_; } ///< that exist and did not end
  Row collect(const Operand &operand);
  void deliver(const Operand &operand, const Row &values);
  /// The same with the other values. origin: the reader of the memory that they depend on, or 0.
  Row collect_others(const Operand &operand, UnwrittenMemory::Origin &origin);
  void deliver_others(const Operand &operand, const Row &values, UnwrittenMemory::Origin origin);
  void dismiss();

  /// For compiled code.
  bool access_slowly(uint32_t place, ReachedMemory &reached, uint32_t mask, const uint64_t *addresses,
                     uint64_t *values);

  // For the block.
  uint32_t live() const { return live_; }
  bool has_runnable() const;
  std::vector<Fragment> &fragments() { return fragments_; }
  void release(Fragment &fragment);

private:
  bool choose();
  uint64_t run_fragment(uint64_t most);
  bool is_turn_over(uint64_t executed, uint64_t most) const;
  uint64_t run_compiled(int64_t most);
  void begin_compiled();
  void trace(const Instruction &instruction) const;
  bool is_observed(const Instruction &instruction) const;
  void observe(const Instruction &instruction);
  void carry_out(const Instruction &instruction);
  void look_at_guard(const Instruction &instruction);
  void carry_out_twice(const Instruction &instruction);
  void access_twice(const Instruction &instruction);
  void carry_out_again(const Instruction &instruction);
  void make_others(Frame &frame);
  void set_other(const Operand &operand, unsigned lane, uint64_t other, UnwrittenMemory::Origin origin);
  const uint64_t *other_source(const Operand &operand, unsigned slot);
  uint32_t doubtful_lanes(const Instruction &comparison);
  uint32_t differing_lanes(const Operand &operand, uint32_t lanes) const;
  UnwrittenMemory::Origin origin_of(const Operand &operand) const;
  UnwrittenMemory::Origin origin_of_sources(const Instruction &instruction) const;
  void move(uint8_t *to, const uint8_t *from, size_t size);
  void leave_function();
  void enter(const Function &callee, const Call &call);
  void arrive();
  bool complete(Join *join);
  void isolate();
  void expect_at(uint32_t meet);
  void part(uint32_t lanes, uint32_t place, uint32_t meet);
  bool release_joins(Join *innermost);
  void release_returns(Join *innermost);
  uint8_t *reach_now(Space space, uint64_t address, uint32_t size, Access access, unsigned lane);
  uint8_t *reach_shared(uint64_t offset, uint32_t size, Access access, unsigned lane);
  uint8_t *reach_stack(uint64_t offset, uint32_t size, Access access, unsigned lane);
  uint8_t *reach_global(uint64_t address, uint32_t size, Access access, unsigned lane);
  std::string describe_stranger(uint64_t address, Space space);
  bool may_be_wider(uint32_t size, Access access) const;
  bool is_race(uint64_t address, uint32_t size, Access access, unsigned lane, const uint8_t *bytes);
  uint8_t *reach_weak(uint64_t address, uint32_t size, Access access);
  void refresh_clock(Special special);
  bool has_stack(uint32_t caller, uint64_t bytes, const std::string &what);
  void grow_stack(uint32_t least);
  std::string barrier_fault(const Instruction &instruction, uint32_t barrier, uint32_t threads) const;

  LaunchState &launch_;
  BlockState &block_;
  Random random_;
  std::vector<Fragment> fragments_;
  std::vector<std::unique_ptr<Join>> joins_;
  Fragment now_; ///< that runs; without lanes: none
  const Instruction *at_ = nullptr;
  uint64_t fault_at_ = 0;
  uint64_t shared_window_, local_window_; ///< generic addresses of the block's shared memory, of lane 0's stack
  uint32_t live_, active_ = 0, members_ = 0;
  uint32_t counted_ =
      0; ///< below sm_70: lanes that a barrier has counted with a part of the warp which they have not met since
  bool is_changed_ = false;   ///< now_ is not what runs on
  bool is_long_turn_ = false; ///< this turn ends where a block begins
  uint64_t polls_ = 0;
  const void *value_ = nullptr; ///< that is written next
  std::vector<size_t> party_;   ///< fragments that take part beside now_
  std::array<Row, static_cast<size_t>(Special::kCount)> specials_{};
  std::array<Row, 6> scratch_{};
  Row sink_{};
  Row other_carry_{};
  uint32_t unsure_ =
      0; ///< lanes of which it depends on memory that nobody wrote whether they carry the instruction out
  uint32_t until_clean_ = 0;
  AccessLog log_;
  const uint8_t *reached_ = nullptr; ///< the bytes that an access has reached, wherever it works on them
  std::unique_ptr<FreshBytes> fresh_stack_;
  std::vector<uint8_t> stack_; ///< stacks of all lanes, one after the other
  uint32_t stack_size_ = 0;    ///< bytes of each lane's stack
  CompiledState state_;        ///< as compiled code sees the warp
};

/// Calls back for each lane of the mask.
template <class F> inline void for_lanes(uint32_t mask, F &&f) {
  if (mask == kAllLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      f(lane);
  } else {
    for (; mask != 0; mask &= mask - 1)
      f(static_cast<unsigned>(__builtin_ctz(mask)));
  }
}

} // namespace emulator::executor::ptx
