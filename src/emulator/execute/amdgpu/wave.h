// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wave of an AMD GPU: its registers, and what instructions need of them. Knows no instruction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../grid.h"
#include "../memory.h"
#include "compiled.h"
#include "debug_info.h"
#include "instruction.h"

namespace emulator::executor::amdgpu {

/// The upper halves of flat addresses that are shared or private memory.
inline constexpr uint32_t kSharedAperture = 0x00010000;
inline constexpr uint32_t kPrivateAperture = 0x00020000;
inline constexpr unsigned kMostLanes = 64;

/// Where instructions are found: all code that was loaded for the device. Any thread.
class CodeSpace {
public:
  virtual ~CodeSpace() = default;
  /// The instruction there, or null and a reason.
  virtual const Instruction *at(uint64_t address, std::string &reason) = 0;
  /// The facts in the debug information of an address, if there is any.
  virtual SourceLine line_at(uint64_t) { return {}; }
  virtual std::vector<SourceVariable> variables_at(uint64_t) { return {}; }
  /// The compiled parts of the code around an address; null: it is only interpreted.
  virtual CompiledSegment *compiled_at(uint64_t) { return nullptr; }
};

/// The state that the waves of a launch share, as those of one thread see it.
struct LaunchContext {
  Processor processor;
  CodeSpace *code = nullptr;
  MemoryView *memory = nullptr;
  uint32_t private_size = 0;   ///< bytes of stack of a lane
  RegisterCounts registers;    ///< that the kernel's descriptor states
  bool refuses_absent = false; ///< a value of a lane that does not take part is a fault
  bool traces = false;
  WeakMemory *weak = nullptr;             ///< where memory is weak
  const Breakpoint *breakpoint = nullptr; ///< if one is set
  uint32_t quantum = 0;                   ///< longer turns end behind a branch, if there are long ones
  bool has_long_turns = false;
  CompiledLaunch *compiled = nullptr; ///< if code is compiled
};

class AmdWave final : public Wave {
public:
  AmdWave(const LaunchContext &context, Block &block, Random &random);

  uint64_t run(uint64_t most) override;
  uint64_t code_address() const override { return pc_; }
  uint64_t running_code() const override { return pc_; }
  std::string may_not_end() const override;
  uint32_t lanes_at_barrier() const override { return static_cast<uint32_t>(__builtin_popcountll(exec())); }

  // ---- Registers
  unsigned lanes() const { return lanes_; }
  bool is_gfx9() const { return context_.processor.is_gfx9; }
  uint64_t lane_mask() const { return lanes_ == 64 ? ~uint64_t{0} : 0xFFFFFFFF; }
  uint64_t exec() const { return scalar64(kExec) & lane_mask(); }
  void set_exec(uint64_t mask) { set_mask(kExec, mask); }
  uint32_t scalar(unsigned index) const { return index == kNull ? 0 : scalars_[index]; }
  uint64_t scalar64(unsigned index) const { return scalar(index) | uint64_t{scalar(index + 1)} << 32; }
  void set_scalar(unsigned index, uint32_t value) {
    if (index != kNull)
      scalars_[index] = value;
  }
  void set_scalar64(unsigned index, uint64_t value);
  /// A register, or a pair of them, with a bit for each lane.
  uint64_t mask(unsigned index) const { return lanes_ == 64 ? scalar64(index) : scalar(index); }
  void set_mask(unsigned index, uint64_t value);
  uint32_t *vector(unsigned index) { return &vectors_[size_t{index} * lanes_]; }
  bool has_vector(unsigned index) const { return index < vectors_.size() / lanes_; }
  /// The vector register so far behind another; null after a fault.
  uint32_t *vector_behind(const Operand &operand, uint32_t distance);
  bool scc = false;
  uint64_t next_pc = 0; ///< address of the next instruction; jumps change it
  /// s_set_gpr_idx_on: M0 is added to the numbers of the vector registers of the first source (1), the second (2), the
  /// third (4), the result (8).
  uint8_t index_mode = 0;

  // ---- Operands
  /// Values of scalar operands. An integer or a float is converted to the bits of the operand's type.
  uint32_t scalar_source(const Operand &operand);
  uint64_t scalar_source64(const Operand &operand, bool is_signed = false);
  void write_scalar(const Operand &operand, uint32_t value);
  void write_scalar64(const Operand &operand, uint64_t value);
  uint64_t mask_source(const Operand &operand);
  void write_mask(const Operand &operand, uint64_t value);
  /// One value for each lane; the buffer is used unless a register holds just these.
  const uint32_t *source32(const Operand &operand, uint32_t *buffer);
  void source64(const Operand &operand, uint64_t *buffer, bool is_float, bool is_signed);

