// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores, atomics, fences (PTX ISA 9.7.9, 9.7.13). Orders and scopes count where memory is weak.

#include <algorithm>

#include "../half.h"
#include "access_lanes.h"
#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

uint64_t load_bytes(const uint8_t *bytes, unsigned size) {
  switch (size) {
  case 1: return load_value<uint8_t>(bytes);
  case 2: return load_value<uint16_t>(bytes);
  case 4: return load_value<uint32_t>(bytes);
  default: return load_value<uint64_t>(bytes);
  }
}
void store_bytes(uint8_t *bytes, uint64_t value, unsigned size) {
  switch (size) {
  case 1: return store_value(bytes, static_cast<uint8_t>(value));
  case 2: return store_value(bytes, static_cast<uint16_t>(value));
  case 4: return store_value(bytes, static_cast<uint32_t>(value));
  default: store_value(bytes, value);
  }
}

void add_offset(Row &addresses, const uint64_t *base, const Instruction &instruction) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    addresses[lane] = base[lane] + static_cast<uint64_t>(instruction.offset);
}

void load(Warp &warp, const Instruction &instruction) {
  Row addresses; // the result may lie over it
  add_offset(addresses, warp.source(instruction.operands[1], 1), instruction);
  uint64_t *results[4];
  for (unsigned i = 0; i < instruction.width; ++i)
    results[i] = warp.destination(instruction.width == 1 ? instruction.operands[0] : instruction.elements[i]);
  load_lanes(warp, instruction, addresses.data(), results);
}

void store(Warp &warp, const Instruction &instruction) {
  Row addresses;
  add_offset(addresses, warp.source(instruction.operands[0], 0), instruction);
  const uint64_t *values[4];
  for (unsigned i = 0; i < instruction.width; ++i)
    values[i] = warp.source(instruction.width == 1 ? instruction.operands[1] : instruction.elements[i], 1 + i);
  store_lanes(warp, instruction, addresses.data(), values);
}

} // namespace

void load_lanes(Warp &warp, const Instruction &instruction, const uint64_t *addresses, uint64_t *const *results) {
  const unsigned size = size_of(instruction.type), whole = size * instruction.width;
  const bool extends = is_signed(instruction.type);
  const unsigned bits = instruction.width == 1 ? instruction.operands[0].bits : instruction.elements[0].bits;
  const auto access = static_cast<Access>(instruction.variant);
  const auto base = warp.reach_together(instruction.space, addresses, whole, access);
  for_lanes(warp.active(), [&](unsigned lane) {
    if (warp.has_failed())
      return;
    const uint8_t *const bytes = base ? reinterpret_cast<const uint8_t *>(*base + addresses[lane])
                                      : warp.reach(instruction.space, addresses[lane], whole, access, lane);
    if (!bytes)
      return;
    for (unsigned i = 0; i < instruction.width; ++i) {
      uint64_t value = load_bytes(bytes + size_t{i} * size, size);
      if (extends && size < 8) {
        const unsigned shift = 64 - 8 * size;
        value =
            static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift) & mask_of(std::max(bits, 8 * size));
      }
      results[i][lane] = value;
    }
  });
  warp.acquire_stores(instruction.acquires);
}

void store_lanes(Warp &warp, const Instruction &instruction, const uint64_t *addresses, const uint64_t *const *values) {
  const unsigned size = size_of(instruction.type), whole = size * instruction.width;
  warp.release_stores(instruction.releases);
  const auto base = warp.reach_together(instruction.space, addresses, whole, Access::kWrite);
  for_lanes(warp.active(), [&](unsigned lane) {
    if (warp.has_failed())
      return;
    uint8_t value[4 * sizeof(uint64_t)];
    for (unsigned i = 0; i < instruction.width; ++i)
      std::memcpy(value + size_t{i} * size, &values[i][lane], sizeof(uint64_t));
    warp.tell_value(value);
    uint8_t *const bytes = base ? reinterpret_cast<uint8_t *>(*base + addresses[lane])
                                : warp.reach(instruction.space, addresses[lane], whole, Access::kWrite, lane);
    for (unsigned i = 0; bytes && i < instruction.width; ++i)
      store_bytes(bytes + size_t{i} * size, values[i][lane], size);
  });
}

