// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons and selections (PTX ISA 9.7.6).

#include <cmath>

#include "../half.h"
#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

template <class T> bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

enum Comparison : uint32_t { kEq, kNe, kLt, kLe, kGt, kGe, kOrdered, kUnordered };
enum Combination : uint32_t { kAlone, kAnd, kOr, kXor };
// variant: comparison, 8 for "or no number", 16 times the combination
constexpr uint32_t kOrNan = 8, kCombines = 16;

template <class T> bool compare(T a, T b, uint32_t variant) {
  const bool is_unordered = is_nan(a) || is_nan(b);
  switch (variant & 7) {
  case kOrdered: return !is_unordered;
  case kUnordered: return is_unordered;
  default: break;
  }
  if (is_unordered)
    return variant & kOrNan;
  switch (variant & 7) {
  case kEq: return a == b;
  case kNe: return a != b;
  case kLt: return a < b;
  case kLe: return a <= b;
  case kGt: return a > b;
  default: return a >= b;
  }
}

bool combine(bool value, bool with, uint32_t variant) {
  switch (variant / kCombines) {
  case kAnd: return value && with;
  case kOr: return value || with;
  case kXor: return value != with;
  default: return value;
  }
}

// The value of a register as it is compared: one of 16 bits as a single.
template <class T> auto value_of(uint64_t bits, bool flushes) {
  if constexpr (requires { T::kInfinity; }) {
    const float value = T::widen(static_cast<uint16_t>(bits));
    return flushes && (bits & T::kInfinity) == 0 ? std::copysign(0.0f, value) : value;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto value = get<float>(bits);
    return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
  } else {
    return get<T>(bits);
  }
}

// Results of a comparison for each active lane.
template <class T, class F> void compare_lanes(Warp &warp, const Instruction &instruction, F &&give) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  const bool combines = instruction.variant >= kCombines;
  const uint64_t *const with = combines ? warp.source(instruction.operands[3], 3) : a;
  for_lanes(warp.active(), [&](unsigned lane) {
    const auto one = value_of<T>(a[lane], instruction.flushes), other = value_of<T>(b[lane], instruction.flushes);
    const bool value = compare(one, other, instruction.variant % kCombines), second = combines && with[lane] != 0;
    give(lane, combine(value, second, instruction.variant), combine(!value, second, instruction.variant));
  });
}

template <class T> void set_predicate(Warp &warp, const Instruction &instruction) {
  uint64_t *const result = warp.destination(instruction.operands[0]);
  uint64_t *const opposite = instruction.elements.empty() ? nullptr : warp.destination(instruction.elements[0]);
  compare_lanes<T>(warp, instruction, [&](unsigned lane, bool value, bool other) {
    result[lane] = value;
    if (opposite)
      opposite[lane] = other;
  });
}

// A comparison of two pairs: a predicate for each.
template <class Format> void set_two(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  const bool combines = instruction.variant >= kCombines;
  const uint64_t *const with = combines ? warp.source(instruction.operands[3], 3) : a;
  uint64_t *const results[] = {warp.destination(instruction.operands[0]),
                               instruction.elements.empty() ? nullptr : warp.destination(instruction.elements[0])};
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint64_t one = a[lane], other = b[lane];
    const bool second = combines && with[lane] != 0;
    for (unsigned part = 0; part < 2 && results[part]; ++part) {
      const bool value =
          compare(value_of<Format>(one >> 16 * part, instruction.flushes),
                  value_of<Format>(other >> 16 * part, instruction.flushes), instruction.variant % kCombines);
      results[part][lane] = combine(value, second, instruction.variant);
    }
  });
}

template <class T> void set_value(Warp &warp, const Instruction &instruction) {
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const uint64_t yes = instruction.type == Type::kF32 ? put(1.0f) : 0xFFFFFFFF;
  compare_lanes<T>(warp, instruction, [&](unsigned lane, bool value, bool) { result[lane] = value ? yes : 0; });
}

struct SetPredicate {
  template <class T> static Handler of() { return set_predicate<T>; }
};
struct SetValue {
  template <class T> static Handler of() { return set_value<T>; }
};

