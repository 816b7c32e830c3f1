// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, packs and conversions (PTX ISA 9.7.9: mov, cvt, cvta, isspacep). Compiled with -frounding-math.

#include <cfenv>
#include <cmath>

#include "../half.h"
#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

uint64_t mask_of(unsigned bits) { return bits == 0 || bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

void move(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const uint64_t mask = instruction.type == Type::kPred ? 1 : mask_of(8 * size_of(instruction.type));
  const bool is_truth = instruction.type == Type::kPred;
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = is_truth ? a[lane] != 0 : a[lane] & mask; });
}

// mov.b64 {a, b}, c and mov.b64 c, {a, b}: the first element is the lowest.
void unpack(Warp &warp, const Instruction &instruction) {
  Row whole;
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  std::copy(a, a + kLanes, whole.begin());
  const unsigned bits = 8 * size_of(instruction.type) / static_cast<unsigned>(instruction.elements.size());
  for (size_t i = 0; i < instruction.elements.size(); ++i) {
    uint64_t *const result = warp.destination(instruction.elements[i]);
    for_lanes(warp.active(), [&](unsigned lane) { result[lane] = whole[lane] >> (bits * i) & mask_of(bits); });
  }
}
void pack(Warp &warp, const Instruction &instruction) {
  Row whole{};
  const unsigned bits = 8 * size_of(instruction.type) / static_cast<unsigned>(instruction.elements.size());
  for (size_t i = 0; i < instruction.elements.size(); ++i) {
    const uint64_t *const part = warp.source(instruction.elements[i], 1);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      whole[lane] |= (part[lane] & mask_of(bits)) << (bits * i);
  }
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = whole[lane]; });
}
void move_any(Warp &warp, const Instruction &instruction) {
  if (instruction.elements.empty())
    move(warp, instruction);
  else if (instruction.operands[0].kind == Operand::Kind::kNone)
    unpack(warp, instruction);
  else
    pack(warp, instruction);
}
Handler bind_mov(Opcode &opcode, Instruction &instruction) {
  const auto type = opcode.take_type();
  instruction.type = type.value_or(Type::kNone);
  return type ? move_any : nullptr;
}

// ---- cvt

int64_t integer_of(uint64_t bits, Type type) {
  switch (type) {
  case Type::kU8: return get<uint8_t>(bits);
  case Type::kS8: return get<int8_t>(bits);
  case Type::kU16: return get<uint16_t>(bits);
  case Type::kS16: return get<int16_t>(bits);
  case Type::kU32: return get<uint32_t>(bits);
  case Type::kS32: return get<int32_t>(bits);
  default: return static_cast<int64_t>(bits);
  }
}

// A number of so many binary digits, of which the last counts at least 2^least. The current rounding decides; more than
// the format has becomes infinite or its largest number.
struct Format {
  int digits, least, most;
  uint64_t infinity;
};
constexpr Format kHalf{11, -24, 16, Half::kInfinity}, kBFloat{8, -133, 128, BFloat::kInfinity};
double rounded_to(const Format &format, double size, int sign_of_rounding) {
  int exponent = 0;
  std::frexp(size, &exponent); // size = m * 2^exponent, 0.5 <= m < 1
  const int unit = std::max(exponent - format.digits, format.least);
  return std::ldexp(std::copysign(std::nearbyint(std::ldexp(size * sign_of_rounding, -unit)), 1.0), unit);
}
uint64_t half_of(double value, const Format &format) {
  if (std::isnan(value))
    return 0x7FFF;
  const bool is_negative = std::signbit(value);
  const uint64_t sign = is_negative ? 0x8000 : 0;
  const double size = std::fabs(value),
               rounded = std::isinf(size) ? size : rounded_to(format, size, is_negative ? -1 : 1);
  if (rounded < std::ldexp(1.0, format.most)) // exact now
    return sign | (&format == &kHalf ? Half::narrow(static_cast<float>(rounded))
                                     : BFloat::narrow(static_cast<float>(rounded)));
  const bool is_infinite = std::isinf(size) || std::fegetround() == FE_TONEAREST ||
                           std::fegetround() == (is_negative ? FE_DOWNWARD : FE_UPWARD);
  return sign | (is_infinite ? format.infinity : format.infinity - 1);
}

double float_of(uint64_t bits, Type type) {
  switch (type) {
  case Type::kF16: return Half::widen(static_cast<uint16_t>(bits));
  case Type::kBf16: return BFloat::widen(static_cast<uint16_t>(bits));
  case Type::kF32: return get<float>(bits);
  default: return get<double>(bits);
  }
}