namespace {

// Without a scope it is the device.
Scope take_scope(Opcode &opcode) {
  if (opcode.take("sys"))
    return Scope::kSystem;
  if (opcode.take("cta"))
    return Scope::kTeam;
  opcode.ignore({"cluster", "gpu", "gl"});
  return Scope::kDevice;
}

// Volatile accesses are relaxed ones; what goes past the first cache is taken for such, too.
void take_order(Opcode &opcode, Instruction &instruction) {
  opcode.ignore({"mmio"}); // is relaxed
  const bool is_relaxed = opcode.take("volatile") || opcode.take("relaxed");
  const bool is_both = opcode.take("acq_rel") || opcode.take("seq_cst");
  const bool acquires = opcode.take("acquire") || is_both, releases = opcode.take("release") || is_both;
  const Scope scope = take_scope(opcode);
  if (acquires)
    instruction.acquires = scope;
  if (releases)
    instruction.releases = scope;
  instruction.is_strong = is_relaxed || acquires || releases;
  instruction.is_polling = instruction.is_strong && opcode.name() != "st";
  const bool is_uncached = opcode.take("cg") || opcode.take("cv");
  instruction.variant = static_cast<uint32_t>(is_relaxed || acquires || is_uncached ? Access::kStrongRead
                                              : opcode.take("nc")                   ? Access::kFixedRead
                                                                                    : Access::kRead);
  opcode.ignore({"weak", "ca", "cs", "lu", "wb", "wt", "L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
                 "L1::evict_last", "L1::no_allocate", "L2::64B", "L2::128B", "L2::256B", "ptr"});
}

template <Handler handler> Handler bind_access(Opcode &opcode, Instruction &instruction) {
  take_order(opcode, instruction);
  instruction.space = opcode.take_space().value_or(Space::kGeneric);
  instruction.width = opcode.take("v2") ? 2 : opcode.take("v4") ? 4 : 1;
  instruction.type = opcode.take_type().value_or(Type::kNone);
  return instruction.type == Type::kNone || instruction.type == Type::kPred ? nullptr : handler;
}

Handler bind_ldu(Opcode &opcode, Instruction &instruction) { return bind_access<load>(opcode, instruction); }

// ---- Atomics

struct Exchange {
  template <class T> static T apply(T, T b) { return b; }
};
struct Add {
  template <class T> static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(uint64_t(a) + uint64_t(b));
    else
      return a + b;
  }
};
struct Min {
  template <class T> static T apply(T a, T b) { return std::min(a, b); }
};
struct Max {
  template <class T> static T apply(T a, T b) { return std::max(a, b); }
};
struct And {
  template <class T> static T apply(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static T apply(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static T apply(T a, T b) { return a ^ b; }
};
struct Inc {
  template <class T> static T apply(T a, T b) { return a >= b ? T{0} : a + 1; }
};
struct Dec {
  template <class T> static T apply(T a, T b) { return a == 0 || a > b ? b : a - 1; }
};

// Bits of the old value; the host may change the same memory.
template <class Bits, class F> uint64_t exchange(uint8_t *bytes, F &&compute) {
  Bits *const place = reinterpret_cast<Bits *>(bytes);
  Bits old = __atomic_load_n(place, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(place, &old, static_cast<Bits>(compute(old)), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return old;
}
template <unsigned size>
using BitsOf = std::conditional_t<size == 2, uint16_t, std::conditional_t<size == 4, uint32_t, uint64_t>>;

// Operand 0 is the result, if the instruction gives one; variant: whether it does.
template <class T, class F, bool compares> void modify(Warp &warp, const Instruction &instruction) {
  using Bits = BitsOf<sizeof(T)>;
  const unsigned first = instruction.variant;
  Row addresses, values, others{};
  const auto copy = [&](unsigned at, Row &row) {
    const uint64_t *const from = warp.source(instruction.operands[at], at);
    std::copy(from, from + kLanes, row.begin());
  };
  copy(first, addresses);
  copy(first + 1, values);
  if (compares)
    copy(first + 2, others);
  warp.release_stores(instruction.releases);
  uint64_t *const result = first ? warp.destination(instruction.operands[0]) : nullptr;
  for_lanes(warp.active(), [&](unsigned lane) {
    if (warp.has_failed())
      return;
    const uint64_t address = addresses[lane] + static_cast<uint64_t>(instruction.offset);
    uint8_t *const bytes = warp.reach(instruction.space, address, sizeof(T), Access::kAtomic, lane);
    if (!bytes)
      return;
    const uint64_t old = exchange<Bits>(bytes, [&](Bits bits) -> uint64_t {
      if constexpr (compares)
        return bits == static_cast<Bits>(values[lane]) ? others[lane] : bits;
      else
        return put(F::apply(get<T>(bits), get<T>(values[lane])));
    });
    if (result)
      result[lane] = old;
  });
  warp.acquire_stores(instruction.acquires);
}

// One or two floats of 16 bits, in memory as in registers.
template <class Format, class Bits> struct Halves {
  Bits bits;
  friend Halves operator+(Halves a, Halves b) {
    Bits sum = 0;
    for (unsigned at = 0; at < 8 * sizeof(Bits); at += 16) {
      const uint16_t one = Format::narrow(Format::widen(static_cast<uint16_t>(a.bits >> at)) +
                                          Format::widen(static_cast<uint16_t>(b.bits >> at)));
      sum = static_cast<Bits>(sum | Bits{one == Format::kNan ? uint16_t{0x7FFF} : one} << at);
    }
    return {sum};
  }
};

template <class F, class... Ts> Handler choose(Type type) {
  Handler found = nullptr;
  const auto look = [&]<class T>(T) {
    const bool fits = size_of(type) == sizeof(T) && std::is_floating_point_v<T> == is_float(type) &&
                      (is_float(type) || std::is_signed_v<T> == is_signed(type));
    if (fits)
      found = modify<T, F, false>;
  };
  (look(Ts{}), ...);
  return found;
}

Handler find_atomic(Opcode &opcode, Type type) {
  if (opcode.take("cas"))
    return size_of(type) == 4   ? modify<uint32_t, Exchange, true>
           : size_of(type) == 8 ? modify<uint64_t, Exchange, true>
           : size_of(type) == 2 ? modify<uint16_t, Exchange, true>
                                : nullptr;
  if (opcode.take("exch"))
    return size_of(type) == 4   ? modify<uint32_t, Exchange, false>
           : size_of(type) == 8 ? modify<uint64_t, Exchange, false>
                                : nullptr;
  if (is_half(type) && opcode.take("add"))
    return type == Type::kF16     ? modify<Halves<Half, uint16_t>, Add, false>
           : type == Type::kBf16  ? modify<Halves<BFloat, uint16_t>, Add, false>
           : type == Type::kF16x2 ? modify<Halves<Half, uint32_t>, Add, false>
                                  : modify<Halves<BFloat, uint32_t>, Add, false>;
  if (opcode.take("add"))
    return choose<Add, uint32_t, int32_t, uint64_t, int64_t, float, double>(type);
  if (opcode.take("min"))
    return choose<Min, uint32_t, int32_t, uint64_t, int64_t>(type);
  if (opcode.take("max"))
    return choose<Max, uint32_t, int32_t, uint64_t, int64_t>(type);
  if (opcode.take("and"))
    return choose<And, uint32_t, uint64_t>(type);
  if (opcode.take("or"))
    return choose<Or, uint32_t, uint64_t>(type);
  if (opcode.take("xor"))
    return choose<Xor, uint32_t, uint64_t>(type);
  if (opcode.take("inc"))
    return choose<Inc, uint32_t>(type);
  return opcode.take("dec") ? choose<Dec, uint32_t>(type) : nullptr;
}

template <bool gives> Handler bind_atomic(Opcode &opcode, Instruction &instruction) {
  take_order(opcode, instruction);
  instruction.is_polling = true;
  instruction.variant = gives;
  instruction.space = opcode.take_space().value_or(Space::kGeneric);
  opcode.take("noftz");
  instruction.type = opcode.take_type().value_or(Type::kNone);
  return find_atomic(opcode, instruction.type);
}

// Memory of the stack whose size is known when the code runs (PTX ISA 9.7.15).
void take_stack(Warp &warp, const Instruction &instruction) {
  const uint64_t *const sizes = warp.source(instruction.operands[1], 1);
  const uint64_t alignment = instruction.count > 2 ? warp.source(instruction.operands[2], 2)[0] : 8;
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) {
    if (!warp.has_failed())
      result[lane] = warp.take_stack(lane, sizes[lane], static_cast<uint32_t>(std::bit_ceil(alignment | 1)));
  });
}
void save_stack(Warp &warp, const Instruction &instruction) {
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = warp.frame().dynamic[lane]; });
}
void restore_stack(Warp &warp, const Instruction &instruction) {
  const uint64_t *const saved = warp.source(instruction.operands[0], 0);
  for_lanes(warp.active(), [&](unsigned lane) {
    if (saved[lane] > warp.frame().dynamic[lane])
      return warp.fail(FaultKind::kProgram, "stackrestore of a value that stacksave did not return",
                       static_cast<int>(lane));
    warp.frame().dynamic[lane] = static_cast<uint32_t>(saved[lane]);
  });
}
template <auto F> Handler bind_stack(Opcode &opcode, Instruction &) {
  const auto type = opcode.take_type();
  return type == Type::kU64 || type == Type::kU32 ? F : nullptr;
}