bool take_comparison(Opcode &opcode, uint32_t &variant) {
  static constexpr std::pair<const char *, uint32_t> kNames[] = {
      {"eq", kEq},           {"ne", kNe},           {"lt", kLt},           {"le", kLe},           {"gt", kGt},
      {"ge", kGe},           {"lo", kLt},           {"ls", kLe},           {"hi", kGt},           {"hs", kGe},
      {"equ", kEq | kOrNan}, {"neu", kNe | kOrNan}, {"ltu", kLt | kOrNan}, {"leu", kLe | kOrNan}, {"gtu", kGt | kOrNan},
      {"geu", kGe | kOrNan}, {"num", kOrdered},     {"nan", kUnordered}};
  for (const auto &[name, comparison] : kNames)
    if (opcode.take(name)) {
      const uint32_t combination = opcode.take("and")   ? kAnd
                                   : opcode.take("or")  ? kOr
                                   : opcode.take("xor") ? kXor
                                                        : kAlone;
      variant = comparison | combination * kCombines;
      return true;
    }
  return false;
}

template <class Make> Handler bind_compared(Opcode &opcode, Instruction &instruction) {
  const auto type = opcode.take_type();
  instruction.flushes = opcode.take("ftz");
  instruction.from = type.value_or(Type::kNone);
  if (type == Type::kF32)
    return Make::template of<float>();
  if (type == Type::kF16)
    return Make::template of<Half>();
  if (type == Type::kBf16)
    return Make::template of<BFloat>();
  return type == Type::kF64 ? Make::template of<double>() : of_integer<Make>(type);
}

Handler bind_setp(Opcode &opcode, Instruction &instruction) {
  if (!take_comparison(opcode, instruction.variant))
    return nullptr;
  Opcode rest = opcode;
  const auto type = rest.take_type();
  if (type != Type::kF16x2 && type != Type::kBf16x2)
    return bind_compared<SetPredicate>(opcode, instruction);
  opcode.take_type();
  instruction.flushes = opcode.take("ftz");
  instruction.from = *type;
  return type == Type::kF16x2 ? set_two<Half> : set_two<BFloat>;
}
Handler bind_set(Opcode &opcode, Instruction &instruction) {
  if (!take_comparison(opcode, instruction.variant))
    return nullptr;
  instruction.type = opcode.take_type().value_or(Type::kNone);
  if (instruction.type != Type::kU32 && instruction.type != Type::kS32 && instruction.type != Type::kF32)
    return nullptr;
  return bind_compared<SetValue>(opcode, instruction);
}

void select_by_predicate(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const p = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const uint64_t mask = ~uint64_t{0} >> (64 - 8 * size_of(instruction.type));
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = (p[lane] ? a[lane] : b[lane]) & mask; });
}
Handler bind_selp(Opcode &opcode, Instruction &instruction) {
  instruction.type = opcode.take_type().value_or(Type::kPred);
  return size_of(instruction.type) >= 2 ? select_by_predicate : nullptr;
}

void select_by_sign(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const uint64_t mask = ~uint64_t{0} >> (64 - 8 * size_of(instruction.type));
  for_lanes(warp.active(), [&](unsigned lane) {
    const bool first = instruction.from == Type::kF32 ? get<float>(c[lane]) >= 0.0f : get<int32_t>(c[lane]) >= 0;
    result[lane] = (first ? a[lane] : b[lane]) & mask;
  });
}
Handler bind_slct(Opcode &opcode, Instruction &instruction) {
  instruction.type = opcode.take_type().value_or(Type::kPred);
  instruction.from = opcode.take_type().value_or(Type::kNone);
  const bool is_right = instruction.from == Type::kF32 || instruction.from == Type::kS32;
  return is_right && size_of(instruction.type) >= 2 ? select_by_sign : nullptr;
}

constexpr Operation kOperations[] = {{"setp", bind_setp}, {"set", bind_set}, {"selp", bind_selp}, {"slct", bind_slct}};

} // namespace

std::span<const Operation> compare_operations() { return kOperations; }

} // namespace emulator::executor::ptx
