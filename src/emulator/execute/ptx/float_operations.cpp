// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point of 32 and 64 bits (PTX ISA 9.7.3). Operations that hardware approximates are exact here. Compiled with
// -frounding-math.

#include <cfenv>
#include <cmath>
#include <limits>

#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

// While it lives, results are rounded as .rn, .rz, .rm or .rp say.
class Rounding {
public:
  explicit Rounding(uint32_t mode) : mode_(mode) {
    if (mode_ != FE_TONEAREST)
      std::fesetround(static_cast<int>(mode_));
  }
  ~Rounding() {
    if (mode_ != FE_TONEAREST)
      std::fesetround(FE_TONEAREST);
  }
  Rounding(const Rounding &) = delete;
  Rounding &operator=(const Rounding &) = delete;

private:
  uint32_t mode_;
};

// Only singles are flushed.
template <class T> T flush(T value) {
  return sizeof(T) == 4 && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}
template <class T> T saturate(T value) { return value > T{0} ? (value < T{1} ? value : T{1}) : T{0}; }

template <class T, class F, unsigned count> void compute(Warp &warp, const Instruction &instruction) {
  const uint64_t *sources[3] = {};
  for (unsigned i = 0; i < count; ++i)
    sources[i] = warp.source(instruction.operands[i + 1], i + 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const Rounding rounding(instruction.variant);
  for_lanes(warp.active(), [&](unsigned lane) {
    T values[3] = {};
    for (unsigned i = 0; i < count; ++i) {
      values[i] = get<T>(sources[i][lane]);
      if (instruction.flushes)
        values[i] = flush(values[i]);
    }
    T value = F::apply(values[0], values[1], values[2]);
    if (instruction.saturates)
      value = saturate(value);
    result[lane] = put(instruction.flushes ? flush(value) : value);
  });
}

struct Add {
  template <class T> static T apply(T a, T b, T) { return a + b; }
};
struct Sub {
  template <class T> static T apply(T a, T b, T) { return a - b; }
};
struct Mul {
  template <class T> static T apply(T a, T b, T) { return a * b; }
};
struct Fma {
  template <class T> static T apply(T a, T b, T c) { return std::fma(a, b, c); }
};
struct Div {
  template <class T> static T apply(T a, T b, T) { return a / b; }
};
// Works on bits: a NaN keeps its bits but for the sign.
struct Abs {
  template <class T> static T apply(T a, T, T) { return std::copysign(a, T{1}); }
};
struct Neg {
  template <class T> static T apply(T a, T, T) { return -a; }
};
// The number, if only one is; -0 is less than +0.
struct Min {
  template <class T> static T apply(T a, T b, T) {
    if (a == b)
      return std::signbit(a) ? a : b;
    return std::fmin(a, b);
  }
};
struct Max {
  template <class T> static T apply(T a, T b, T) {
    if (a == b)
      return std::signbit(a) ? b : a;
    return std::fmax(a, b);
  }
};
struct MinNan {
  template <class T> static T apply(T a, T b, T c) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : Min::apply(a, b, c);
  }
};
struct MaxNan {
  template <class T> static T apply(T a, T b, T c) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : Max::apply(a, b, c);
  }
};
// d = b with the sign of a.
struct Copysign {
  template <class T> static T apply(T a, T b, T) { return std::copysign(b, a); }
};
struct Rcp {
  template <class T> static T apply(T a, T, T) { return T{1} / a; }
};
struct Sqrt {
  template <class T> static T apply(T a, T, T) { return std::sqrt(a); }
};
struct Rsqrt {
  template <class T> static T apply(T a, T, T) { return T{1} / std::sqrt(a); }
};
struct Sin {
  template <class T> static T apply(T a, T, T) { return std::sin(a); }
};
struct Cos {
  template <class T> static T apply(T a, T, T) { return std::cos(a); }
};
struct Lg2 {
  template <class T> static T apply(T a, T, T) { return std::log2(a); }
};
struct Ex2 {
  template <class T> static T apply(T a, T, T) { return std::exp2(a); }
};
struct Tanh {
  template <class T> static T apply(T a, T, T) { return std::tanh(a); }
};

