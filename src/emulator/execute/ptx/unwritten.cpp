// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on memory that nobody wrote (../unwritten.h). An instruction is carried out a second time with
// other values if a register of the function, or memory that it reads, has one.

#include <algorithm>

#include "operations.h"
#include "warp.h"

namespace emulator::executor::ptx {

namespace {

// Unpacking mov, loads of vectors, setp with two predicates.
bool are_results(const Instruction &instruction) {
  return instruction.operands[0].kind == Operand::Kind::kNone || instruction.operation->name == "setp";
}
template <class Action> void for_results(const Instruction &instruction, Action action) {
  action(instruction.operands[0]);
  if (are_results(instruction))
    for (const Operand &element : instruction.elements)
      action(element);
}
bool is_access(const Instruction &instruction) {
  const std::string_view name = instruction.operation->name;
  return name == "ld" || name == "ldu" || name == "st" || name == "atom" || name == "red";
}
bool stores(const Instruction &instruction) {
  return instruction.operation->name == "st" || instruction.operation->name == "red";
}

} // namespace

uint64_t Warp::running_code() const {
  const Function &function = *now_.frame->function;
  return function.code_address + static_cast<uint64_t>(at_ - function.code.data());
}

const uint64_t *Warp::other_source(const Operand &operand, unsigned slot) {
  Frame &frame = *now_.frame;
  if (frame.others.empty() || operand.kind != Operand::Kind::kRegister)
    return source(operand, slot);
  std::swap(frame.registers, frame.others);
  const uint64_t *const row = source(operand, slot);
  std::swap(frame.registers, frame.others);
  return row;
}

// The lanes in which an operand has two values.
uint32_t Warp::differing_lanes(const Operand &operand, uint32_t lanes) const {
  const Frame &frame = *now_.frame;
  if (frame.others.empty() || operand.kind != Operand::Kind::kRegister)
    return 0;
  const size_t first = size_t{operand.index} * kLanes;
  uint32_t differing = 0;
  for_lanes(lanes, [&](unsigned lane) {
    differing |= static_cast<uint32_t>(frame.registers[first + lane] != frame.others[first + lane]) << lane;
  });
  return differing;
}

UnwrittenMemory::Origin Warp::origin_of(const Operand &operand) const {
  return differing_lanes(operand, kAllLanes) != 0 ? now_.frame->origins[operand.index] : 0;
}

UnwrittenMemory::Origin Warp::origin_of_sources(const Instruction &instruction) const {
  UnwrittenMemory::Origin origin = 0;
  const auto look = [&](const Operand &operand) { origin = origin ? origin : origin_of(operand); };
  for (unsigned i = stores(instruction) ? 0 : 1; i < instruction.count; ++i)
    look(instruction.operands[i]);
  if (!are_results(instruction) || stores(instruction))
    for (const Operand &element : instruction.elements)
      look(element);
  look(instruction.guard);
  return origin;
}

void Warp::make_others(Frame &frame) {
  frame.others = frame.registers;
  frame.origins.assign(frame.function->registers, 0);
  other_carry_ = carry;
  until_clean_ = kUntilClean;
}

void Warp::set_other(const Operand &operand, unsigned lane, uint64_t other, UnwrittenMemory::Origin origin) {
  Frame &frame = *now_.frame;
  if (operand.kind != Operand::Kind::kRegister)
    return;
  const size_t place = size_t{operand.index} * kLanes + lane;
  const bool differs = frame.registers[place] != other;
  if (frame.others.empty()) {
    if (!differs)
      return;
    make_others(frame);
  }
  frame.others[place] = other;
  if (differs)
    frame.origins[operand.index] = origin;
}

bool Warp::is_written(const Operand &operand, const char *use) {
  if (const uint32_t differing = differing_lanes(operand, active_))
    fail_unwritten(use, now_.frame->origins[operand.index], __builtin_ctz(differing));
  return !has_failed();
}

// Which lanes carry an instruction out must not depend on memory that nobody wrote, unless it only computes registers.
void Warp::look_at_guard(const Instruction &instruction) {
  unsure_ = differing_lanes(instruction.guard, now_.mask);
  if (unsure_ != 0 && !instruction.is_pure)
    if (fail_unwritten(instruction.operation->name == "bra" ? "which way a branch goes" : "what is done",
                       now_.frame->origins[instruction.guard.index], __builtin_ctz(unsure_)))
      unsure_ = 0;
}

void Warp::carry_out(const Instruction &instruction) {
  if (!follows())
    return instruction.handler(*this, instruction);
  if (is_access(instruction))
    return access_twice(instruction);
  if (instruction.is_pure && !now_.frame->others.empty())
    return carry_out_twice(instruction);
  const std::shared_ptr<Frame> frame = now_.frame;
  const uint32_t active = active_;
  instruction.handler(*this, instruction);
  const std::string_view name = instruction.operation->name;
  if (frame->others.empty() || (name != "alloca" && name != "stacksave"))
    return;
  const size_t first = size_t{instruction.operands[0].index} * kLanes;
  for_lanes(active, [&](unsigned lane) { frame->others[first + lane] = frame->registers[first + lane]; });
}

void Warp::carry_out_again(const Instruction &instruction) {
  Frame &frame = *now_.frame;
  const auto swap_values = [&] {
    std::swap(frame.registers, frame.others);
    std::swap(carry, other_carry_);
  };
  swap_values();
  instruction.handler(*this, instruction);
  swap_values();
}

void Warp::access_twice(const Instruction &instruction) {
  Frame &frame = *now_.frame;
  const bool was_clean = frame.others.empty();
  std::vector<std::pair<size_t, std::array<uint64_t, kLanes>>> before; // results, which may be the address
  if (was_clean && !stores(instruction))
    for_results(instruction, [&](const Operand &operand) {
      if (operand.kind != Operand::Kind::kRegister)
        return;
      auto &[first, row] = before.emplace_back(size_t{operand.index} * kLanes, Row{});
      std::copy_n(&frame.registers[first], kLanes, row.begin());
    });
  if (!is_written(instruction.operands[stores(instruction) ? 0 : 1], "an address"))
    return;
  const UnwrittenMemory::Origin of_sources = origin_of_sources(instruction);
  log_.begin();
  instruction.handler(*this, instruction);
  if (has_failed() || (was_clean && !log_.has_met()))
    return log_.end(0);
  if (was_clean) {
    make_others(frame);
    for (const auto &[first, row] : before)
      std::copy(row.begin(), row.end(), &frame.others[first]);
  }
  log_.begin_again();
  carry_out_again(instruction);
  if (!log_.are_same() && fail_unwritten("an address", of_sources))
    return log_.end_without_others();
  const UnwrittenMemory::Origin origin = log_.has_met() ? log_.origin() : of_sources;
  log_.end(origin);
  if (!stores(instruction))
    for_results(instruction, [&](const Operand &operand) {
      if (differing_lanes(operand, active_) != 0)
        frame.origins[operand.index] = origin;
    });
}

// The lanes in which a comparison may have another result than with the other values. A loop of compare-and-swap
// compares words of which it changes a part, and nobody may have written the rest.
uint32_t Warp::doubtful_lanes(const Instruction &comparison) {
  const Operand &one = comparison.operands[1], &two = comparison.operands[2];
  const uint32_t differing = differing_lanes(one, active_) | differing_lanes(two, active_);
  if (differing == 0)
    return 0;
  const uint64_t *const ones = source(one, 1), *const twos = source(two, 2);
  const uint64_t *const other_ones = other_source(one, 3), *const other_twos = other_source(two, 4);
  uint32_t doubtful = 0;
  for_lanes(differing, [&](unsigned lane) {
    const bool is_sure = have_same_unknown(ones[lane], other_ones[lane], twos[lane], other_twos[lane]);
    doubtful |= static_cast<uint32_t>(!is_sure) << lane;
  });
  return doubtful;
}

// A comparison of values of which one depends on memory that nobody wrote might have another result.
void Warp::carry_out_twice(const Instruction &instruction) {
  Frame &frame = *now_.frame;
  const UnwrittenMemory::Origin origin = origin_of_sources(instruction);
  uint32_t compared = 0;
  if (instruction.operation->name == "setp" || instruction.operation->name == "set")
    compared = doubtful_lanes(instruction);
  instruction.handler(*this, instruction);
  carry_out_again(instruction);
  for_results(instruction, [&](const Operand &operand) {
    if (operand.kind != Operand::Kind::kRegister)
      return;
    const size_t first = size_t{operand.index} * kLanes;
    for_lanes(compared | unsure_, [&](unsigned lane) {
      frame.others[first + lane] =
          operand.bits == 1 ? frame.registers[first + lane] == 0 : ~frame.registers[first + lane];
    });
    if (origin != 0)
      frame.origins[operand.index] = origin;
  });
  if (--until_clean_ != 0)
    return;
  until_clean_ = kUntilClean;
  if (frame.registers == frame.others && carry == other_carry_)
    frame.others.clear();
}

} // namespace emulator::executor::ptx
