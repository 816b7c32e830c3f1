// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls, ends, barriers of blocks (PTX ISA 9.7.12, 9.7.13.1).

#include "lanes.h"

namespace emulator::executor::ptx {

namespace {

void branch(Warp &warp, const Instruction &instruction) { warp.branch(instruction.target, instruction.meet); }
Handler bind_bra(Opcode &opcode, Instruction &) {
  opcode.take("uni");
  return branch;
}

void branch_by_index(Warp &warp, const Instruction &instruction) {
  Row index;
  if (!warp.is_written(instruction.operands[0], "which way a branch goes"))
    return;
  const uint64_t *const from = warp.source(instruction.operands[0], 0);
  std::copy(from, from + kLanes, index.begin());
  warp.branch_table(instruction, index.data());
}
Handler bind_brx(Opcode &opcode, Instruction &) {
  opcode.take("uni");
  return opcode.take("idx") ? branch_by_index : nullptr;
}

void call(Warp &warp, const Instruction &instruction) {
  if (warp.is_written(instruction.operands[0], "which function is called"))
    warp.call(instruction);
}
Handler bind_call(Opcode &opcode, Instruction &) {
  opcode.take("uni");
  return call;
}

void leave(Warp &warp, const Instruction &instruction) { warp.branch(kReturn, instruction.meet); }
Handler bind_ret(Opcode &opcode, Instruction &) {
  opcode.take("uni");
  return leave;
}

void exit_now(Warp &warp, const Instruction &) { warp.exit_lanes(); }
Handler bind_exit(Opcode &, Instruction &) { return exit_now; }

void trap(Warp &warp, const Instruction &) {
  warp.fail(FaultKind::kProgram, "trap: the program ends the kernel", __builtin_ctz(warp.active()));
}
Handler bind_trap(Opcode &, Instruction &) { return trap; }

void do_nothing(Warp &, const Instruction &) {}
Handler bind_sleep(Opcode &opcode, Instruction &instruction) {
  instruction.is_polling = true;
  return opcode.take_type() == Type::kU32 ? do_nothing : nullptr;
}
Handler bind_event(Opcode &opcode, Instruction &) {
  opcode.take("mask");
  return do_nothing;
}

// ---- Barriers. Operands: with a reduction the result first; the barrier, then how many threads.

uint32_t uniform(Warp &warp, const Operand &operand) {
  return static_cast<uint32_t>(warp.source(operand, 0)[__builtin_ctz(warp.active())]);
}

void wait(Warp &warp, const Instruction &instruction) {
  const bool reduces = instruction.variant >= kReducesCount;
  const unsigned first = reduces ? 1 : 0, after = instruction.count - (reduces ? 1 : 0);
  uint32_t votes = 0;
  if (reduces) {
    const uint64_t *const predicate = warp.source(instruction.operands[instruction.count - 1], 1);
    for_lanes(warp.active(), [&](unsigned lane) { votes |= static_cast<uint32_t>(predicate[lane] != 0) << lane; });
  }
  const uint32_t barrier = instruction.count > first ? uniform(warp, instruction.operands[first]) : 0;
  const uint32_t threads = after > first + 1 ? uniform(warp, instruction.operands[first + 1]) : 0;
  if (instruction.variant == kArrives) {
    if (!warp.can_wait(instruction, barrier, threads))
      return;
    warp.release_stores(Scope::kTeam);
    warp.block().count_arrival(barrier);
    return warp.block().look_at_barriers();
  }
  warp.wait_at_barrier(instruction, barrier, threads, votes);
}

Handler bind_barrier(Opcode &opcode, Instruction &instruction) {
  opcode.take("cta");
  instruction.is_aligned = opcode.take("aligned") || opcode.name() == "bar";
  if (opcode.take("arrive")) {
    instruction.variant = kArrives;
    return wait;
  }
  if (opcode.take("red")) {
    instruction.variant = opcode.take("popc") ? kReducesCount : opcode.take("and") ? kReducesAnd : kReducesOr;
    if (instruction.variant == kReducesOr)
      opcode.take("or");
    opcode.take_type();
    return wait;
  }
  return opcode.take("sync") ? wait : nullptr;
}

constexpr Operation kOperations[] = {{"bra", bind_bra},     {"brx", bind_brx},         {"call", bind_call},
                                     {"ret", bind_ret},     {"exit", bind_exit},       {"trap", bind_trap},
                                     {"brkpt", bind_trap},  {"nanosleep", bind_sleep}, {"pmevent", bind_event},
                                     {"bar", bind_barrier}, {"barrier", bind_barrier}};

} // namespace

std::span<const Operation> control_operations() { return kOperations; }

} // namespace emulator::executor::ptx
