// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and bits (PTX ISA 9.7.1, 9.7.2, 9.7.8).

#include <algorithm>
#include <type_traits>

#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;
template <class T> using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
                                          std::conditional_t<std::is_signed_v<T>, Int128, Uint128>>>;
template <class T> constexpr unsigned kBits = 8 * sizeof(T);

// Without signed overflow, and without C's promotion of 16 bits to int.
template <class T> T add(T a, T b) { return static_cast<T>(uint64_t(a) + uint64_t(b)); }
template <class T> T sub(T a, T b) { return static_cast<T>(uint64_t(a) - uint64_t(b)); }
template <class T> T mul(T a, T b) { return static_cast<T>(uint64_t(a) * uint64_t(b)); }
template <class T> T high(T a, T b) { return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> kBits<T>); }

struct Add {
  template <class T> static T apply(T a, T b) { return add(a, b); }
};
struct AddSaturated {
  template <class T> static T apply(T a, T b) {
    const int64_t sum = int64_t(a) + int64_t(b);
    return static_cast<T>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
  }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return sub(a, b); }
};
struct SubSaturated {
  template <class T> static T apply(T a, T b) {
    return static_cast<T>(std::clamp<int64_t>(int64_t(a) - int64_t(b), INT32_MIN, INT32_MAX));
  }
};
struct MulLow {
  template <class T> static T apply(T a, T b) { return mul(a, b); }
};
struct MulHigh {
  template <class T> static T apply(T a, T b) { return high(a, b); }
};
/// Handlers whose results are twice as wide: none for 64 bits.
template <class Make> struct OfHalf {
  template <class T> static Handler of() {
    if constexpr (sizeof(T) > 4)
      return nullptr;
    else
      return Make::template of<T>();
  }
};
struct MulWide {
  template <class T> static Wide<T> apply(T a, T b) { return Wide<T>(a) * Wide<T>(b); }
};
struct MadLow {
  template <class T> static T apply(T a, T b, uint64_t c) { return add(mul(a, b), static_cast<T>(c)); }
};
struct MadHigh {
  template <class T> static T apply(T a, T b, uint64_t c) { return add(high(a, b), static_cast<T>(c)); }
};
struct MadWide {
  template <class T> static Wide<T> apply(T a, T b, uint64_t c) {
    return add<Wide<T>>(Wide<T>(a) * Wide<T>(b), static_cast<Wide<T>>(c));
  }
};
struct Mul24 {
  template <class T> static T apply(T a, T b) {
    const auto low = [](T value) {
      return std::is_signed_v<T> ? static_cast<int64_t>(uint64_t(value) << 40) >> 40 : int64_t(value & 0xFFFFFF);
    };
    return static_cast<T>(low(a) * low(b));
  }
};
struct Mad24 {
  template <class T> static T apply(T a, T b, uint64_t c) { return add(Mul24::apply(a, b), static_cast<T>(c)); }
};
// The result of a division by zero is not defined; GPUs give all ones.
struct Div {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return static_cast<T>(~uint64_t{0});
    if (std::is_signed_v<T> && b == static_cast<T>(-1))
      return sub<T>(0, a);
    return static_cast<T>(a / b);
  }
};
struct Rem {
  template <class T> static T apply(T a, T b) {
    if (b == 0)
      return a;
    return std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0} : static_cast<T>(a % b);
  }
};
struct Abs {
  template <class T> static T apply(T a) { return a < T{0} ? sub<T>(0, a) : a; }
};
struct Neg {
  template <class T> static T apply(T a) { return sub<T>(0, a); }
};
struct Min {
  template <class T> static T apply(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <class T> static T apply(T a, T b) { return std::max(a, b); }
};
struct Sad {
  template <class T> static T apply(T a, T b, uint64_t c) {
    return add(a < b ? sub(b, a) : sub(a, b), static_cast<T>(c));
  }
};
struct And {
  template <class T> static T apply(T a, T b) { return static_cast<T>(a & b); }
};
struct Or {
  template <class T> static T apply(T a, T b) { return static_cast<T>(a | b); }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return static_cast<T>(a ^ b); }
};
struct Not {
  template <class T> static T apply(T a) { return static_cast<T>(~a); }
};
struct NotPredicate {
  static uint64_t apply(uint64_t a) { return a == 0; }
};
struct Cnot {
  template <class T> static T apply(T a) { return a == 0; }
};
struct Popc {
  template <class T> static uint32_t apply(T a) {
    return static_cast<uint32_t>(std::popcount(static_cast<Unsigned<T>>(a)));
  }
};
struct Clz {
  template <class T> static uint32_t apply(T a) {
    return static_cast<uint32_t>(std::countl_zero(static_cast<Unsigned<T>>(a)));
  }
};
struct Brev {
  template <class T> static T apply(T a) {
    T result = 0;
    for (unsigned i = 0; i < kBits<T>; ++i)
      result = static_cast<T>(result | (uint64_t(a) >> i & 1) << (kBits<T> - 1 - i));
    return result;
  }
};
struct Bfind {
  template <class T> static uint32_t apply(T a) {
    const auto bits = static_cast<Unsigned<T>>(a < T{0} ? ~a : a);
    return bits == 0 ? 0xFFFFFFFF : kBits<T> - 1 - static_cast<uint32_t>(std::countl_zero(bits));
  }
};
struct BfindShift {
  template <class T> static uint32_t apply(T a) {
    const uint32_t found = Bfind::apply(a);
    return found == 0xFFFFFFFF ? found : kBits<T> - 1 - found;
  }
};

