// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges between lanes of a warp (PTX ISA 9.7.9.6, 9.7.13): shuffles, votes, matches, reductions, bar.warp.sync. The
// lanes that the mask names and that exist take part; each waits for all.

#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

enum ShuffleMode : uint32_t { kUp = 16, kDown, kButterfly, kIndex };

// Which lane a lane takes its value from, and whether that is within its part of the warp.
unsigned shuffle_from(uint32_t mode, unsigned lane, uint32_t b, uint32_t c, bool &is_within) {
  const unsigned segments = c >> 8 & 31, clamp = c & 31, by = b & 31;
  const unsigned last = (lane & segments) | (clamp & ~segments & 31), first = lane & segments;
  unsigned from = lane;
  switch (mode) {
  case kUp:
    from = lane - by;
    is_within = static_cast<int>(from) >= static_cast<int>(last);
    break;
  case kDown:
    from = lane + by;
    is_within = from <= last;
    break;
  case kButterfly:
    from = lane ^ by;
    is_within = from <= last;
    break;
  default:
    from = first | (by & ~segments & 31);
    is_within = from <= last;
    break;
  }
  return is_within ? from : lane;
}

constexpr uint32_t kNoLanes = 0;
using Rows = std::array<Row, 3>;    ///< operands 1 to 3
using Results = std::array<Row, 2>; ///< operand 0, and the element behind it

// All lanes are there. compute(rows, results, is_other): from the values, and if some depend on memory that nobody
// wrote, from the other ones, with the results of the first. absent: lanes that then have a value which no lane gave.
template <class Compute>
void exchange(Warp &warp, const Instruction &instruction, unsigned count, Compute compute,
              const uint32_t &absent = kNoLanes) {
  Rows rows{}, others{};
  Results results{};
  UnwrittenMemory::Origin origin = 0;
  for (unsigned i = 0; i < count; ++i) {
    rows[i] = warp.collect(instruction.operands[i + 1]);
    if (warp.follows())
      others[i] = warp.collect_others(instruction.operands[i + 1], origin);
  }
  compute(rows, results, false);
  Results other_results = results;
  if (warp.follows() && others != rows)
    compute(others, other_results, true);
  if (absent != 0)
    origin = warp.absent_origin();
  for_lanes(absent, [&](unsigned lane) { other_results[0][lane] = ~results[0][lane] & 0xFFFFFFFF; });
  const auto give = [&](const Operand &operand, unsigned i) {
    warp.deliver(operand, results[i]);
    if (warp.follows())
      warp.deliver_others(operand, other_results[i], origin);
  };
  give(instruction.operands[0], 0);
  if (!instruction.elements.empty())
    give(instruction.elements[0], 1);
  warp.dismiss();
}

void shuffle(Warp &warp, const Instruction &instruction) {
  if (!warp.assemble(instruction, instruction.operands[4]))
    return;
  uint32_t absent = 0;
  const auto compute = [&](const Rows &rows, Results &results, bool is_other) {
    const auto &[a, b, c] = rows;
    auto &[result, within] = results;
    for_lanes(warp.members(), [&](unsigned lane) {
      bool is_within = false;
      const unsigned from = shuffle_from(instruction.variant, lane, static_cast<uint32_t>(b[lane]),
                                         static_cast<uint32_t>(c[lane]), is_within);
      within[lane] = is_within;
      const bool is_there = warp.members() >> from & 1;
      if (!is_there && is_other)
        return;
      result[lane] = is_there ? a[from] & 0xFFFFFFFF : warp.random().next() & 0xFFFFFFFF;
      if (!is_there && warp.launch().schedule.refuses_absent)
        absent |= 1u << lane;
    });
  };
  exchange(warp, instruction, 3, compute, absent);
}
Handler bind_shfl(Opcode &opcode, Instruction &instruction) {
  if (!opcode.take("sync"))
    return nullptr;
  instruction.variant = opcode.take("up")     ? kUp
                        : opcode.take("down") ? kDown
                        : opcode.take("bfly") ? kButterfly
                                              : kIndex;
  if (instruction.variant == kIndex && !opcode.take("idx"))
    return nullptr;
  return opcode.take_type() == Type::kB32 ? shuffle : nullptr;
}

enum VoteMode : uint32_t { kAll = 16, kAny, kUniform, kBallot };

Row count_votes(uint32_t mode, uint32_t members, const Row &votes) {
  uint32_t ballot = 0;
  for_lanes(members, [&](unsigned lane) { ballot |= static_cast<uint32_t>(votes[lane] != 0) << lane; });
  Row result;
  result.fill(mode == kBallot ? ballot
              : mode == kAll  ? ballot == members
              : mode == kAny  ? ballot != 0
                              : ballot == 0 || ballot == members);
  return result;
}

