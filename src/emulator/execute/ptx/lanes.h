// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of instructions that do the same to each lane, made of functions of values.
#pragma once

#include <bit>
#include <cstring>

#include "operations.h"
#include "warp.h"

namespace emulator::executor::ptx {

/// A value of type T in the low bits of a register, and back.
template <class T> inline T get(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> inline uint64_t put(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T, class F> void unary(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = put(F::apply(get<T>(a[lane]))); });
}

template <class T, class F> void binary(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = put(F::apply(get<T>(a[lane]), get<T>(b[lane]))); });
}

template <class T, class F> void ternary(Warp &warp, const Instruction &instruction) {
  const uint64_t *const a = warp.source(instruction.operands[1], 1), *const b = warp.source(instruction.operands[2], 2),
                        *const c = warp.source(instruction.operands[3], 3);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(),
            [&](unsigned lane) { result[lane] = put(F::apply(get<T>(a[lane]), get<T>(b[lane]), c[lane])); });
}

/// The handler of an integer type; null for others. Make::of<T>() is one.
template <class Make> Handler of_integer(std::optional<Type> type) {
  switch (type.value_or(Type::kNone)) {
  case Type::kB16:
  case Type::kU16: return Make::template of<uint16_t>();
  case Type::kS16: return Make::template of<int16_t>();
  case Type::kB32:
  case Type::kU32: return Make::template of<uint32_t>();
  case Type::kS32: return Make::template of<int32_t>();
  case Type::kB64:
  case Type::kU64: return Make::template of<uint64_t>();
  case Type::kS64: return Make::template of<int64_t>();
  default: return nullptr;
  }
}
template <class F> struct Unary {
  template <class T> static Handler of() { return unary<T, F>; }
};
template <class F> struct Binary {
  template <class T> static Handler of() { return binary<T, F>; }
};
template <class F> struct Ternary {
  template <class T> static Handler of() { return ternary<T, F>; }
};

template <class F> Handler bind_unary(Opcode &opcode, Instruction &instruction) {
  const auto type = opcode.take_type();
  instruction.type = type.value_or(Type::kNone);
  return of_integer<Unary<F>>(type);
}
template <class F> Handler bind_binary(Opcode &opcode, Instruction &instruction) {
  const auto type = opcode.take_type();
  instruction.type = type.value_or(Type::kNone);
  return of_integer<Binary<F>>(type);
}
template <class F> Handler bind_ternary(Opcode &opcode, Instruction &instruction) {
  const auto type = opcode.take_type();
  instruction.type = type.value_or(Type::kNone);
  return of_integer<Ternary<F>>(type);
}

} // namespace emulator::executor::ptx