template <class T> void shift_left(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint32_t by = static_cast<uint32_t>(b[lane]);
    result[lane] = by >= kBits<T> ? 0 : put(static_cast<T>(uint64_t(get<T>(a[lane])) << by));
  });
}
template <class T> void shift_right(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    const T value = get<T>(a[lane]);
    const uint32_t by = static_cast<uint32_t>(b[lane]);
    result[lane] = by >= kBits<T> ? put(static_cast<T>(value < T{0} ? -1 : 0)) : put(static_cast<T>(value >> by));
  });
}
struct ShiftLeft {
  template <class T> static Handler of() { return shift_left<T>; }
};
struct ShiftRight {
  template <class T> static Handler of() { return shift_right<T>; }
};

// Field of b: its position is the operand after, its length the one after that.
template <class T> void extract_bits(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint64_t value = static_cast<Unsigned<T>>(get<T>(a[lane]));
    const unsigned at = b[lane] & 0xFF, length = c[lane] & 0xFF;
    const unsigned last = std::min(at + length - 1, kBits<T> - 1);
    const bool is_negative = std::is_signed_v<T> && length != 0 && (value >> last & 1);
    uint64_t bits = at >= 64 ? 0 : value >> at;
    const unsigned kept = at >= kBits<T> ? 0 : std::min(length, kBits<T> - at);
    bits = kept >= 64 ? bits : bits & ((uint64_t{1} << kept) - 1);
    if (is_negative && kept < 64)
      bits |= ~uint64_t{0} << kept;
    result[lane] = length == 0 ? 0 : put(static_cast<T>(bits));
  });
}
struct ExtractBits {
  template <class T> static Handler of() { return extract_bits<T>; }
};
template <class T> void insert_bits(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3),
                        *const d = warp.source(instruction.operands[4], 4);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    uint64_t value = put(get<T>(b[lane]));
    const unsigned at = c[lane] & 0xFF, length = d[lane] & 0xFF;
    for (unsigned i = 0; i < length && at + i < kBits<T>; ++i)
      value = (value & ~(uint64_t{1} << (at + i))) | (a[lane] >> i & 1) << (at + i);
    result[lane] = value;
  });
}
struct InsertBits {
  template <class T> static Handler of() { return insert_bits<T>; }
};

void funnel_shift(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const bool to_left = instruction.variant & 1, wraps = instruction.variant & 2;
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint64_t both = b[lane] << 32 | (a[lane] & 0xFFFFFFFF);
    const uint32_t given = static_cast<uint32_t>(c[lane]), by = wraps ? given & 31 : std::min(given, 32u);
    result[lane] = to_left ? (by == 32 ? both & 0xFFFFFFFF : both << by >> 32) : (both >> by & 0xFFFFFFFF);
  });
}