uint32_t take_rounding(Opcode &opcode) {
  if (opcode.take("rz"))
    return FE_TOWARDZERO;
  if (opcode.take("rm"))
    return FE_DOWNWARD;
  if (opcode.take("rp"))
    return FE_UPWARD;
  opcode.take("rn");
  return FE_TONEAREST;
}

// .approx.ftz.f64 of rcp and rsqrt looks at the upper 32 bits only, and those are what it gives.
template <class F> void compute_upper_half(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  constexpr uint64_t kUpper = 0xFFFFFFFF00000000;
  const auto without_denormals = [](double value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0, value) : value;
  };
  for_lanes(warp.active(), [&](unsigned lane) {
    const double value = without_denormals(get<double>(a[lane] & kUpper));
    result[lane] = put(without_denormals(F::template apply<double>(value, 0, 0))) & kUpper;
  });
}

template <class F, unsigned count> Handler bind_float(Opcode &opcode, Instruction &instruction) {
  instruction.variant = take_rounding(opcode);
  opcode.ignore({"approx", "full"});
  instruction.flushes = opcode.take("ftz");
  instruction.saturates = opcode.take("sat");
  const auto type = opcode.take_type();
  return type == Type::kF32 ? compute<float, F, count> : type == Type::kF64 ? compute<double, F, count> : nullptr;
}
template <class F> Handler bind_reciprocal(Opcode &opcode, Instruction &instruction) {
  const Handler handler = bind_float<F, 1>(opcode, instruction);
  return handler == compute<double, F, 1> && instruction.flushes ? compute_upper_half<F> : handler;
}
template <class F, class WithNan> Handler bind_extreme(Opcode &opcode, Instruction &instruction) {
  return opcode.take("NaN") ? bind_float<WithNan, 2>(opcode, instruction) : bind_float<F, 2>(opcode, instruction);
}

// testp.op p, a
template <class T> void test_property(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    const int kind = std::fpclassify(get<T>(a[lane]));
    switch (instruction.variant) {
    case 0: result[lane] = kind != FP_NAN && kind != FP_INFINITE; break;
    case 1: result[lane] = kind == FP_INFINITE; break;
    case 2: result[lane] = kind != FP_NAN; break;
    case 3: result[lane] = kind == FP_NAN; break;
    case 4: result[lane] = kind == FP_NORMAL; break;
    default: result[lane] = kind == FP_SUBNORMAL; break;
    }
  });
}
Handler bind_testp(Opcode &opcode, Instruction &instruction) {
  static constexpr const char *kProperties[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  for (uint32_t i = 0; i < 6; ++i)
    if (opcode.take(kProperties[i])) {
      instruction.variant = i;
      const auto type = opcode.take_type();
      return type == Type::kF32 ? test_property<float> : type == Type::kF64 ? test_property<double> : nullptr;
    }
  return nullptr;
}

constexpr Operation kOperations[] = {{"add", bind_float<Add, 2>},           {"sub", bind_float<Sub, 2>},
                                     {"mul", bind_float<Mul, 2>},           {"fma", bind_float<Fma, 3>},
                                     {"mad", bind_float<Fma, 3>},           {"div", bind_float<Div, 2>},
                                     {"abs", bind_float<Abs, 1>},           {"neg", bind_float<Neg, 1>},
                                     {"min", bind_extreme<Min, MinNan>},    {"max", bind_extreme<Max, MaxNan>},
                                     {"copysign", bind_float<Copysign, 2>}, {"rcp", bind_reciprocal<Rcp>},
                                     {"sqrt", bind_float<Sqrt, 1>},         {"rsqrt", bind_reciprocal<Rsqrt>},
                                     {"sin", bind_float<Sin, 1>},           {"cos", bind_float<Cos, 1>},
                                     {"lg2", bind_float<Lg2, 1>},           {"ex2", bind_float<Ex2, 1>},
                                     {"tanh", bind_float<Tanh, 1>},         {"testp", bind_testp}};

} // namespace

std::span<const Operation> float_operations() { return kOperations; }

} // namespace emulator::executor::ptx