// Out of range becomes the nearest, no number becomes 0, or the highest bit if either type has 64 bits.
uint64_t clamp_to(double value, Type from, Type type) {
  const unsigned bits = 8 * size_of(type);
  if (std::isnan(value))
    return from == Type::kF64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0;
  if (!is_signed(type)) {
    if (value <= 0)
      return 0;
    return value >= std::ldexp(1.0, static_cast<int>(bits)) ? mask_of(bits) : static_cast<uint64_t>(value);
  }
  const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  const int64_t most = static_cast<int64_t>(mask_of(bits - 1));
  if (value >= limit)
    return static_cast<uint64_t>(most);
  return value < -limit ? static_cast<uint64_t>(-most - 1) : static_cast<uint64_t>(static_cast<int64_t>(value));
}

int64_t clamp_integer(int64_t value, Type from, Type type) {
  const unsigned bits = 8 * size_of(type);
  const bool is_large = from == Type::kU64 && value < 0; // beyond 63 bits
  if (!is_signed(type)) {
    if (value < 0 && !is_large)
      return 0;
    return bits < 64 && static_cast<uint64_t>(value) > mask_of(bits) ? static_cast<int64_t>(mask_of(bits)) : value;
  }
  const int64_t most = static_cast<int64_t>(mask_of(bits - 1));
  return is_large || value > most ? most : std::max(value, -most - 1);
}

uint64_t float_to(double value, Type type) {
  if (is_half(type))
    return half_of(value, type == Type::kF16 ? kHalf : kBFloat);
  return type == Type::kF32 ? put(static_cast<float>(value)) : put(value);
}
uint64_t integer_to_float(int64_t value, Type from, Type type) {
  const bool is_unsigned = !is_signed(from);
  // A double holds all that rounding to a bfloat looks at, if its last digit says that others are not 0.
  constexpr uint64_t kMost = uint64_t{1} << 53, kLost = 0xFFF;
  const auto bits = static_cast<uint64_t>(value);
  if (type == Type::kBf16 && (is_unsigned || value >= 0 ? bits : 0 - bits) >= kMost && (bits & kLost) != 0)
    value = static_cast<int64_t>((bits & ~kLost) | 0x800);
  if (type == Type::kF32)
    return is_unsigned ? put(static_cast<float>(static_cast<uint64_t>(value))) : put(static_cast<float>(value));
  const double wide = is_unsigned ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value);
  return float_to(wide, type);
}

constexpr uint32_t kToIntegral = 0x10000; // variant: .rni and the like, beside the mode

uint64_t convert_one(uint64_t bits, const Instruction &instruction) {
  const Type to = instruction.type, from = instruction.from;
  if (!is_float(from)) {
    const int64_t value = integer_of(bits, from);
    if (is_float(to))
      return integer_to_float(value, from, to);
    return static_cast<uint64_t>(instruction.saturates ? clamp_integer(value, from, to) : value);
  }
  double value = float_of(bits, from);
  if (instruction.flushes && from == Type::kF32 && std::fabs(value) < 0x1p-126)
    value = std::copysign(0.0, value);
  if (instruction.variant & kToIntegral)
    value = std::nearbyint(value);
  if (!is_float(to))
    return clamp_to(value, from, to);
  if (instruction.saturates)
    value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (instruction.keeps_positive && value < 0)
    value = 0;
  const uint64_t result = float_to(value, to);
  const bool is_small = to == Type::kF32 && (result & 0x7F800000) == 0;
  return instruction.flushes && is_small ? result & 0x80000000 : result;
}

void convert(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const int mode = static_cast<int>(instruction.variant & 0xFFFF);
  std::fesetround(mode);
  const unsigned own = 8 * size_of(instruction.type);
  const uint64_t mask =
      mask_of(is_signed(instruction.type) ? std::max<unsigned>(own, instruction.operands[0].bits) : own);
  for_lanes(warp.active(), [&](unsigned lane) {
    uint64_t value = convert_one(a[lane], instruction);
    if (is_signed(instruction.type)) // in a wider register as many signs
      value = static_cast<uint64_t>(integer_of(value & mask_of(own), instruction.type));
    result[lane] = value & mask;
  });
  std::fesetround(FE_TONEAREST);
}

// cvt.rn.f16x2.f32 d, a, b: a becomes the upper half.
void convert_two(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const Format &format = instruction.type == Type::kF16x2 ? kHalf : kBFloat;
  const auto one = [&](uint64_t bits) {
    const auto value = get<float>(bits);
    return half_of(instruction.keeps_positive && value < 0 ? 0 : value, format);
  };
  std::fesetround(static_cast<int>(instruction.variant));
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = one(a[lane]) << 16 | one(b[lane]); });
  std::fesetround(FE_TONEAREST);
}