  // ---- Memory
  /// Bytes that a lane reaches by a flat address, an offset in shared memory, or an offset in its private memory. Null
  /// after a fault.
  uint8_t *global_memory(uint64_t address, uint32_t size, Access kind, int lane);
  uint8_t *flat_memory(uint64_t address, uint32_t size, Access kind, int lane);
  /// The bytes that the next access writes, for races and weak memory.
  void tell_value(const void *bytes) {
    if (log_.is_second())
      return;
    value_ = bytes;
    if (block_.uses)
      block_.uses->tell_value(bytes);
  }
  uint8_t *shared_memory(uint64_t offset, uint32_t size, Access kind, int lane);
  uint8_t *private_memory(uint64_t offset, uint32_t size, Access kind, int lane);
  uint64_t scratch_base = 0; ///< address in the descriptor of private memory, if there is one
  const LaunchContext &context() const { return context_; }
  Block &block() { return block_; }

  /// An acquire. It may be for what the wave has read in shared memory, which is not looked at.
  void order_accesses(bool of_device) {
    if (!block_.global_uses)
      return;
    if (has_read_shared_)
      block_.global_uses->order_wave(block_.order, first_thread / lanes_);
    has_read_shared_ = false;
    if (of_device)
      block_.global_uses->acquire(block_.order);
  }

  // ---- Values of lanes that do not take part
  /// The instruction takes some. Where these are followed, it is carried out again, with other values.
  void note_absent() {
    if (log_.is_on() && !log_.is_second())
      log_.note_absent(pc_);
  }
  bool has_other_values() const { return log_.is_second(); }

  // ---- The end
  void unsupported(const std::string &what) { fail(FaultKind::kUnsupported, what); }
  void set_pc(uint64_t address) { pc_ = address; }

  /// For compiled code: carries the instruction at the address out. reached: gets the memory that it has reached.
  bool interpret_one(const Instruction &instruction, uint64_t address, ReachedMemory *reached);

private:
  void step(const Instruction &instruction);
  uint64_t run_compiled(int64_t most);
  void begin_compiled();
  void execute(const Instruction &instruction);
  void carry_out(const Instruction &instruction);
  uint64_t doubtful_lanes(const Instruction &comparison, unsigned first) const;
  uint64_t differing_lanes(const Operand &operand) const;
  UnwrittenMemory::Origin origin_of(const Operand &operand) const;
  UnwrittenMemory::Origin origin_of_sources(const Instruction &instruction) const;
  bool is_address_written(const Instruction &instruction);
  void note_comparison(const Instruction &instruction, uint64_t compared);
  void make_others();
  void swap_values();
  uint8_t *noted(uint8_t *bytes, uint64_t address, uint32_t size, Access kind);
  uint8_t *reach_global(uint64_t address, uint32_t size, Access kind, int lane);
  uint8_t *reach_shared(uint64_t offset, uint32_t size, Access kind, int lane);
  uint8_t *reach_private(uint64_t offset, uint32_t size, Access kind, int lane);
  bool has_registers(const Instruction &instruction);
  void trace(const Instruction &instruction) const;
  bool is_observed();
  void observe(const Instruction &instruction);
  bool begins_exchange();
  bool may_be_wider(uint32_t size, Access kind);
  bool is_race(uint64_t address, uint32_t size, Access kind, int lane, const uint8_t *bytes);
  uint8_t *weak_memory(uint64_t address, uint32_t size, Access kind);
  bool is_misaligned(uint64_t address, uint32_t size, Access kind, int lane);

  const LaunchContext &context_;
  Block &block_;
  const unsigned lanes_;
  bool has_read_shared_ = false; ///< memory, since the last acquire
  uint64_t pc_ = 0, last_pc_ = 0;
  const void *value_ = nullptr; ///< that is written next
  uint32_t observed_line_ = 0;  ///< line of the last instruction at a breakpoint
  std::vector<uint32_t> scalars_;
  std::vector<uint32_t> vectors_;
  std::vector<uint8_t> private_; ///< private memory of all lanes, one after the other
  // For memory that nobody wrote. There are other values of registers only if some differ. Each register has an
  // origin, the code that has read such memory.
  AccessLog log_{UnwrittenMemory::find()};
  std::vector<uint32_t> other_vectors_, other_scalars_;
  bool other_scc_ = false;
  std::vector<UnwrittenMemory::Origin> origins_;
  UnwrittenMemory::Origin last_origin_ = 0;
  uint32_t until_clean_ = 0;
  std::unique_ptr<FreshBytes> fresh_private_;
  uint32_t dual_[kMostLanes] = {}; ///< values that the first of two overwrote
  bool is_long_turn_ = false;      ///< this turn ends behind a branch
  bool ended_block_ = false;       ///< the last instruction was one
  uint64_t reached_address_ = 0;   ///< in global memory, by the last access
  CompiledSegment *segment_ = nullptr;
  CompiledState state_; ///< as compiled code sees the wave
};

} // namespace emulator::executor::amdgpu
