// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See liveness.h. An instruction reads each register that it names, unless it is known to set it for all lanes that
// come to it.

#include "liveness.h"

namespace emulator::executor::ptx {

namespace {

bool is_load(const Instruction &instruction) { return is_opcode(instruction, "ld") || is_opcode(instruction, "ldu"); }

} // namespace

Liveness::Liveness(const Function &function)
    : function_(function), graph_(function), block_of_(function.code.size()), at_end_(graph_.blocks.size()) {
  std::vector<std::vector<bool>> at_begin(graph_.blocks.size());
  for (uint32_t i = 0; i < graph_.blocks.size(); ++i) {
    at_end_[i].assign(function.registers, false);
    at_begin[i].assign(function.registers, false);
    for (uint32_t place = graph_.blocks[i].begin; place <= graph_.blocks[i].last; ++place)
      block_of_[place] = i;
  }
  std::vector<uint32_t> work;
  for (uint32_t i = 0; i < graph_.blocks.size(); ++i)
    work.push_back(i);
  std::vector<bool> is_queued(graph_.blocks.size(), true);
  while (!work.empty()) {
    const uint32_t number = work.back();
    work.pop_back();
    is_queued[number] = false;
    const BasicBlock &block = graph_.blocks[number];
    for (const uint32_t next : block.next)
      for (uint32_t i = 0; i < function.registers; ++i)
        if (at_begin[next][i])
          at_end_[number][i] = true;
    std::vector<bool> live = before(block.begin);
    if (live == at_begin[number])
      continue;
    at_begin[number] = std::move(live);
    for (const uint32_t previous : block.previous)
      if (!is_queued[previous]) {
        is_queued[previous] = true;
        work.push_back(previous);
      }
  }
}

std::vector<bool> Liveness::before(uint32_t place) const {
  std::vector<bool> live = at_end_[block_of_[place]];
  for (uint32_t at = graph_.blocks[block_of_[place]].last + 1; at-- > place;)
    step(function_.code[at], live);
  return live;
}

void Liveness::step(const Instruction &instruction, std::vector<bool> &live) const {
  const auto set = [&](const Operand &operand, bool is_read) {
    if (operand.kind == Operand::Kind::kRegister)
      live[operand.index] = is_read;
  };
  const bool is_guarded = instruction.guard.kind != Operand::Kind::kNone;
  const bool sets = (instruction.is_pure || is_load(instruction)) && !is_guarded;
  // mov d, {a, b} reads its elements; mov {a, b}, d, ld {a, b} and setp p|q set them.
  const bool sets_elements =
      sets && (instruction.operands[0].kind == Operand::Kind::kNone || !is_opcode(instruction, "mov"));
  if (sets)
    set(instruction.operands[0], false);
  if (sets_elements)
    for (const Operand &one : instruction.elements)
      set(one, false);
  for (unsigned i = sets ? 1 : 0; i < instruction.operands.size(); ++i)
    set(instruction.operands[i], true);
  if (!sets_elements)
    for (const Operand &one : instruction.elements)
      set(one, true);
  for (const Operand &one : instruction.more_elements)
    set(one, true);
  set(instruction.guard, true);
}

} // namespace emulator::executor::ptx