void permute(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    const uint64_t bytes = b[lane] << 32 | (a[lane] & 0xFFFFFFFF);
    uint64_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned selector = c[lane] >> (4 * i) & 0xF;
      const uint64_t byte = bytes >> (8 * (selector & 7)) & 0xFF;
      value |= (selector & 8 ? (byte & 0x80 ? 0xFF : 0) : byte) << (8 * i);
    }
    result[lane] = value;
  });
}

void logic_of_three(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3),
                        *const table = warp.source(instruction.operands[4], 4);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned row =
          static_cast<unsigned>((a[lane] >> i & 1) << 2 | (b[lane] >> i & 1) << 1 | (c[lane] >> i & 1));
      value |= (table[lane] >> row & 1) << i;
    }
    result[lane] = value;
  });
}

// With carry in, out, or both: variant bits 0 and 1; bit 2 subtracts.
template <class T> void add_with_carry(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const bool takes = instruction.variant & 1, gives = instruction.variant & 2, subtracts = instruction.variant & 4;
  for_lanes(warp.active(), [&](unsigned lane) {
    using Sum = Uint128;
    const Sum one = static_cast<Unsigned<T>>(get<T>(a[lane])), other = static_cast<Unsigned<T>>(get<T>(b[lane]));
    const Sum in = takes ? Sum(warp.carry[lane]) : Sum(0);
    const Sum sum = subtracts ? one - other - in : one + other + in;
    result[lane] = static_cast<uint64_t>(static_cast<Unsigned<T>>(sum));
    if (gives)
      warp.carry[lane] = static_cast<uint64_t>(sum >> kBits<T>) & 1;
  });
}
struct Carry {
  template <class T> static Handler of() { return add_with_carry<T>; }
};

// The low or, with bit 2, the high half of the product and c, with carries as above.
template <class T> void mad_with_carry(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  const bool takes = instruction.variant & 1, gives = instruction.variant & 2, is_high = instruction.variant & 4;
  for_lanes(warp.active(), [&](unsigned lane) {
    const T one = get<T>(a[lane]), other = get<T>(b[lane]);
    const Unsigned<T> half = static_cast<Unsigned<T>>(is_high ? high(one, other) : mul(one, other));
    const Uint128 sum = Uint128(half) + get<Unsigned<T>>(c[lane]) + (takes ? warp.carry[lane] : 0);
    result[lane] = static_cast<uint64_t>(static_cast<Unsigned<T>>(sum));
    if (gives)
      warp.carry[lane] = static_cast<uint64_t>(sum >> kBits<T>) & 1;
  });
}
struct MadCarry {
  template <class T> static Handler of() { return mad_with_carry<T>; }
};

template <class F, class Saturated, bool subtracts> Handler bind_sum(Opcode &opcode, Instruction &instruction) {
  const bool takes = opcode.name().ends_with("c");
  const bool gives = opcode.take("cc"), saturates = opcode.take("sat");
  const auto type = opcode.take_type();
  if (takes || gives) {
    instruction.variant = (takes ? 1 : 0) | (gives ? 2 : 0) | (subtracts ? 4 : 0);
    return of_integer<Carry>(type);
  }
  if (saturates)
    return type == Type::kS32 ? binary<int32_t, Saturated> : nullptr;
  return of_integer<Binary<F>>(type);
}

Handler bind_product(Opcode &opcode, Instruction &) {
  const bool is_wide = opcode.take("wide"), is_high = opcode.take("hi");
  if (!is_wide && !is_high && !opcode.take("lo"))
    return nullptr;
  const auto type = opcode.take_type();
  if (is_wide)
    return of_integer<OfHalf<Binary<MulWide>>>(type);
  return is_high ? of_integer<Binary<MulHigh>>(type) : of_integer<Binary<MulLow>>(type);
}

