// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomic operations in shared memory. Operands: destination, address, data.

#include "access.h"
#include "operations.h"

namespace emulator::executor::amdgpu {

namespace {

// Sums wrap around: the compiler adds offsets to what is negative without them.
uint32_t address_of(AmdWave &wave, const Instruction &i, unsigned operand, unsigned lane, uint32_t offset) {
  return wave.vector(i.operands[operand].index)[lane] + offset;
}

template <class T, LoadForm Form> void load_part(AmdWave &wave, const Instruction &i) {
  for (unsigned lane = 0; lane < wave.lanes() && !wave.has_failed(); ++lane)
    if (wave.exec() >> lane & 1)
      if (const uint8_t *bytes = wave.shared_memory(address_of(wave, i, 1, lane, static_cast<uint32_t>(i.offset)),
                                                    sizeof(T), Access::kRead, static_cast<int>(lane)))
        load_into<T, Form>(wave.vector(i.operands[0].index)[lane], bytes);
}
template <unsigned Registers> void load(AmdWave &wave, const Instruction &i) {
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    uint32_t values[Registers];
    const uint8_t *bytes = wave.shared_memory(address_of(wave, i, 1, lane, static_cast<uint32_t>(i.offset)),
                                              sizeof(values), Access::kRead, static_cast<int>(lane));
    if (!bytes)
      return;
    std::memcpy(values, bytes, sizeof(values));
    for (unsigned n = 0; n < Registers; ++n)
      wave.vector(i.operands[0].index + n)[lane] = values[n];
  }
}
template <unsigned Bytes, bool IsUpper> void store(AmdWave &wave, const Instruction &i) {
  constexpr unsigned kRegisters = Bytes < 4 ? 1 : Bytes / 4;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    uint32_t values[kRegisters];
    for (unsigned n = 0; n < kRegisters; ++n)
      values[n] = wave.vector(i.operands[1].index + n)[lane] >> (IsUpper ? 16 : 0);
    wave.tell_value(values);
    uint8_t *bytes = wave.shared_memory(address_of(wave, i, 0, lane, static_cast<uint32_t>(i.offset)), Bytes,
                                        Access::kWrite, static_cast<int>(lane));
    if (!bytes)
      return;
    std::memcpy(bytes, values, Bytes);
  }
}

// Two places, at offsets that count elements, or 64 of them.
template <unsigned Bytes, unsigned Stride> void load_two(AmdWave &wave, const Instruction &i) {
  constexpr unsigned kRegisters = Bytes / 4;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    uint32_t values[2][kRegisters];
    for (unsigned n = 0; n < 2; ++n) {
      const auto offset = static_cast<uint32_t>(n == 0 ? i.offset0 : i.offset1) * Bytes * Stride;
      const uint8_t *bytes =
          wave.shared_memory(address_of(wave, i, 1, lane, offset), Bytes, Access::kRead, static_cast<int>(lane));
      if (!bytes)
        return;
      std::memcpy(values[n], bytes, Bytes);
    }
    for (unsigned n = 0; n < 2 * kRegisters; ++n)
      wave.vector(i.operands[0].index + n)[lane] = values[n / kRegisters][n % kRegisters];
  }
}
template <unsigned Bytes, unsigned Stride> void store_two(AmdWave &wave, const Instruction &i) {
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    for (unsigned n = 0; n < 2; ++n) {
      const auto offset = static_cast<uint32_t>(n == 0 ? i.offset0 : i.offset1) * Bytes * Stride;
      const uint64_t value = vector_value(wave, i.operands[n + 1], lane, 0, Bytes);
      wave.tell_value(&value);
      uint8_t *bytes =
          wave.shared_memory(address_of(wave, i, 0, lane, offset), Bytes, Access::kWrite, static_cast<int>(lane));
      if (!bytes)
        return;
      std::memcpy(bytes, &value, Bytes);
    }
  }
}

template <class T, class Op, bool Returns> void atomic(AmdWave &wave, const Instruction &i) {
  constexpr unsigned kAddress = Returns ? 1 : 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    uint8_t *bytes = wave.shared_memory(address_of(wave, i, kAddress, lane, static_cast<uint32_t>(i.offset)), sizeof(T),
                                        Access::kAtomic, static_cast<int>(lane));
    if (!bytes)
      return;
    const uint64_t value = vector_value(wave, i.operands[kAddress + 1], lane, 0, sizeof(T));
    const uint64_t old = update<T, Op>(bytes, static_cast<BitsOf<T>>(value));
    if (!Returns)
      continue;
    wave.vector(i.operands[0].index)[lane] = static_cast<uint32_t>(old);
    if (sizeof(T) == 8)
      wave.vector(i.operands[0].index + 1u)[lane] = static_cast<uint32_t>(old >> 32);
  }
}
// GFX9 names the expected value first, RDNA 3 the new one.
template <class T, bool Returns, bool NewIsFirst> void compare_swap(AmdWave &wave, const Instruction &i) {
  constexpr unsigned kAddress = Returns ? 1 : 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    const auto first = static_cast<T>(vector_value(wave, i.operands[kAddress + 1], lane, 0, sizeof(T)));
    const auto second = static_cast<T>(vector_value(wave, i.operands[kAddress + 2], lane, 0, sizeof(T)));
    uint8_t *bytes = wave.shared_memory(address_of(wave, i, kAddress, lane, static_cast<uint32_t>(i.offset)), sizeof(T),
                                        Access::kAtomic, static_cast<int>(lane));
    if (!bytes)
      return;
    const uint64_t old =
        NewIsFirst ? compare_and_swap<T>(bytes, second, first) : compare_and_swap<T>(bytes, first, second);
    if (!Returns)
      continue;
    wave.vector(i.operands[0].index)[lane] = static_cast<uint32_t>(old);
    if (sizeof(T) == 8)
      wave.vector(i.operands[0].index + 1u)[lane] = static_cast<uint32_t>(old >> 32);
  }
}

