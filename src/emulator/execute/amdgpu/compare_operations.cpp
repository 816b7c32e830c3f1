// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons: a bit for each lane, into a mask or into the execution mask. Bits of inactive lanes are 0.

#include "operations.h"
#include "vector.h"

namespace emulator::executor::amdgpu {

namespace {

// Writes a mask; of v_cmpx also the lanes that go on. RDNA writes only these, and the text names no mask.
void write_result(AmdWave &wave, const Instruction &i, uint64_t result, bool changes_exec, bool has_mask) {
  if (has_mask)
    wave.write_mask(i.operands[0], result);
  if (changes_exec)
    wave.set_exec(result);
}

template <class T, auto F, bool ChangesExec> void compare(AmdWave &wave, const Instruction &i) {
  const unsigned first = i.count == 3 ? 1 : 0;
  if (i.count != first + 2 || (first == 0 && !ChangesExec))
    return wave.unsupported("the operands of a comparison");
  VectorInstruction vector(wave, i);
  const Source<T> a(vector, first, 0), b(vector, first + 1, 1);
  uint64_t result = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1)
      result |= uint64_t{F(a.at(lane), b.at(lane))} << lane;
  if (!wave.has_failed())
    write_result(wave, i, result, ChangesExec, first == 1);
}

// The classes of v_cmp_class, a bit for each.
template <class T> bool is_of_class(T value, uint32_t classes) {
  const bool is_negative = std::signbit(value);
  switch (std::fpclassify(value)) {
  case FP_NAN: {
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const bool is_quiet = __builtin_bit_cast(Bits, value) >> (sizeof(T) == 8 ? 51 : 22) & 1;
    return classes >> (is_quiet ? 1 : 0) & 1;
  }
  case FP_INFINITE: return classes >> (is_negative ? 2 : 9) & 1;
  case FP_NORMAL: return classes >> (is_negative ? 3 : 8) & 1;
  case FP_SUBNORMAL: return classes >> (is_negative ? 4 : 7) & 1;
  default: return classes >> (is_negative ? 5 : 6) & 1;
  }
}
// A denormal of 16 bits is none as a single.
bool is_of_half_class(float value, uint32_t classes) {
  const bool is_denormal = value != 0 && std::fabs(value) < 0x1p-14f;
  return is_denormal ? classes >> (std::signbit(value) ? 4 : 7) & 1 : is_of_class(value, classes);
}
template <class T, bool ChangesExec> void compare_class(AmdWave &wave, const Instruction &i) {
  const unsigned first = i.count == 3 ? 1 : 0;
  VectorInstruction vector(wave, i);
  const Source<T> value(vector, first, 0);
  const Source<std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>> classes(vector, first + 1, 1);
  const auto is_one = [&](unsigned lane) {
    if constexpr (sizeof(T) == 2)
      return is_of_half_class(value.at(lane), classes.at(lane));
    else
      return is_of_class(value.at(lane), classes.at(lane));
  };
  uint64_t result = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (vector.active >> lane & 1)
      result |= uint64_t{is_one(lane)} << lane;
  if (!wave.has_failed())
    write_result(wave, i, result, ChangesExec, first == 1);
}

#define RELATION(expression) [](auto a, auto b) -> bool { return (expression); }
#define BOTH(name, type, T, expression)                                                                                \
  {"v_cmp_" name "_" type, compare<T, RELATION(expression), false>, true}, {                                           \
    "v_cmpx_" name "_" type, compare<T, RELATION(expression), true>, true                                              \
  }
#define INTEGERS(type, T)                                                                                              \
  BOTH("lt", type, T, a < b), BOTH("eq", type, T, a == b), BOTH("le", type, T, a <= b), BOTH("gt", type, T, a > b),    \
      BOTH("ne", type, T, a != b), BOTH("ge", type, T, a >= b), BOTH("t", type, T, (void(a), void(b), true)),          \
      BOTH("f", type, T, (void(a), void(b), false))
#define FLOATS(type, T)                                                                                                \
  BOTH("lt", type, T, a < b), BOTH("eq", type, T, a == b), BOTH("le", type, T, a <= b), BOTH("gt", type, T, a > b),    \
      BOTH("lg", type, T, a<b || a> b), BOTH("ge", type, T, a >= b), BOTH("o", type, T, !std::isunordered(a, b)),      \
      BOTH("u", type, T, std::isunordered(a, b)), BOTH("nge", type, T, !(a >= b)),                                     \
      BOTH("nlg", type, T, !(a < b || a > b)), BOTH("ngt", type, T, !(a > b)), BOTH("nle", type, T, !(a <= b)),        \
      BOTH("neq", type, T, !(a == b)), BOTH("nlt", type, T, !(a < b)), BOTH("t", type, T, (void(a), void(b), true)),   \
      BOTH("tru", type, T, (void(a), void(b), true)), BOTH("f", type, T, (void(a), void(b), false))

const Operation kOperations[] = {
    INTEGERS("u32", uint32_t),
    INTEGERS("i32", int32_t),
    INTEGERS("u64", uint64_t),
    INTEGERS("i64", int64_t),
    INTEGERS("u16", uint16_t),
    INTEGERS("i16", int16_t),
    FLOATS("f16", F16),
    FLOATS("f32", float),
    FLOATS("f64", double),
    {"v_cmp_class_f16", compare_class<F16, false>, true},
    {"v_cmpx_class_f16", compare_class<F16, true>, true},
    {"v_cmp_class_f32", compare_class<float, false>, true},
    {"v_cmpx_class_f32", compare_class<float, true>, true},
    {"v_cmp_class_f64", compare_class<double, false>, true},
    {"v_cmpx_class_f64", compare_class<double, true>, true},
};

} // namespace

std::span<const Operation> compare_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
