// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of 16 bits, alone or two in a register (PTX ISA 9.7.4): f16, f16x2, bf16 and bf16x2.

#include <algorithm>

#include "../half.h"
#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

constexpr uint16_t kNan = 0x7FFF, kSign = 0x8000; // PTX has this one NaN for results of both formats

template <class Format> float read(uint64_t bits, bool flushes) {
  const float value = Format::widen(static_cast<uint16_t>(bits));
  const bool is_denormal = (bits & Format::kInfinity) == 0;
  return flushes && is_denormal ? std::copysign(0.0f, value) : value;
}
template <class Format> uint64_t written(float value, const Instruction &instruction) {
  if (instruction.saturates)
    value = value > 0 ? std::min(value, 1.0f) : 0.0f;
  if (instruction.keeps_positive && !std::isnan(value))
    value = value > 0 ? value : 0.0f;
  const uint16_t bits = Format::narrow(value);
  if (std::isnan(value))
    return kNan;
  return instruction.flushes && (bits & Format::kInfinity) == 0 ? bits & kSign : bits;
}

// Computes each of those that are in a register.
template <class Format, class F, unsigned count, unsigned parts>
void compute(Warp &warp, const Instruction &instruction) {
  const uint64_t *sources[3] = {};
  for (unsigned i = 0; i < count; ++i)
    sources[i] = warp.source(instruction.operands[i + 1], i + 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    uint64_t whole = 0;
    for (unsigned part = 0; part < parts; ++part) {
      float values[3] = {};
      for (unsigned i = 0; i < count; ++i)
        values[i] = read<Format>(sources[i][lane] >> 16 * part, instruction.flushes);
      const float value = F::template apply<Format>(values[0], values[1], values[2]);
      whole |= written<Format>(value, instruction) << 16 * part;
    }
    result[lane] = whole;
  });
}

struct Add {
  template <class> static float apply(float a, float b, float) { return a + b; }
};
struct Sub {
  template <class> static float apply(float a, float b, float) { return a - b; }
};
// A bfloat's product may be a denormal single, which has lost digits.
struct Mul {
  template <class Format> static float apply(float a, float b, float) { return Format::fused(a, b, -0.0f); }
};
struct Fma {
  template <class Format> static float apply(float a, float b, float c) { return Format::fused(a, b, c); }
};
struct Min {
  template <class> static float apply(float a, float b, float) {
    return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
  }
};
struct Max {
  template <class> static float apply(float a, float b, float) {
    return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
  }
};
template <class F> struct KeepNan {
  template <class Format> static float apply(float a, float b, float c) {
    return std::isnan(a) || std::isnan(b) ? std::nanf("") : F::template apply<Format>(a, b, c);
  }
};
struct Tanh {
  template <class> static float apply(float a, float, float) { return std::tanh(a); }
};
struct Exp2 {
  template <class> static float apply(float a, float, float) { return std::exp2(a); }
};

// abs and neg change the sign and nothing else.
template <bool clears, class Format, unsigned parts> void change_sign(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    uint64_t whole = 0;
    for (unsigned part = 0; part < parts; ++part) {
      uint64_t bits = a[lane] >> 16 * part & 0xFFFF;
      bits = clears ? bits & ~uint64_t{kSign} : bits ^ kSign;
      if (instruction.flushes && (bits & Format::kInfinity) == 0)
        bits &= kSign;
      whole |= bits << 16 * part;
    }
    result[lane] = whole;
  });
}

// The handler of a format, alone or twice; null for other types.
template <class Make> Handler of_half(std::optional<Type> type) {
  switch (type.value_or(Type::kNone)) {
  case Type::kF16: return Make::template of<Half, 1>();
  case Type::kF16x2: return Make::template of<Half, 2>();
  case Type::kBf16: return Make::template of<BFloat, 1>();
  case Type::kBf16x2: return Make::template of<BFloat, 2>();
  default: return nullptr;
  }
}
template <class F, unsigned count> struct Compute {
  template <class Format, unsigned parts> static Handler of() { return compute<Format, F, count, parts>; }
};
template <bool clears> struct ChangeSign {
  template <class Format, unsigned parts> static Handler of() { return change_sign<clears, Format, parts>; }
};

void take_modifiers(Opcode &opcode, Instruction &instruction) {
  opcode.ignore({"rn", "approx"});
  instruction.flushes = opcode.take("ftz");
  instruction.saturates = opcode.take("sat");
  instruction.keeps_positive = opcode.take("relu");
}
template <class F, unsigned count> Handler bind(Opcode &opcode, Instruction &instruction) {
  take_modifiers(opcode, instruction);
  return of_half<Compute<F, count>>(opcode.take_type());
}
template <class F> Handler bind_extreme(Opcode &opcode, Instruction &instruction) {
  return opcode.take("NaN") ? bind<KeepNan<F>, 2>(opcode, instruction) : bind<F, 2>(opcode, instruction);
}
template <bool clears> Handler bind_sign(Opcode &opcode, Instruction &instruction) {
  take_modifiers(opcode, instruction);
  return of_half<ChangeSign<clears>>(opcode.take_type());
}

constexpr Operation kOperations[] = {{"add", bind<Add, 2>},      {"sub", bind<Sub, 2>},      {"mul", bind<Mul, 2>},
                                     {"fma", bind<Fma, 3>},      {"abs", bind_sign<true>},   {"neg", bind_sign<false>},
                                     {"min", bind_extreme<Min>}, {"max", bind_extreme<Max>}, {"tanh", bind<Tanh, 1>},
                                     {"ex2", bind<Exp2, 1>}};

} // namespace

std::span<const Operation> half_operations() { return kOperations; }

} // namespace emulator::executor::ptx
