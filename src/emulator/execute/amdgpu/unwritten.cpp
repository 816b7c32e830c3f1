// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on memory that nobody wrote (../unwritten.h). An instruction is carried out a second time with
// other values if a register of the wave, or memory that it reads, has one.

#include <algorithm>
#include <cstring>
#include <utility>

#include "wave.h"

namespace emulator::executor::amdgpu {

namespace {

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view one) { return name.starts_with(one); });
}

// The effects of such an instruction are not on registers, or are clocks.
bool is_once(const Instruction &instruction) {
  return begins_with_any(instruction.name,
                         {"s_barrier", "s_endpgm", "s_trap", "s_sendmsg", "s_wait", "s_mem", "s_getreg", "s_setreg",
                          "s_nop", "s_sleep", "s_dcache", "buffer_wb", "buffer_inv", "buffer_gl"});
}

bool takes_from_lanes(const Instruction &instruction) {
  return begins_with_any(instruction.name, {"ds_bpermute", "ds_permute", "ds_swizzle"});
}

bool is_access(const Instruction &instruction) {
  return begins_with_any(instruction.name, {"flat_", "global_", "scratch_", "buffer_", "ds_", "s_load"}) &&
         !takes_from_lanes(instruction);
}

bool is_load(const Instruction &instruction) {
  return instruction.name.find("_load") != std::string::npos || instruction.name.find("_read") != std::string::npos;
}

// Returns whether operand 0 is a result.
bool gives_result(const Instruction &instruction) {
  return is_load(instruction) || instruction.has_glc || instruction.name.find("_rtn") != std::string::npos;
}

bool is_register(const Operand &operand) {
  return operand.kind == OperandKind::kVector || operand.kind == OperandKind::kScalar;
}

// The bits of a register that a comparison looks at. source: 0 or 1.
uint32_t compared_part(const Instruction &comparison, const Operand &operand, unsigned source, uint32_t value) {
  constexpr unsigned kWords = 4, kAll = 6;
  if (operand.select < kWords)
    return value >> (8 * operand.select) & 0xFF;
  if (operand.select < kAll)
    return value >> (16 * (operand.select - kWords)) & 0xFFFF;
  if (!comparison.name.ends_with("16"))
    return value;
  return operand.half == 2 || comparison.op_sel[source] != 0 ? value >> 16 : value & 0xFFFF;
}

unsigned address_operand(const Instruction &instruction) {
  return instruction.name.starts_with("buffer_") || gives_result(instruction) ? 1 : 0;
}

} // namespace

// The lanes in which an operand has two values; all that are active for a scalar register.
uint64_t AmdWave::differing_lanes(const Operand &operand) const {
  if (other_vectors_.empty())
    return 0;
  uint64_t differing = 0;
  for (unsigned n = 0; n < operand.registers; ++n) {
    const size_t index = size_t{operand.index} + n;
    if (operand.kind == OperandKind::kScalar && operand.index != kNull && scalars_[index] != other_scalars_[index])
      return exec();
    for (unsigned lane = 0; operand.kind == OperandKind::kVector && lane < lanes_; ++lane)
      if (vectors_[index * lanes_ + lane] != other_vectors_[index * lanes_ + lane])
        differing |= uint64_t{1} << lane;
  }
  return differing & exec();
}

// The lanes in which a comparison may have another result than with the other values. A loop of compare-and-swap
// compares words of which it changes a part, and nobody may have written the rest. first: its first operand.
uint64_t AmdWave::doubtful_lanes(const Instruction &comparison, unsigned first) const {
  uint64_t doubtful = 0;
  for (unsigned i = first; i < comparison.count; ++i)
    doubtful |= differing_lanes(comparison.operands[i]);
  if (doubtful == 0)
    return 0;
  const auto value = [&](unsigned i, unsigned n, unsigned lane, bool is_other) {
    const Operand &operand = comparison.operands[i];
    const size_t index = size_t{operand.index} + n;
    const bool is_vector = operand.kind == OperandKind::kVector;
    if (!is_register(operand) || (!is_vector && operand.index == kNull))
      return 0u;
    return compared_part(comparison, operand, i - first,
                         is_vector ? (is_other ? other_vectors_ : vectors_)[index * lanes_ + lane]
                                   : (is_other ? other_scalars_ : scalars_)[index]);
  };
  const Operand &one = comparison.operands[first], &two = comparison.operands[first + 1];
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    bool is_sure = is_register(one) && is_register(two), differs = false;
    for (unsigned n = 0; n < std::max(one.registers, two.registers); ++n)
      is_sure = is_sure && have_same_unknown(value(first, n, lane, false), value(first, n, lane, true),
                                             value(first + 1, n, lane, false), value(first + 1, n, lane, true));
    for (unsigned i = first; i < comparison.count; ++i)
      for (unsigned n = 0; n < comparison.operands[i].registers; ++n)
        differs = differs || value(i, n, lane, false) != value(i, n, lane, true);
    if (is_sure || !differs)
      doubtful &= ~(uint64_t{1} << lane);
  }
  return doubtful;
}

UnwrittenMemory::Origin AmdWave::origin_of(const Operand &operand) const {
  const bool is_vector = operand.kind == OperandKind::kVector;
  return differing_lanes(operand) == 0 ? 0 : origins_[is_vector ? operand.index : kVectorRegisters + operand.index];
}

