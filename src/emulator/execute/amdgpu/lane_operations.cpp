// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations between lanes, and between lanes and scalars; selections by a mask; moves of accumulators.

#include <algorithm>
#include <utility>

#include "operations.h"
#include "vector.h"

namespace emulator::executor::amdgpu {

namespace {

template <bool IsHalf> void select(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1))
    return;
  if (IsHalf &&
      (i.operands[1].is_negated || i.operands[1].is_absolute || i.operands[2].is_negated || i.operands[2].is_absolute))
    return wave.unsupported("a float of 16 bits");
  uint32_t a[kMostLanes], b[kMostLanes];
  const uint32_t *first = vector.source(1, 0, a, IsHalf), *second = vector.source(2, 1, b, IsHalf);
  const auto changed = [](const Operand &from, uint32_t value) { // a float's sign may be changed
    if (from.is_absolute)
      value &= 0x7FFFFFFF;
    return from.is_negated ? value ^ 0x80000000 : value;
  };
  const uint64_t mask = i.count > 3 ? wave.mask_source(i.operands[3]) : wave.mask(kVcc);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1)
      put(vector, lane,
          static_cast<std::conditional_t<IsHalf, uint16_t, uint32_t>>(
              mask >> lane & 1 ? changed(i.operands[2], second[lane]) : changed(i.operands[1], first[lane])));
}

// Without an active lane, lane 0 is read.
void read_first_lane(AmdWave &wave, const Instruction &i) {
  uint32_t buffer[kMostLanes];
  const uint32_t *values = wave.source32(i.operands[1], buffer);
  wave.write_scalar(i.operands[0], values[wave.exec() ? __builtin_ctzll(wave.exec()) : 0]);
}
void read_lane(AmdWave &wave, const Instruction &i) {
  uint32_t buffer[kMostLanes];
  const uint32_t *values = wave.source32(i.operands[1], buffer);
  wave.write_scalar(i.operands[0], values[wave.scalar_source(i.operands[2]) % wave.lanes()]);
}
void write_lane(AmdWave &wave, const Instruction &i) {
  const uint32_t lane = wave.scalar_source(i.operands[2]) % wave.lanes();
  if (i.operands[0].kind != OperandKind::kVector)
    return wave.unsupported("the operands of v_writelane");
  wave.vector(i.operands[0].index)[lane] = wave.scalar_source(i.operands[1]);
}

// How many bits of the mask are below the lane, plus a value.
template <bool IsHigh> void count_below(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1))
    return;
  uint32_t a[kMostLanes], b[kMostLanes];
  const uint32_t *masks = vector.source(1, 0, a, false), *values = vector.source(2, 1, b, false);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const uint64_t below = (uint64_t{1} << lane) - 1;
    const uint32_t part = static_cast<uint32_t>(IsHigh ? below >> 32 : below);
    vector.write(lane, static_cast<uint32_t>(std::popcount(masks[lane] & part)) + values[lane]);
  }
}

void swap(AmdWave &wave, const Instruction &i) {
  if (i.operands[0].kind != OperandKind::kVector || i.operands[1].kind != OperandKind::kVector)
    return wave.unsupported("the operands of v_swap");
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (wave.exec() >> lane & 1)
      std::swap(wave.vector(i.operands[0].index)[lane], wave.vector(i.operands[1].index)[lane]);
}

// Lanes of a row by the digits of two scalars; of the other row of the pair with Crosses. op_sel:[fetch inactive, bound].
template <bool Crosses> void permute_row(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1) || i.operands[1].kind != OperandKind::kVector)
    return wave.unsupported("the operands of v_permlane");
  const uint64_t digits = wave.scalar_source(i.operands[2]) | uint64_t{wave.scalar_source(i.operands[3])} << 32;
  uint32_t before[kMostLanes];
  std::copy_n(wave.vector(i.operands[1].index), wave.lanes(), before);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(vector.active >> lane & 1))
      continue;
    const unsigned from = ((lane & ~15u) ^ (Crosses ? 16u : 0u)) + (digits >> (lane & 15) * 4 & 15);
    if ((wave.exec() >> from & 1) || i.op_sel[0])
      vector.write(lane, before[from]);
    else if (i.op_sel[1])
      vector.write(lane, 0);
  }
}

// Through the wires of shared memory: a lane reads from the lane that its address says, 0 from an inactive one.
void backward_permute(AmdWave &wave, const Instruction &i) {
  uint32_t a[kMostLanes], b[kMostLanes], result[kMostLanes] = {};
  const uint32_t *addresses = wave.source32(i.operands[1], a), *values = wave.source32(i.operands[2], b);
  // RDNA in wave64 permutes in halves, which is not modelled; lanes are counted modulo the wave.
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    const unsigned from = (addresses[lane] + static_cast<uint32_t>(i.offset)) / 4 % wave.lanes();
    if (wave.exec() >> from & 1)
      result[lane] = values[from];
    else if (wave.context().refuses_absent && (wave.exec() >> lane & 1))
      return wave.fail(FaultKind::kProgram,
                       "a permutation takes a value of lane " + std::to_string(from) + ", which does not take part",
                       static_cast<int>(lane));
  }
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (wave.exec() >> lane & 1)
      wave.vector(i.operands[0].index)[lane] = result[lane];
}
void forward_permute(AmdWave &wave, const Instruction &i) {
  uint32_t a[kMostLanes], b[kMostLanes], result[kMostLanes] = {};
  const uint32_t *addresses = wave.source32(i.operands[1], a), *values = wave.source32(i.operands[2], b);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (wave.exec() >> lane & 1)
      result[(addresses[lane] + static_cast<uint32_t>(i.offset)) / 4 % wave.lanes()] = values[lane];
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (wave.exec() >> lane & 1)
      wave.vector(i.operands[0].index)[lane] = result[lane];
}

const Operation kOperations[] = {
    {"v_nop", [](AmdWave &, const Instruction &) {}, true},
    {"v_cndmask_b32", select<false>, true},
    {"v_cndmask_b16", select<true>, true},
    {"v_readfirstlane_b32", read_first_lane},
    {"v_readlane_b32", read_lane},
    {"v_writelane_b32", write_lane},
    {"v_mbcnt_lo_u32_b32", count_below<false>, true},
    {"v_mbcnt_hi_u32_b32", count_below<true>, true},
    {"v_swap_b32", swap},
    {"v_permlane16_b32", permute_row<false>, true},
    {"v_permlanex16_b32", permute_row<true>, true},
    {"v_accvgpr_read_b32 v_accvgpr_write_b32 v_accvgpr_mov_b32", lanes<[](uint32_t a) -> uint32_t { return a; }>},
    {"ds_bpermute_b32", backward_permute},
    {"ds_permute_b32", forward_permute},
};

} // namespace

std::span<const Operation> lane_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