void vote(Warp &warp, const Instruction &instruction) {
  if (!warp.assemble(instruction, instruction.operands[2]))
    return;
  exchange(warp, instruction, 1, [&](const Rows &rows, Results &results, bool) {
    results[0] = count_votes(instruction.variant, warp.members(), rows[0]);
  });
}
// Counts the votes of lanes that are there.
void vote_now(Warp &warp, const Instruction &instruction) {
  Row votes;
  const uint64_t *const given = warp.source(instruction.operands[1], 1);
  std::copy(given, given + kLanes, votes.begin());
  const Row counted = count_votes(instruction.variant, warp.active(), votes);
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = counted[lane]; });
}
Handler bind_vote(Opcode &opcode, Instruction &instruction) {
  const bool waits = opcode.take("sync");
  instruction.variant = opcode.take("ballot") ? kBallot
                        : opcode.take("all")  ? kAll
                        : opcode.take("any")  ? kAny
                                              : kUniform;
  if (instruction.variant == kUniform && !opcode.take("uni"))
    return nullptr;
  const auto type = opcode.take_type();
  if (type != (instruction.variant == kBallot ? Type::kB32 : Type::kPred))
    return nullptr;
  instruction.is_pure = !waits;
  return waits ? vote : vote_now;
}

void active_mask(Warp &warp, const Instruction &instruction) {
  uint64_t *const result = warp.destination(instruction.operands[0]);
  for_lanes(warp.active(), [&](unsigned lane) { result[lane] = warp.active(); });
}
Handler bind_active(Opcode &opcode, Instruction &) { return opcode.take_type() == Type::kB32 ? active_mask : nullptr; }

void match(Warp &warp, const Instruction &instruction) {
  if (!warp.assemble(instruction, instruction.operands[2]))
    return;
  const uint64_t mask = instruction.type == Type::kB64 ? ~uint64_t{0} : 0xFFFFFFFF;
  exchange(warp, instruction, 1, [&](const Rows &rows, Results &results, bool) {
    const Row &values = rows[0];
    auto &[same, all] = results;
    same = {};
    for_lanes(warp.members(), [&](unsigned lane) {
      for_lanes(warp.members(), [&](unsigned other) {
        same[lane] |= static_cast<uint64_t>((values[lane] & mask) == (values[other] & mask)) << other;
      });
      all[lane] = same[lane] == warp.members();
      if (instruction.variant == kAll)
        same[lane] = all[lane] ? warp.members() : 0;
    });
  });
}
Handler bind_match(Opcode &opcode, Instruction &instruction) {
  instruction.variant = opcode.take("all") ? kAll : kAny;
  if ((instruction.variant == kAny && !opcode.take("any")) || !opcode.take("sync"))
    return nullptr;
  instruction.type = opcode.take_type().value_or(Type::kNone);
  return instruction.type == Type::kB32 || instruction.type == Type::kB64 ? match : nullptr;
}

enum Reduction : uint32_t { kSum = 16, kLeast, kMost, kAndAll, kOrAll, kXorAll };

uint32_t reduce_two(uint32_t mode, bool is_signed_type, uint32_t a, uint32_t b) {
  const bool is_less = is_signed_type ? static_cast<int32_t>(a) < static_cast<int32_t>(b) : a < b;
  switch (mode) {
  case kSum: return a + b;
  case kLeast: return is_less ? a : b;
  case kMost: return is_less ? b : a;
  case kAndAll: return a & b;
  case kOrAll: return a | b;
  default: return a ^ b;
  }
}
void reduce(Warp &warp, const Instruction &instruction) {
  if (!warp.assemble(instruction, instruction.operands[2]))
    return;
  exchange(warp, instruction, 1, [&](const Rows &rows, Results &results, bool) {
    const Row &values = rows[0];
    const unsigned first = static_cast<unsigned>(__builtin_ctz(warp.members()));
    uint32_t total = static_cast<uint32_t>(values[first]);
    for_lanes(warp.members() & ~(1u << first), [&](unsigned lane) {
      total = reduce_two(instruction.variant, is_signed(instruction.type), total, static_cast<uint32_t>(values[lane]));
    });
    results[0].fill(total);
  });
}
Handler bind_redux(Opcode &opcode, Instruction &instruction) {
  static constexpr std::pair<const char *, uint32_t> kModes[] = {{"add", kSum},    {"min", kLeast}, {"max", kMost},
                                                                 {"and", kAndAll}, {"or", kOrAll},  {"xor", kXorAll}};
  if (!opcode.take("sync"))
    return nullptr;
  for (const auto &[name, mode] : kModes)
    if (opcode.take(name)) {
      instruction.variant = mode;
      instruction.type = opcode.take_type().value_or(Type::kNone);
      return size_of(instruction.type) == 4 && !is_float(instruction.type) ? reduce : nullptr;
    }
  return nullptr;
}

void wait_for_lanes(Warp &warp, const Instruction &instruction) {
  if (warp.assemble(instruction, instruction.operands[0]))
    warp.dismiss();
}
Handler bind_warp_barrier(Opcode &opcode, Instruction &instruction) {
  instruction.variant = kAnyPlace;
  return opcode.take("warp") && opcode.take("sync") ? wait_for_lanes : nullptr;
}

constexpr Operation kOperations[] = {{"shfl", bind_shfl},   {"vote", bind_vote},   {"activemask", bind_active},
                                     {"match", bind_match}, {"redux", bind_redux}, {"bar", bind_warp_barrier}};

} // namespace

std::span<const Operation> warp_operations() { return kOperations; }

} // namespace emulator::executor::ptx