// From and to integers, which most conversions are.
template <class From> void convert_integer(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const unsigned own = 8 * size_of(instruction.type), shift = 64 - own;
  const uint64_t mask = mask_of(std::max<unsigned>(own, instruction.operands[0].bits));
  const bool extends = is_signed(instruction.type);
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint64_t value = static_cast<uint64_t>(static_cast<int64_t>(get<From>(a[lane]))) << shift;
    result[lane] = (extends ? static_cast<uint64_t>(static_cast<int64_t>(value) >> shift) : value >> shift) & mask;
  });
}

Handler integer_conversion(Type from) {
  switch (from) {
  case Type::kU8: return convert_integer<uint8_t>;
  case Type::kS8: return convert_integer<int8_t>;
  case Type::kU16: return convert_integer<uint16_t>;
  case Type::kS16: return convert_integer<int16_t>;
  case Type::kU32: return convert_integer<uint32_t>;
  case Type::kS32: return convert_integer<int32_t>;
  case Type::kU64: return convert_integer<uint64_t>;
  case Type::kS64: return convert_integer<int64_t>;
  default: return nullptr;
  }
}

// Returns whether an integer type has all values of another.
bool has_all_of(Type type, Type other) {
  const unsigned size = size_of(type), least = size_of(other);
  return is_signed(type) == is_signed(other) ? size >= least : is_signed(type) && size > least;
}
Handler bind_cvt(Opcode &opcode, Instruction &instruction) {
  static constexpr std::pair<const char *, uint32_t> kModes[] = {{"rn", FE_TONEAREST},
                                                                 {"rz", FE_TOWARDZERO},
                                                                 {"rm", FE_DOWNWARD},
                                                                 {"rp", FE_UPWARD},
                                                                 {"rni", FE_TONEAREST | kToIntegral},
                                                                 {"rzi", FE_TOWARDZERO | kToIntegral},
                                                                 {"rmi", FE_DOWNWARD | kToIntegral},
                                                                 {"rpi", FE_UPWARD | kToIntegral}};
  instruction.variant = FE_TONEAREST;
  for (const auto &[name, mode] : kModes)
    if (opcode.take(name)) {
      instruction.variant = mode;
      break;
    }
  instruction.flushes = opcode.take("ftz");
  instruction.saturates = opcode.take("sat");
  instruction.keeps_positive = opcode.take("relu");
  const auto to = opcode.take_type(), from = opcode.take_type();
  if (!to || !from || *to == Type::kPred || *from == Type::kPred)
    return nullptr;
  instruction.type = *to;
  instruction.from = *from;
  if (*to == Type::kF16x2 || *to == Type::kBf16x2)
    return *from == Type::kF32 ? convert_two : nullptr;
  if (is_float(*from) && !is_float(*to) && !(instruction.variant & kToIntegral))
    return nullptr; // the mode must be said
  if (instruction.saturates && !is_float(*from) && !is_float(*to) && has_all_of(*to, *from))
    return nullptr; // there is nothing to clamp
  return is_float(*from) || is_float(*to) || instruction.saturates ? convert : integer_conversion(*from);
}

// ---- Addresses

void convert_address(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    result[lane] = instruction.variant ? warp.from_generic(instruction.space, a[lane], lane)
                                       : warp.to_generic(instruction.space, a[lane], lane);
  });
}
Handler bind_cvta(Opcode &opcode, Instruction &instruction) {
  instruction.variant = opcode.take("to");
  const auto space = opcode.take_space();
  instruction.space = space.value_or(Space::kGeneric);
  return space && opcode.take_type() == Type::kU64 ? convert_address : nullptr;
}

void is_in_space(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint64_t window = a[lane] & kWindowMask;
    const bool is_special = window == kSharedWindow || window == kLocalWindow || window == kParamWindow;
    switch (instruction.space) {
    case Space::kShared: result[lane] = window == kSharedWindow; break;
    case Space::kLocal: result[lane] = window == kLocalWindow; break;
    case Space::kParam: result[lane] = window == kParamWindow; break;
    default: result[lane] = !is_special; break;
    }
  });
}
Handler bind_isspacep(Opcode &opcode, Instruction &instruction) {
  const auto space = opcode.take_space();
  instruction.space = space.value_or(Space::kGeneric);
  return space ? is_in_space : nullptr;
}

constexpr Operation kOperations[] = {
    {"mov", bind_mov}, {"cvt", bind_cvt}, {"cvta", bind_cvta}, {"isspacep", bind_isspacep}};

} // namespace

std::span<const Operation> convert_operations() { return kOperations; }

} // namespace emulator::executor::ptx
