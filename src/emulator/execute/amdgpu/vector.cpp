// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See vector.h.

#include "vector.h"

#include <algorithm>

namespace emulator::executor::amdgpu {

namespace {

// Rows of 16 lanes; a lane of another row, or of none, is -1.
int in_row(int lane, int moved) { return moved >= 0 && moved < 16 ? (lane & ~15) + moved : -1; }
int in_wave(const AmdWave &wave, int lane) { return lane >= 0 && lane < static_cast<int>(wave.lanes()) ? lane : -1; }

uint32_t selected(uint32_t value, uint8_t select, bool is_signed) {
  if (select < 4)
    return is_signed ? static_cast<uint32_t>(static_cast<int8_t>(value >> select * 8)) : value >> select * 8 & 0xFF;
  if (select < 6)
    return is_signed ? static_cast<uint32_t>(static_cast<int16_t>(value >> (select - 4) * 16))
                     : value >> (select - 4) * 16 & 0xFFFF;
  return value;
}

// SDWA: a byte or a word of the register is written.
uint32_t placed(uint32_t value, uint32_t before, uint8_t select, uint8_t unused) {
  const unsigned bits = select < 4 ? 8 : 16, shift = select < 4 ? select * 8u : (select - 4) * 16u;
  const uint32_t field = (bits == 8 ? 0xFFu : 0xFFFFu) << shift;
  const uint32_t result = value << shift & field;
  if (unused == 2)
    return result | (before & ~field);
  if (unused == 1 && (value >> (bits - 1) & 1))
    return result | ~(field | ((1u << shift) - 1));
  return result;
}

} // namespace

int dpp_lane(const AmdWave &wave, const Dpp &dpp, int lane) {
  const int amount = dpp.lanes[0], row = lane & 15;
  switch (dpp.kind) {
  case DppKind::kNone: return lane;
  case DppKind::kQuadPerm: return (lane & ~3) + dpp.lanes[static_cast<size_t>(lane & 3)];
  case DppKind::kDpp8: return (lane & ~7) + dpp.lanes[static_cast<size_t>(lane & 7)];
  case DppKind::kRowShl: return in_row(lane, row + amount);
  case DppKind::kRowShr: return in_row(lane, row - amount);
  case DppKind::kRowRor: return in_row(lane, (row - amount) & 15);
  case DppKind::kRowMirror: return in_row(lane, 15 - row);
  case DppKind::kRowHalfMirror: return (lane & ~7) + 7 - (lane & 7);
  case DppKind::kRowShare:
  case DppKind::kRowNewBcast: return in_row(lane, amount);
  case DppKind::kRowXmask: return in_row(lane, row ^ amount);
  case DppKind::kWaveShl: return in_wave(wave, lane + 1);
  case DppKind::kWaveShr: return in_wave(wave, lane - 1);
  case DppKind::kWaveRol: return (lane + 1) % static_cast<int>(wave.lanes());
  case DppKind::kWaveRor: return (lane + static_cast<int>(wave.lanes()) - 1) % static_cast<int>(wave.lanes());
  case DppKind::kRowBcast: // the last lane of the rows before
    return amount == 15 ? (lane < 16 ? -1 : (lane & ~15) - 1) : (lane < 32 ? -1 : 31);
  }
  return -1;
}

bool dpp_writes(const Dpp &dpp, int lane) {
  return dpp.kind == DppKind::kDpp8 || ((dpp.row_mask >> (lane / 16) & 1) && (dpp.bank_mask >> (lane / 4 % 4) & 1));
}

VectorInstruction::VectorInstruction(AmdWave &w, const Instruction &i) : wave(w), instruction(i), active(w.exec()) {
  if (i.dpp.kind == DppKind::kNone)
    return;
  for (unsigned lane = 0; lane < w.lanes(); ++lane) {
    const int from = dpp_lane(w, i.dpp, static_cast<int>(lane));
    const bool is_there =
        from >= 0 && ((w.exec() >> from & 1) || i.dpp.fetches_inactive || i.dpp.kind == DppKind::kDpp8);
    if (!dpp_writes(i.dpp, static_cast<int>(lane)) || (!is_there && !i.dpp.reads_zero))
      active &= ~(uint64_t{1} << lane);
  }
}

bool VectorInstruction::has_destination(unsigned registers) {
  const Operand &to = instruction.operands[0];
  if (to.kind != OperandKind::kVector || to.registers != registers) {
    wave.unsupported("a destination that is not as wide as the result");
    return false;
  }
  low_ = wave.vector(to.index);
  if (registers == 2)
    high_ = wave.vector(to.index + 1u);
  return true;
}

const uint32_t *VectorInstruction::source(unsigned operand, unsigned number, uint32_t *buffer, bool is_half) {
  const Operand &from = instruction.operands[operand];
  const uint32_t *values = wave.source32(from, buffer);
  const bool takes_upper = is_half && (instruction.op_sel[number & 3] || from.half == 2);
  if (!is_half && (instruction.op_sel[number & 3] || from.half))
    wave.unsupported("half of a register as a source of 32 bits");
  const bool moves = number == 0 && instruction.dpp.kind != DppKind::kNone;
  if (!moves && !instruction.has_sdwa && !takes_upper)
    return values;
  uint32_t taken[kMostLanes];
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    const int other = moves ? dpp_lane(wave, instruction.dpp, static_cast<int>(lane)) : static_cast<int>(lane);
    const bool is_there = !moves || (other >= 0 && ((wave.exec() >> other & 1) || instruction.dpp.fetches_inactive));
    taken[lane] = is_there ? selected(values[other], from.select, from.is_sign_extended) : 0;
    if (takes_upper)
      taken[lane] >>= 16;
  }
  std::copy(taken, taken + wave.lanes(), buffer);
  return buffer;
}

void VectorInstruction::write(unsigned lane, uint32_t value) {
  low_[lane] = instruction.has_sdwa && instruction.sdwa_select != 6
                   ? placed(value, low_[lane], instruction.sdwa_select, instruction.sdwa_unused)
                   : value;
}

void VectorInstruction::write64(unsigned lane, uint64_t value) {
  low_[lane] = static_cast<uint32_t>(value);
  high_[lane] = static_cast<uint32_t>(value >> 32);
}

// GFX9 clears the upper half, RDNA keeps it.
void VectorInstruction::write16(unsigned lane, uint16_t value) {
  if (instruction.op_sel[3] != 0 || instruction.operands[0].half == 2)
    low_[lane] = (low_[lane] & 0xFFFF) | uint32_t{value} << 16;
  else if (wave.is_gfx9() || instruction.has_sdwa)
    write(lane, value);
  else
    low_[lane] = (low_[lane] & 0xFFFF0000) | value;
}

} // namespace emulator::executor::amdgpu