#define ATOMIC(name, type, T, Op)                                                                                      \
  {"ds_" name "_" type, atomic<T, Op, false>}, { "ds_" name "_rtn_" type, atomic<T, Op, true> }
#define BOTH(name, kind, T32, T64, Op) ATOMIC(name, kind "32", T32, Op), ATOMIC(name, kind "64", T64, Op)

const Operation kOperations[] = {
    {"ds_read_u8 ds_load_u8", load_part<uint8_t, LoadForm::kZero>},
    {"ds_read_i8 ds_load_i8", load_part<int8_t, LoadForm::kSign>},
    {"ds_read_u16 ds_load_u16", load_part<uint16_t, LoadForm::kZero>},
    {"ds_read_i16 ds_load_i16", load_part<int16_t, LoadForm::kSign>},
    {"ds_read_u8_d16 ds_load_u8_d16", load_part<uint8_t, LoadForm::kLowHalf>},
    {"ds_read_u8_d16_hi ds_load_u8_d16_hi", load_part<uint8_t, LoadForm::kHighHalf>},
    {"ds_read_i8_d16 ds_load_i8_d16", load_part<int8_t, LoadForm::kLowHalf>},
    {"ds_read_i8_d16_hi ds_load_i8_d16_hi", load_part<int8_t, LoadForm::kHighHalf>},
    {"ds_read_u16_d16 ds_load_u16_d16", load_part<uint16_t, LoadForm::kLowHalf>},
    {"ds_read_u16_d16_hi ds_load_u16_d16_hi", load_part<uint16_t, LoadForm::kHighHalf>},
    {"ds_read_b32 ds_load_b32", load<1>},
    {"ds_read_b64 ds_load_b64", load<2>},
    {"ds_read_b96 ds_load_b96", load<3>},
    {"ds_read_b128 ds_load_b128", load<4>},
    {"ds_write_b8 ds_store_b8", store<1, false>},
    {"ds_write_b8_d16_hi ds_store_b8_d16_hi", store<1, true>},
    {"ds_write_b16 ds_store_b16", store<2, false>},
    {"ds_write_b16_d16_hi ds_store_b16_d16_hi", store<2, true>},
    {"ds_write_b32 ds_store_b32", store<4, false>},
    {"ds_write_b64 ds_store_b64", store<8, false>},
    {"ds_write_b96 ds_store_b96", store<12, false>},
    {"ds_write_b128 ds_store_b128", store<16, false>},
    {"ds_read2_b32 ds_load_2addr_b32", load_two<4, 1>},
    {"ds_read2_b64 ds_load_2addr_b64", load_two<8, 1>},
    {"ds_read2st64_b32 ds_load_2addr_stride64_b32", load_two<4, 64>},
    {"ds_read2st64_b64 ds_load_2addr_stride64_b64", load_two<8, 64>},
    {"ds_write2_b32 ds_store_2addr_b32", store_two<4, 1>},
    {"ds_write2_b64 ds_store_2addr_b64", store_two<8, 1>},
    {"ds_write2st64_b32 ds_store_2addr_stride64_b32", store_two<4, 64>},
    {"ds_write2st64_b64 ds_store_2addr_stride64_b64", store_two<8, 64>},
    BOTH("add", "u", uint32_t, uint64_t, AtomicAdd),
    BOTH("sub", "u", uint32_t, uint64_t, AtomicSub),
    BOTH("inc", "u", uint32_t, uint64_t, AtomicInc),
    BOTH("dec", "u", uint32_t, uint64_t, AtomicDec),
    BOTH("min", "i", int32_t, int64_t, AtomicMin),
    BOTH("max", "i", int32_t, int64_t, AtomicMax),
    BOTH("min", "u", uint32_t, uint64_t, AtomicMin),
    BOTH("max", "u", uint32_t, uint64_t, AtomicMax),
    BOTH("and", "b", uint32_t, uint64_t, AtomicAnd),
    BOTH("or", "b", uint32_t, uint64_t, AtomicOr),
    BOTH("xor", "b", uint32_t, uint64_t, AtomicXor),
    ATOMIC("add", "f32", float, AtomicAdd),
    ATOMIC("add", "f64", double, AtomicAdd),
    {"ds_wrxchg_rtn_b32 ds_storexchg_rtn_b32", atomic<uint32_t, AtomicSwap, true>},
    {"ds_wrxchg_rtn_b64 ds_storexchg_rtn_b64", atomic<uint64_t, AtomicSwap, true>},
    {"ds_cmpst_b32", compare_swap<uint32_t, false, false>},
    {"ds_cmpst_b64", compare_swap<uint64_t, false, false>},
    {"ds_cmpst_rtn_b32", compare_swap<uint32_t, true, false>},
    {"ds_cmpst_rtn_b64", compare_swap<uint64_t, true, false>},
    {"ds_cmpstore_b32", compare_swap<uint32_t, false, true>},
    {"ds_cmpstore_b64", compare_swap<uint64_t, false, true>},
    {"ds_cmpstore_rtn_b32", compare_swap<uint32_t, true, true>},
    {"ds_cmpstore_rtn_b64", compare_swap<uint64_t, true, true>},
};

} // namespace

std::span<const Operation> shared_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