void do_nothing(Warp &, const Instruction &) {}
Handler bind_prefetch(Opcode &opcode, Instruction &) {
  opcode.ignore({"global", "local", "L1", "L2", "L2::evict_last", "L2::evict_normal"});
  return do_nothing;
}
void order_stores(Warp &warp, const Instruction &instruction) {
  warp.release_stores(instruction.releases);
  if (std::max(instruction.releases, instruction.acquires) >= Scope::kDevice)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  warp.acquire_stores(instruction.acquires);
  // Warps may meet by counters instead of a barrier. Nothing that was done before is named then.
  if (const auto &uses = warp.block().block().uses; uses && instruction.acquires >= Scope::kTeam)
    uses->forget();
}
Handler bind_fence(Opcode &opcode, Instruction &instruction) {
  const bool acquires = opcode.take("acquire"), releases = opcode.take("release");
  opcode.ignore({"sc", "acq_rel"});
  const Scope scope = take_scope(opcode);
  instruction.releases = acquires ? Scope::kWave : scope;
  instruction.acquires = releases ? Scope::kWave : scope;
  return order_stores;
}

constexpr Operation kOperations[] = {{"ld", bind_access<load>},
                                     {"ldu", bind_ldu},
                                     {"st", bind_access<store>},
                                     {"atom", bind_atomic<true>},
                                     {"red", bind_atomic<false>},
                                     {"prefetch", bind_prefetch},
                                     {"prefetchu", bind_prefetch},
                                     {"membar", bind_fence},
                                     {"fence", bind_fence},
                                     {"alloca", bind_stack<take_stack>},
                                     {"stacksave", bind_stack<save_stack>},
                                     {"stackrestore", bind_stack<restore_stack>}};

} // namespace

std::span<const Operation> memory_operations() { return kOperations; }

} // namespace emulator::executor::ptx