Handler bind_mad(Opcode &opcode, Instruction &instruction) {
  const bool takes = opcode.name() == "madc", gives = opcode.take("cc");
  const bool is_wide = opcode.take("wide"), is_high = opcode.take("hi");
  if (!is_wide && !is_high && !opcode.take("lo"))
    return nullptr;
  const auto type = opcode.take_type();
  if (takes || gives) {
    instruction.variant = (takes ? 1 : 0) | (gives ? 2 : 0) | (is_high ? 4 : 0);
    return is_wide ? nullptr : of_integer<MadCarry>(type);
  }
  if (is_wide)
    return of_integer<OfHalf<Ternary<MadWide>>>(type);
  return is_high ? of_integer<Ternary<MadHigh>>(type) : of_integer<Ternary<MadLow>>(type);
}

template <class F> Handler bind_bits(Opcode &opcode, Instruction &) {
  const auto type = opcode.take_type();
  return type == Type::kPred ? binary<uint64_t, F> : of_integer<Binary<F>>(type);
}
Handler bind_not(Opcode &opcode, Instruction &) {
  const auto type = opcode.take_type();
  return type == Type::kPred ? unary<uint64_t, NotPredicate> : of_integer<Unary<Not>>(type);
}
template <class Make> Handler bind_made(Opcode &opcode, Instruction &) { return of_integer<Make>(opcode.take_type()); }

Handler bind_bfind(Opcode &opcode, Instruction &) {
  return opcode.take("shiftamt") ? of_integer<Unary<BfindShift>>(opcode.take_type())
                                 : of_integer<Unary<Bfind>>(opcode.take_type());
}
Handler bind_funnel(Opcode &opcode, Instruction &instruction) {
  const bool to_left = opcode.take("l"), wraps = opcode.take("wrap");
  if ((!to_left && !opcode.take("r")) || (!wraps && !opcode.take("clamp")) || opcode.take_type() != Type::kB32)
    return nullptr;
  instruction.variant = (to_left ? 1 : 0) | (wraps ? 2 : 0);
  return funnel_shift;
}
template <Handler handler> Handler bind_b32(Opcode &opcode, Instruction &) {
  return opcode.take_type() == Type::kB32 ? handler : nullptr;
}
template <class F> Handler bind_24(Opcode &opcode, Instruction &) {
  return opcode.take("lo") ? of_integer<F>(opcode.take_type()) : nullptr;
}

constexpr Operation kOperations[] = {{"add", bind_sum<Add, AddSaturated, false>},
                                     {"addc", bind_sum<Add, AddSaturated, false>},
                                     {"sub", bind_sum<Sub, SubSaturated, true>},
                                     {"subc", bind_sum<Sub, SubSaturated, true>},
                                     {"mul", bind_product},
                                     {"mad", bind_mad},
                                     {"madc", bind_mad},
                                     {"mul24", bind_24<Binary<Mul24>>},
                                     {"mad24", bind_24<Ternary<Mad24>>},
                                     {"div", bind_binary<Div>},
                                     {"rem", bind_binary<Rem>},
                                     {"abs", bind_unary<Abs>},
                                     {"neg", bind_unary<Neg>},
                                     {"min", bind_binary<Min>},
                                     {"max", bind_binary<Max>},
                                     {"sad", bind_ternary<Sad>},
                                     {"and", bind_bits<And>},
                                     {"or", bind_bits<Or>},
                                     {"xor", bind_bits<Xor>},
                                     {"not", bind_not},
                                     {"cnot", bind_unary<Cnot>},
                                     {"popc", bind_unary<Popc>},
                                     {"clz", bind_unary<Clz>},
                                     {"brev", bind_unary<Brev>},
                                     {"bfind", bind_bfind},
                                     {"bfe", bind_made<ExtractBits>},
                                     {"bfi", bind_made<InsertBits>},
                                     {"shl", bind_made<ShiftLeft>},
                                     {"shr", bind_made<ShiftRight>},
                                     {"shf", bind_funnel},
                                     {"prmt", bind_b32<permute>},
                                     {"lop3", bind_b32<logic_of_three>}};

} // namespace

std::span<const Operation> integer_operations() { return kOperations; }

} // namespace emulator::executor::ptx
