// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations between lanes, and between lanes and scalars; selections by a mask; moves of accumulators.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "operations.h"
#include "vector.h"

namespace emulator::executor::amdgpu {

namespace {

template <bool IsHalf> void select(AmdWave &wave, const Instruction &i) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(1))
    return;
  uint32_t a[kMostLanes], b[kMostLanes];
  const uint32_t *first = vector.source(1, 0, a, IsHalf), *second = vector.source(2, 1, b, IsHalf);
  const auto changed = [](const Operand &from, uint32_t value) { // a float's sign may be changed
    constexpr uint32_t kSign = IsHalf ? 0x8000 : 0x80000000;
    if (from.is_absolute)
      value &= ~kSign;
    return from.is_negated ? value ^ kSign : value;
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
    else if (wave.context().refuses_absent && (wave.exec() >> lane & 1)) {
      wave.note_absent();
      result[lane] = wave.has_other_values() ? ~0u : 0;
    }
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

// A register of which M0 says how far it is behind the one that the instruction names.
void move_indexed(AmdWave &wave, const Instruction &i, bool of_source, bool of_result) {
  const uint32_t distance = wave.scalar(kM0);
  uint32_t buffer[kMostLanes];
  const bool is_vector = i.operands[1].kind == OperandKind::kVector;
  const uint32_t *const from =
      of_source && is_vector ? wave.vector_behind(i.operands[1], distance) : wave.source32(i.operands[1], buffer);
  uint32_t *const to = wave.vector_behind(i.operands[0], of_result ? distance : 0);
  for (unsigned lane = 0; from && to && lane < wave.lanes(); ++lane)
    if (wave.exec() >> lane & 1)
      to[lane] = from[lane];
}
template <bool OfSource, bool OfResult> void move_relative(AmdWave &wave, const Instruction &i) {
  move_indexed(wave, i, OfSource, OfResult);
}
void move(AmdWave &wave, const Instruction &i) {
  if (wave.index_mode == 0)
    return lanes<[](uint32_t a) -> uint32_t { return a; }>(wave, i);
  if (i.has_sdwa || i.has_op_sel || i.dpp.kind != DppKind::kNone)
    return wave.unsupported("an instruction whose registers M0 chooses");
  const AmdWave &state = wave; // M0 has other bits beside the distance then
  const uint32_t kept = state.scalar(kM0);
  wave.set_scalar(kM0, kept & 0xFF);
  move_indexed(wave, i, wave.index_mode & 1, wave.index_mode & 8);
  wave.set_scalar(kM0, kept);
}

// ---- ds_swizzle: the lane of its group of 32 (or of 4) that a lane reads from, by its own number
struct Swizzle {
  uint32_t kept = 31, set = 0, inverted = 0; ///< bits of the number
  bool is_quad = false;
  std::array<uint32_t, 4> quad{};
  uint32_t from(uint32_t lane) const {
    return is_quad ? (lane & ~3u) + quad[lane & 3] : (lane & ~31u) + (((lane & kept) | set) ^ inverted);
  }
};
bool read_bits(uint32_t bits, Swizzle &swizzle) {
  swizzle.is_quad = bits & 0x8000;
  for (uint32_t n = 0; n < 4; ++n)
    swizzle.quad[n] = bits >> 2 * n & 3;
  swizzle.kept = bits & 31;
  swizzle.set = bits >> 5 & 31;
  swizzle.inverted = bits >> 10 & 31;
  return bits < 0xC000; // others rotate, or are for Fourier transforms
}
// "swizzle(BITMASK_PERM,\"0pi1p\")" and the like.
bool read_swizzle(const Instruction &i, Swizzle &swizzle) {
  if (i.pattern.empty())
    return read_bits(static_cast<uint32_t>(i.offset), swizzle);
  std::vector<uint32_t> numbers;
  for (size_t at = i.pattern.find(','); at < i.pattern.size(); at = i.pattern.find(',', at + 1))
    numbers.push_back(static_cast<uint32_t>(std::strtoul(i.pattern.c_str() + at + 1, nullptr, 10)));
  const auto is = [&](std::string_view name) { return i.pattern.find(name) != std::string::npos; };
  if (is("QUAD_PERM") && numbers.size() == 4) {
    swizzle.is_quad = true;
    std::copy(numbers.begin(), numbers.end(), swizzle.quad.begin());
  } else if (is("BITMASK_PERM")) {
    const size_t first = i.pattern.find('"');
    if (first == std::string::npos || i.pattern.size() < first + 6)
      return false;
    swizzle.kept = 0;
    for (unsigned n = 0; n < 5; ++n) {
      const char c = i.pattern[first + 1 + n];
      swizzle.kept |= uint32_t{c == 'p' || c == 'i'} << (4 - n);
      swizzle.set |= uint32_t{c == '1'} << (4 - n);
      swizzle.inverted |= uint32_t{c == 'i'} << (4 - n);
    }
  } else if (is("BROADCAST") && numbers.size() == 2) {
    swizzle.kept = 32 - numbers[0];
    swizzle.set = numbers[1];
  } else if ((is("SWAP") || is("REVERSE")) && numbers.size() == 1) {
    swizzle.inverted = is("SWAP") ? numbers[0] : numbers[0] - 1;
  } else {
    return false;
  }
  return true;
}
// A lane that does not take part gives 0.
void swizzle(AmdWave &wave, const Instruction &i) {
  Swizzle pattern;
  if (!read_swizzle(i, pattern))
    return wave.unsupported("the pattern of a ds_swizzle");
  uint32_t buffer[kMostLanes], result[kMostLanes];
  const uint32_t *const values = wave.source32(i.operands[1], buffer);
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    const uint32_t from = pattern.from(lane) % wave.lanes();
    const bool takes_part = wave.exec() >> from & 1;
    if (!takes_part && wave.context().refuses_absent && (wave.exec() >> lane & 1))
      return wave.fail(FaultKind::kProgram,
                       "a permutation takes a value of lane " + std::to_string(from) + ", which does not take part",
                       static_cast<int>(lane));
    result[lane] = takes_part ? values[from] : 0;
  }
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (wave.exec() >> lane & 1)
      wave.vector(i.operands[0].index)[lane] = result[lane];
}

const Operation kOperations[] = {
    {"v_mov_b32", move, true},
    {"v_movreld_b32", move_relative<false, true>},
    {"v_movrels_b32", move_relative<true, false>},
    {"v_movrelsd_b32", move_relative<true, true>},
    {"ds_swizzle_b32", swizzle},
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
