// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of an instruction at a breakpoint on the registers of each lane that is asked for.

#include <algorithm>
#include <cstdio>

#include "operations.h"
#include "warp.h"

namespace emulator::executor::ptx {

namespace {

struct Seen {
  std::string name;
  uint32_t index;
  unsigned bits;
  bool is_float;
  Row before{};
};

// Registers that the text names, in its order.
void add(std::vector<Seen> &seen, const Function &function, const Operand &operand) {
  if (operand.kind != Operand::Kind::kRegister)
    return;
  for (const Seen &one : seen)
    if (one.index == operand.index)
      return;
  for (const RegisterNames &one : function.names)
    if (operand.index - one.first < std::max(one.count, 1u)) {
      const std::string number = one.count == 0 ? "" : std::to_string(operand.index - one.first);
      seen.push_back({one.name + number, operand.index, operand.bits, one.is_float});
      return;
    }
}

} // namespace

bool Warp::is_observed(const Instruction &instruction) const {
  const Breakpoint &breakpoint = launch_.schedule.breakpoint;
  if (!breakpoint.is_at(launch_.module.file_name(instruction.file), instruction.line))
    return false;
  const uint32_t block = block_.block().index[0];
  bool result = false;
  for_lanes(active_, [&](unsigned lane) { result = result || breakpoint.is_for(block, first_thread + lane); });
  return result;
}

void Warp::observe(const Instruction &instruction) {
  const auto frame = now_.frame;
  const uint32_t active = active_;
  std::vector<Seen> seen;
  for (const Operand &one : instruction.operands)
    add(seen, *frame->function, one);
  for (const auto *more : {&instruction.elements, &instruction.more_elements})
    for (const Operand &one : *more)
      add(seen, *frame->function, one);
  add(seen, *frame->function, instruction.guard);
  for (Seen &one : seen)
    std::copy_n(&frame->registers[size_t{one.index} * kLanes], kLanes, one.before.begin());
  carry_out(instruction);
  if (now_.wait == Fragment::Wait::kLanes) // comes again when the others are there
    return;
  const uint32_t block = block_.block().index[0];
  for_lanes(active, [&](unsigned lane) {
    if (!launch_.schedule.breakpoint.is_for(block, first_thread + lane))
      return;
    std::string text =
        breakpoint_place(launch_.module.file_name(instruction.file), instruction.line, block, first_thread + lane);
    text += std::string(instruction.text) + " ;";
    for (const Seen &one : seen)
      text +=
          register_change(one.name, register_text(one.before[lane], one.bits, one.is_float),
                          register_text(frame->registers[size_t{one.index} * kLanes + lane], one.bits, one.is_float));
    std::fprintf(stderr, "%s\n", text.c_str());
  });
}

} // namespace emulator::executor::ptx
