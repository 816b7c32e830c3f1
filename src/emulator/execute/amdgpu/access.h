// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of loads, stores and atomic operations on bytes, wherever these are.
#pragma once

#include <cmath>
#include <cstring>
#include <type_traits>

#include "wave.h"

namespace emulator::executor::amdgpu {

/// The result of a load: 1 or 2 bytes are extended, or become one half of a register and leave the other.
enum class LoadForm { kZero, kSign, kLowHalf, kHighHalf };

template <class T, LoadForm Form> void load_into(uint32_t &destination, const uint8_t *bytes) {
  const T value = load_value<T>(bytes);
  const uint32_t extended = static_cast<uint32_t>(static_cast<int32_t>(value));
  if constexpr (Form == LoadForm::kLowHalf)
    destination = (destination & 0xFFFF0000) | (extended & 0xFFFF);
  else if constexpr (Form == LoadForm::kHighHalf)
    destination = (destination & 0xFFFF) | extended << 16;
  else
    destination = extended;
}

inline uint64_t vector_value(AmdWave &wave, const Operand &operand, unsigned lane, unsigned first, unsigned bytes) {
  const uint64_t low = wave.vector(operand.index + first)[lane];
  return bytes == 8 ? low | uint64_t{wave.vector(operand.index + first + 1)[lane]} << 32 : low;
}

// ---- Atomic operations: the new value from the old one and the operand
struct AtomicAdd {
  template <class T> static T of(T old, T value) { return static_cast<T>(old + value); }
};
struct AtomicSub {
  template <class T> static T of(T old, T value) { return static_cast<T>(old - value); }
};
struct AtomicMin {
  template <class T> static T of(T old, T value) { return value < old ? value : old; }
};
struct AtomicMax {
  template <class T> static T of(T old, T value) { return old < value ? value : old; }
};
struct AtomicAnd {
  template <class T> static T of(T old, T value) { return old & value; }
};
struct AtomicOr {
  template <class T> static T of(T old, T value) { return old | value; }
};
struct AtomicXor {
  template <class T> static T of(T old, T value) { return old ^ value; }
};
struct AtomicSwap {
  template <class T> static T of(T, T value) { return value; }
};
struct AtomicInc {
  template <class T> static T of(T old, T value) { return old >= value ? T{0} : static_cast<T>(old + 1); }
};
struct AtomicDec {
  template <class T> static T of(T old, T value) { return old == 0 || old > value ? value : static_cast<T>(old - 1); }
};

template <class T> using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// Carries one out in memory that other threads may change, and returns the old bits.
template <class T, class Op> BitsOf<T> update(uint8_t *bytes, BitsOf<T> value) {
  auto *word = reinterpret_cast<BitsOf<T> *>(bytes);
  BitsOf<T> old = __atomic_load_n(word, __ATOMIC_ACQUIRE), next;
  do
    next = __builtin_bit_cast(BitsOf<T>, Op::of(__builtin_bit_cast(T, old), __builtin_bit_cast(T, value)));
  while (!__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return old;
}
template <class T> T compare_and_swap(uint8_t *bytes, T expected, T value) {
  __atomic_compare_exchange_n(reinterpret_cast<T *>(bytes), &expected, value, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  return expected;
}

} // namespace emulator::executor::amdgpu
