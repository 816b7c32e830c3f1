// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a function of one lane becomes an instruction of a wave: sources with their modifiers, the active lanes, the
// result.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "../half.h"
#include "wave.h"

namespace emulator::executor::amdgpu {

/// A float of 16 bits as a source or as a result. Functions compute with singles.
struct F16 {
  uint16_t bits;
  F16(float value) : bits(Half::narrow(value)) {
    const uint32_t payload = __builtin_bit_cast(uint32_t, value) >> 13 & 0x3FF;
    if (std::isnan(value) && payload != 0) // of a source: as it is
      bits = static_cast<uint16_t>(Half::kInfinity | payload);
  }
  operator float() const { return Half::widen(bits); }
};
template <class T> constexpr bool kIsFloat = std::is_floating_point_v<T> || std::is_same_v<T, F16>;

/// The lane that a lane takes its first source from, by DPP: a number, or -1 where it takes none.
int dpp_lane(const AmdWave &wave, const Dpp &dpp, int lane);
/// Returns whether DPP lets this lane write.
bool dpp_writes(const Dpp &dpp, int lane);

/// Sources of one instruction, ready to be read lane by lane.
class VectorInstruction {
public:
  VectorInstruction(AmdWave &wave, const Instruction &instruction);
  AmdWave &wave;
  const Instruction &instruction;
  uint64_t active; ///< lanes that write

  /// The n-th source of up to 32 bits: with what DPP and SDWA make of it. Its bits go into the buffer if need be.
  const uint32_t *source(unsigned operand, unsigned source, uint32_t *buffer, bool is_half);
  /// Writes a result of up to 32 bits.
  void write(unsigned lane, uint32_t value);
  void write64(unsigned lane, uint64_t value);
  /// Writes a result of 16 bits into a register. A half may be chosen by op_sel.
  void write16(unsigned lane, uint16_t value);
  /// False, after a fault, unless the destination is as many registers as the result has.
  bool has_destination(unsigned registers);

private:
  uint32_t *low_ = nullptr, *high_ = nullptr;
};

template <class T> T scaled(T value, const Instruction &i) {
  using Wide = std::conditional_t<std::is_same_v<T, F16>, float, T>;
  if constexpr (kIsFloat<T>) {
    if (i.output_scale)
      value = static_cast<T>(value * (i.output_scale == 1 ? Wide{2} : i.output_scale == 2 ? Wide{4} : Wide{0.5}));
    if (i.clamps)
      value = value > 1 ? T{1} : value > 0 ? value : T{0}; // no number becomes 0, too
  }
  return value;
}

/// Values of one source for all lanes.
template <class T> struct Source {
  static constexpr bool kIsWide = sizeof(T) == 8;
  uint32_t narrow[kIsWide ? 1 : kMostLanes];
  uint64_t wide[kIsWide ? kMostLanes : 1];
  const uint32_t *values = narrow;
  bool is_negated = false, is_absolute = false;

  Source(const Source &) = delete;
  Source &operator=(const Source &) = delete;
  Source(VectorInstruction &vector, unsigned operand, unsigned number) {
    const Operand &from = vector.instruction.operands[operand];
    if constexpr (kIsWide) {
      if (vector.instruction.dpp.kind != DppKind::kNone || vector.instruction.has_sdwa)
        vector.wave.unsupported("a modified source of 64 bits");
      vector.wave.source64(from, wide, std::is_floating_point_v<T>, std::is_signed_v<T>);
    } else {
      values = vector.source(operand, number, narrow, sizeof(T) == 2);
      if (std::is_same_v<T, F16> && from.kind == OperandKind::kFloat) {
        std::fill(narrow, narrow + kMostLanes, Half::narrow(static_cast<float>(from.number)));
        values = narrow;
      } else if (sizeof(T) == 2 && from.kind == OperandKind::kFloat) {
        vector.wave.unsupported("a constant of 16 bits");
      }
    }
    is_negated = from.is_negated;
    is_absolute = from.is_absolute;
    if ((is_negated || is_absolute) && !kIsFloat<T>)
      vector.wave.unsupported("an integer that is negated as a float");
  }
  /// The bits of a float of 16 bits, whose sign may be changed.
  uint16_t half_at(unsigned lane) const {
    const uint32_t bits = values[lane] & (is_absolute ? 0x7FFF : 0xFFFF);
    return static_cast<uint16_t>(is_negated ? bits ^ 0x8000 : bits);
  }
  auto at(unsigned lane) const {
    if constexpr (std::is_same_v<T, F16>) {
      return Half::widen(half_at(lane));
    } else if constexpr (std::is_floating_point_v<T>) {
      T value;
      if constexpr (kIsWide)
        value = __builtin_bit_cast(T, wide[lane]);
      else
        value = __builtin_bit_cast(T, values[lane]);
      if (is_absolute)
        value = std::copysign(value, T{1});
      return is_negated ? -value : value;
    } else if constexpr (kIsWide) {
      return static_cast<T>(wide[lane]);
    } else {
      return static_cast<T>(values[lane]);
    }
  }
};

template <class R> void put(VectorInstruction &vector, unsigned lane, R value) {
  value = scaled(value, vector.instruction);
  if constexpr (sizeof(R) == 8)
    vector.write64(lane, __builtin_bit_cast(uint64_t, value));
  else if constexpr (std::is_same_v<R, F16>)
    vector.write16(lane, std::isnan(float{value}) ? Half::kNan : value.bits);
  else if constexpr (sizeof(R) == 2)
    vector.write16(lane, static_cast<uint16_t>(value));
  else
    vector.write(lane, __builtin_bit_cast(uint32_t, value));
}

template <class R, class... A> struct LaneFunction {};
template <class R, class... A> LaneFunction<R, A...> lane_function(R (*)(A...));

/// The last source may be the destination itself: v_fmac. F may do what clamping asks of an integer.
template <auto F, bool AddsToResult, bool Saturates, class R, class... A, size_t... N>
void carry_out_lanes(AmdWave &wave, const Instruction &i, LaneFunction<R, A...>, std::index_sequence<N...>) {
  VectorInstruction vector(wave, i);
  if (!vector.has_destination(sizeof(R) == 8 ? 2 : 1))
    return;
  if (i.clamps && !Saturates && !kIsFloat<R>)
    return wave.unsupported("an integer result that is clamped");
  if (sizeof(R) != 2 && (i.op_sel[3] || i.operands[0].half))
    return wave.unsupported("half of a register as a wider result");
  [&](const Source<A> &...sources) {
    if (wave.has_failed())
      return;
    for (unsigned lane = 0; lane < wave.lanes(); ++lane)
      if (vector.active >> lane & 1)
        put<R>(vector, lane, F(sources.at(lane)...));
  }(Source<A>(vector, AddsToResult && N + 1 == sizeof...(A) ? 0 : N + 1, N)...);
}

/// The instruction that computes F in each active lane.
template <auto F, bool Saturates = false> void lanes(AmdWave &wave, const Instruction &i) {
  using Types = decltype(lane_function(+F));
  [&]<class R, class... A>(LaneFunction<R, A...> types) {
    carry_out_lanes<F, false, Saturates>(wave, i, types, std::index_sequence_for<A...>{});
  }(Types{});
}
/// The same, with the destination as its last source.
template <auto F> void lanes_onto(AmdWave &wave, const Instruction &i) {
  using Types = decltype(lane_function(+F));
  [&]<class R, class... A>(LaneFunction<R, A...> types) {
    carry_out_lanes<F, true, false>(wave, i, types, std::index_sequence_for<A...>{});
  }(Types{});
}

} // namespace emulator::executor::amdgpu