UnwrittenMemory::Origin AmdWave::origin_of_sources(const Instruction &instruction) const {
  if (other_vectors_.empty())
    return 0;
  for (unsigned i = 0; i < instruction.count; ++i)
    if (const UnwrittenMemory::Origin origin = origin_of(instruction.operands[i]))
      return origin;
  return last_origin_;
}

bool AmdWave::is_address_written(const Instruction &instruction) {
  for (unsigned i = 0; i < instruction.count; ++i) {
    const Operand &operand = instruction.operands[i];
    const bool is_address = i == address_operand(instruction) ||
                            (operand.kind == OperandKind::kScalar && (i != 0 || !is_load(instruction)));
    if (const uint64_t lanes = is_address ? differing_lanes(operand) : 0;
        lanes != 0 && !fail_unwritten("an address", origin_of(operand), __builtin_ctzll(lanes)))
      return false;
  }
  return true;
}

void AmdWave::make_others() {
  other_vectors_ = vectors_;
  other_scalars_ = scalars_;
  other_scc_ = scc;
  origins_.assign(kVectorRegisters + kScalarRegisters, 0);
  until_clean_ = kUntilClean;
}

void AmdWave::swap_values() {
  std::swap(vectors_, other_vectors_);
  std::swap(scalars_, other_scalars_);
  std::swap(scc, other_scc_);
}

// A comparison of values of which one depends on memory that nobody wrote might have another result.
void AmdWave::note_comparison(const Instruction &instruction, uint64_t compared) {
  if (instruction.name.starts_with("s_cmp") || instruction.name.starts_with("s_bitcmp")) {
    other_scc_ = compared != 0 ? !scc : other_scc_;
    return;
  }
  const auto differ = [&](unsigned index) {
    const auto set = [&](unsigned at, uint32_t lanes) {
      other_scalars_[at] = (other_scalars_[at] & ~lanes) | (~scalars_[at] & lanes);
    };
    set(index, static_cast<uint32_t>(compared));
    if (lanes_ == 64)
      set(index + 1, static_cast<uint32_t>(compared >> 32));
  };
  if (instruction.operands[0].kind == OperandKind::kScalar)
    differ(instruction.operands[0].index);
  if (instruction.name.starts_with("v_cmpx"))
    differ(kExec);
}

void AmdWave::carry_out(const Instruction &instruction) {
  if (!log_.is_on())
    return execute(instruction);
  const bool was_clean = other_vectors_.empty(), accesses = is_access(instruction);
  if (accesses && !is_address_written(instruction))
    return;
  const Operand &result = instruction.operands[0];
  const bool is_vector = result.kind == OperandKind::kVector;
  // Results, which may be the address.
  std::vector<uint32_t> before;
  if (was_clean && ((accesses && gives_result(instruction)) || takes_from_lanes(instruction)))
    before = is_vector ? std::vector<uint32_t>(vector(result.index), vector(result.index + result.registers))
                       : std::vector<uint32_t>(&scalars_[result.index], &scalars_[result.index] + result.registers);
  const UnwrittenMemory::Origin of_sources = origin_of_sources(instruction);
  const bool compares = begins_with_any(instruction.name, {"v_cmp", "s_cmp", "s_bitcmp"});
  const unsigned first = instruction.name.starts_with("v_cmp") && !is_vector ? 1 : 0;
  const uint64_t compared = compares ? doubtful_lanes(instruction, first) : 0;
  const uint64_t following = next_pc;
  log_.begin();
  execute(instruction);
  if (has_failed() || (was_clean && !log_.has_met()))
    return log_.end(0);
  if (is_once(instruction)) {
    for (unsigned n = 0; result.kind == OperandKind::kScalar && n < result.registers; ++n)
      other_scalars_[result.index + n] = scalars_[result.index + n];
    return log_.end(0);
  }
  if (was_clean) {
    make_others();
    std::copy(before.begin(), before.end(),
              is_vector ? &other_vectors_[size_t{result.index} * lanes_] : &other_scalars_[result.index]);
  }
  const uint64_t next = next_pc;
  next_pc = following;
  log_.begin_again();
  swap_values();
  if (instruction.second && is_vector)
    std::memcpy(dual_, vector(result.index), lanes_ * sizeof(uint32_t));
  execute(instruction);
  swap_values();
  const uint64_t other_next = std::exchange(next_pc, next);
  if (compared != 0)
    note_comparison(instruction, compared);
  const UnwrittenMemory::Origin origin = log_.has_met() ? log_.origin() : of_sources;
  const bool is_parted = other_next != next_pc || scalars_[kExec] != other_scalars_[kExec] ||
                         (lanes_ == 64 && scalars_[kExec + 1] != other_scalars_[kExec + 1]);
  if (!log_.are_same() && fail_unwritten("an address", origin))
    log_.end_without_others();
  else
    log_.end(origin);
  if (log_.are_same() && is_parted && fail_unwritten("which way a branch goes", origin))
    std::copy_n(&scalars_[kExec], 2, &other_scalars_[kExec]);
  last_origin_ = origin;
  for (unsigned n = 0; n < result.registers && (is_vector || result.kind == OperandKind::kScalar); ++n)
    origins_[(is_vector ? 0u : kVectorRegisters) + result.index + n] = origin;
  if (--until_clean_ != 0)
    return;
  until_clean_ = kUntilClean;
  if (scalars_ == other_scalars_ && scc == other_scc_ && vectors_ == other_vectors_)
    other_vectors_.clear();
}

} // namespace emulator::executor::amdgpu
