// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomic operations by flat, global, scratch and buffer instructions. Buffers are private memory only:
// the descriptor must be the one that the kernel began with, moved to the wave.

#include "access.h"
#include "operations.h"

namespace emulator::executor::amdgpu {

namespace {

enum class Space { kFlat, kGlobal, kScratch, kBuffer };

/// Where the operands of an instruction are.
struct Places {
  unsigned address, data, scalar;
};

// The first operand is the destination of a load.
template <Space S> constexpr Places places_of(bool is_load, bool returns) {
  if (S == Space::kBuffer) // data, offset, descriptor, scalar offset
    return {1, 0, 2};
  const unsigned first = is_load || returns ? 1 : 0;
  return {first, first + 1, is_load ? 2 : first + 2};
}

uint64_t offset_of(AmdWave &wave, const Operand &operand, unsigned lane) {
  return operand.kind == OperandKind::kVector ? wave.vector(operand.index)[lane] : 0;
}

// Private memory through a descriptor: offsets of lanes are interleaved, so that a scalar offset counts for all lanes.
uint8_t *locate_in_buffer(AmdWave &wave, const Instruction &i, unsigned lane, uint32_t size, Access kind) {
  const Operand &descriptor = i.operands[2], &scalar = i.operands[3];
  const uint64_t base = wave.scalar64(descriptor.index) & 0xFFFFFFFFFFFF;
  if (descriptor.registers != 4 || base != wave.scratch_base) {
    wave.unsupported("a buffer that is not the private memory of this wave");
    return nullptr;
  }
  const uint32_t moved = wave.scalar_source(scalar);
  if (moved % (4 * wave.lanes()) != 0) {
    wave.unsupported("a scalar offset that is not the same for all lanes");
    return nullptr;
  }
  const uint64_t offset = i.has_offen ? offset_of(wave, i.operands[1], lane) : 0;
  const uint32_t address = static_cast<uint32_t>(offset) + moved / wave.lanes() + static_cast<uint32_t>(i.offset);
  return wave.private_memory(address, size, kind, static_cast<int>(lane));
}

template <Space S>
uint8_t *locate(AmdWave &wave, const Instruction &i, const Places &places, unsigned lane, uint32_t size, Access kind) {
  const int number = static_cast<int>(lane);
  const uint64_t moved = static_cast<uint64_t>(int64_t{i.offset});
  if constexpr (S == Space::kBuffer) {
    return locate_in_buffer(wave, i, lane, size, kind);
  } else if constexpr (S == Space::kScratch) {
    const uint64_t offset =
        offset_of(wave, i.operands[places.address], lane) + wave.scalar_source(i.operands[places.scalar]);
    return wave.private_memory(static_cast<uint32_t>(offset + moved), size, kind, number);
  } else if constexpr (S == Space::kGlobal) {
    const Operand &scalar = i.operands[places.scalar], &vector = i.operands[places.address];
    const uint64_t address = scalar.kind == OperandKind::kScalar && scalar.index != kNull
                                 ? wave.scalar64(scalar.index) + offset_of(wave, vector, lane)
                                 : vector_value(wave, vector, lane, 0, 8);
    return wave.global_memory(address + moved, size, kind, number);
  } else {
    const uint64_t address = vector_value(wave, i.operands[places.address], lane, 0, 8) + moved;
    if (address >> 32 == kPrivateAperture)
      __atomic_store_n(&i.reaches_private, uint8_t{1}, __ATOMIC_RELAXED);
    return wave.flat_memory(address, size, kind, number);
  }
}

bool has_registers(AmdWave &wave, const Operand &operand, unsigned registers) {
  if (operand.kind == OperandKind::kVector && operand.registers == registers)
    return true;
  wave.unsupported("data that are not as wide as the access");
  return false;
}

// Past the first cache: glc for the device, of gfx942 sc1.
Access read_kind(const AmdWave &wave, const Instruction &i) {
  const bool is_strong = i.has_sc1 || (i.has_glc && !wave.context().processor.is_gfx940());
  return is_strong ? Access::kStrongRead : Access::kRead;
}

// Several registers go by pairs, as atomic operations may have 8 bytes.
template <unsigned Registers> void load_values(uint32_t (&values)[Registers], const uint8_t *bytes) {
  for (unsigned n = 0; n + 1 < Registers; n += 2) {
    const auto pair = load_value<uint64_t>(bytes + size_t{4} * n);
    std::memcpy(values + n, &pair, sizeof(pair));
  }
  if constexpr (Registers % 2 == 1)
    values[Registers - 1] = load_value<uint32_t>(bytes + size_t{4} * (Registers - 1));
}
template <unsigned Bytes> void store_values(uint8_t *bytes, const uint32_t *values) {
  for (unsigned n = 0; n + 8 <= Bytes; n += 8)
    store_value(bytes + n, values[n / 4] | uint64_t{values[n / 4 + 1]} << 32);
  if constexpr (Bytes < 8 || Bytes % 8 == 4) {
    using Last = std::conditional_t<Bytes == 1, uint8_t, std::conditional_t<Bytes == 2, uint16_t, uint32_t>>;
    constexpr size_t kPairs = Bytes / 8;
    store_value(bytes + 8 * kPairs, static_cast<Last>(values[2 * kPairs]));
  }
}

template <Space S, class T, LoadForm Form> void load_part(AmdWave &wave, const Instruction &i) {
  const Places places = places_of<S>(true, false);
  if (!has_registers(wave, i.operands[0], 1))
    return;
  for (unsigned lane = 0; lane < wave.lanes() && !wave.has_failed(); ++lane)
    if (wave.exec() >> lane & 1)
      if (const uint8_t *bytes = locate<S>(wave, i, places, lane, sizeof(T), read_kind(wave, i)))
        load_into<T, Form>(wave.vector(i.operands[0].index)[lane], bytes);
}
template <Space S, unsigned Registers> void load(AmdWave &wave, const Instruction &i) {
  const Places places = places_of<S>(true, false);
  if (!has_registers(wave, i.operands[0], Registers))
    return;
  for (unsigned lane = 0; lane < wave.lanes() && !wave.has_failed(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    uint32_t values[Registers];
    if (const uint8_t *bytes = locate<S>(wave, i, places, lane, sizeof(values), read_kind(wave, i)))
      load_values(values, bytes);
    else
      return;
    for (unsigned n = 0; n < Registers; ++n)
      wave.vector(i.operands[0].index + n)[lane] = values[n];
  }
}
// Bytes of less than a register come from its lower or upper half.
template <Space S, unsigned Bytes, bool IsUpper> void store(AmdWave &wave, const Instruction &i) {
  const Places places = places_of<S>(false, false);
  constexpr unsigned kRegisters = Bytes < 4 ? 1 : Bytes / 4;
  const Operand &data = i.operands[places.data];
  if (!has_registers(wave, data, kRegisters))
    return;
  for (unsigned lane = 0; lane < wave.lanes() && !wave.has_failed(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    uint32_t values[kRegisters];
    for (unsigned n = 0; n < kRegisters; ++n)
      values[n] = wave.vector(data.index + n)[lane] >> (IsUpper ? 16 : 0);
    wave.tell_value(values);
    if (uint8_t *bytes = locate<S>(wave, i, places, lane, Bytes, Access::kWrite))
      store_values<Bytes>(bytes, values);
  }
}

template <unsigned Bytes> void return_old(AmdWave &wave, const Instruction &i, unsigned lane, uint64_t old) {
  wave.vector(i.operands[0].index)[lane] = static_cast<uint32_t>(old);
  if (Bytes == 8)
    wave.vector(i.operands[0].index + 1u)[lane] = static_cast<uint32_t>(old >> 32);
}
template <Space S, class T, class Op> void atomic(AmdWave &wave, const Instruction &i) {
  const Places places = places_of<S>(false, i.has_glc);
  const Operand &data = i.operands[places.data];
  if (!has_registers(wave, data, sizeof(T) / 4))
    return;
  for (unsigned lane = 0; lane < wave.lanes() && !wave.has_failed(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    const auto value = static_cast<BitsOf<T>>(vector_value(wave, data, lane, 0, sizeof(T)));
    uint8_t *bytes = locate<S>(wave, i, places, lane, sizeof(T), Access::kAtomic);
    if (!bytes)
      return;
    const uint64_t old = update<T, Op>(bytes, value);
    if (i.has_glc)
      return_old<sizeof(T)>(wave, i, lane, old);
  }
}
// The new value, then the one that is expected.
template <Space S, class T> void compare_swap(AmdWave &wave, const Instruction &i) {
  const Places places = places_of<S>(false, i.has_glc);
  const Operand &data = i.operands[places.data];
  if (!has_registers(wave, data, sizeof(T) / 2))
    return;
  for (unsigned lane = 0; lane < wave.lanes() && !wave.has_failed(); ++lane) {
    if (!(wave.exec() >> lane & 1))
      continue;
    const T value = static_cast<T>(vector_value(wave, data, lane, 0, sizeof(T)));
    const T expected = static_cast<T>(vector_value(wave, data, lane, sizeof(T) / 4, sizeof(T)));
    uint8_t *bytes = locate<S>(wave, i, places, lane, sizeof(T), Access::kAtomic);
    if (!bytes)
      return;
    const uint64_t old = compare_and_swap<T>(bytes, expected, value);
    if (i.has_glc)
      return_old<sizeof(T)>(wave, i, lane, old);
  }
}

#define MOVES(name, S)                                                                                                 \
  {name "_load_ubyte " name "_load_u8", load_part<S, uint8_t, LoadForm::kZero>},                                       \
      {name "_load_sbyte " name "_load_i8", load_part<S, int8_t, LoadForm::kSign>},                                    \
      {name "_load_ushort " name "_load_u16", load_part<S, uint16_t, LoadForm::kZero>},                                \
      {name "_load_sshort " name "_load_i16", load_part<S, int16_t, LoadForm::kSign>},                                 \
      {name "_load_ubyte_d16 " name "_load_d16_u8", load_part<S, uint8_t, LoadForm::kLowHalf>},                        \
      {name "_load_ubyte_d16_hi " name "_load_d16_hi_u8", load_part<S, uint8_t, LoadForm::kHighHalf>},                 \
      {name "_load_sbyte_d16 " name "_load_d16_i8", load_part<S, int8_t, LoadForm::kLowHalf>},                         \
      {name "_load_sbyte_d16_hi " name "_load_d16_hi_i8", load_part<S, int8_t, LoadForm::kHighHalf>},                  \
      {name "_load_short_d16 " name "_load_d16_b16", load_part<S, uint16_t, LoadForm::kLowHalf>},                      \
      {name "_load_short_d16_hi " name "_load_d16_hi_b16", load_part<S, uint16_t, LoadForm::kHighHalf>},               \
      {name "_load_dword " name "_load_b32", load<S, 1>}, {name "_load_dwordx2 " name "_load_b64", load<S, 2>},        \
      {name "_load_dwordx3 " name "_load_b96", load<S, 3>}, {name "_load_dwordx4 " name "_load_b128", load<S, 4>},     \
      {name "_store_byte " name "_store_b8", store<S, 1, false>},                                                      \
      {name "_store_byte_d16_hi " name "_store_d16_hi_b8", store<S, 1, true>},                                         \
      {name "_store_short " name "_store_b16", store<S, 2, false>},                                                    \
      {name "_store_short_d16_hi " name "_store_d16_hi_b16", store<S, 2, true>},                                       \
      {name "_store_dword " name "_store_b32", store<S, 4, false>},                                                    \
      {name "_store_dwordx2 " name "_store_b64", store<S, 8, false>},                                                  \
      {name "_store_dwordx3 " name "_store_b96", store<S, 12, false>}, {                                               \
    name "_store_dwordx4 " name "_store_b128", store<S, 16, false>                                                     \
  }

// Names of GFX9 and of RDNA 3, of 32 and of 64 bits.
#define ATOMIC(name, S, old, suffix, now, T, Op) {name "_atomic_" old suffix " " name "_atomic_" now, atomic<S, T, Op>}
#define ATOMICS(name, S)                                                                                               \
  ATOMIC(name, S, "swap", "", "swap_b32", uint32_t, AtomicSwap),                                                       \
      ATOMIC(name, S, "swap", "_x2", "swap_b64", uint64_t, AtomicSwap),                                                \
      ATOMIC(name, S, "add", "", "add_u32", uint32_t, AtomicAdd),                                                      \
      ATOMIC(name, S, "add", "_x2", "add_u64", uint64_t, AtomicAdd),                                                   \
      ATOMIC(name, S, "sub", "", "sub_u32", uint32_t, AtomicSub),                                                      \
      ATOMIC(name, S, "sub", "_x2", "sub_u64", uint64_t, AtomicSub),                                                   \
      ATOMIC(name, S, "smin", "", "min_i32", int32_t, AtomicMin),                                                      \
      ATOMIC(name, S, "smin", "_x2", "min_i64", int64_t, AtomicMin),                                                   \
      ATOMIC(name, S, "umin", "", "min_u32", uint32_t, AtomicMin),                                                     \
      ATOMIC(name, S, "umin", "_x2", "min_u64", uint64_t, AtomicMin),                                                  \
      ATOMIC(name, S, "smax", "", "max_i32", int32_t, AtomicMax),                                                      \
      ATOMIC(name, S, "smax", "_x2", "max_i64", int64_t, AtomicMax),                                                   \
      ATOMIC(name, S, "umax", "", "max_u32", uint32_t, AtomicMax),                                                     \
      ATOMIC(name, S, "umax", "_x2", "max_u64", uint64_t, AtomicMax),                                                  \
      ATOMIC(name, S, "and", "", "and_b32", uint32_t, AtomicAnd),                                                      \
      ATOMIC(name, S, "and", "_x2", "and_b64", uint64_t, AtomicAnd),                                                   \
      ATOMIC(name, S, "or", "", "or_b32", uint32_t, AtomicOr),                                                         \
      ATOMIC(name, S, "or", "_x2", "or_b64", uint64_t, AtomicOr),                                                      \
      ATOMIC(name, S, "xor", "", "xor_b32", uint32_t, AtomicXor),                                                      \
      ATOMIC(name, S, "xor", "_x2", "xor_b64", uint64_t, AtomicXor),                                                   \
      ATOMIC(name, S, "inc", "", "inc_u32", uint32_t, AtomicInc),                                                      \
      ATOMIC(name, S, "inc", "_x2", "inc_u64", uint64_t, AtomicInc),                                                   \
      ATOMIC(name, S, "dec", "", "dec_u32", uint32_t, AtomicDec),                                                      \
      ATOMIC(name, S, "dec", "_x2", "dec_u64", uint64_t, AtomicDec),                                                   \
      {name "_atomic_add_f32", atomic<S, float, AtomicAdd>}, {name "_atomic_add_f64", atomic<S, double, AtomicAdd>},   \
      {name "_atomic_cmpswap " name "_atomic_cmpswap_b32", compare_swap<S, uint32_t>}, {                               \
    name "_atomic_cmpswap_x2 " name "_atomic_cmpswap_b64", compare_swap<S, uint64_t>                                   \
  }

const Operation kOperations[] = {
    MOVES("flat", Space::kFlat),     MOVES("global", Space::kGlobal), MOVES("scratch", Space::kScratch),
    MOVES("buffer", Space::kBuffer), ATOMICS("flat", Space::kFlat),   ATOMICS("global", Space::kGlobal),
};

} // namespace

std::span<const Operation> memory_operations() { return kOperations; }

} // namespace emulator::executor::amdgpu
