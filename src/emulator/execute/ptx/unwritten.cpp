// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that depend on memory that nobody wrote (../unwritten.h). An instruction that computes registers from
// registers is carried out a second time with the other values, if a register of the function has one.

#include <algorithm>
#include <cstring>

#include "operations.h"
#include "warp.h"

namespace emulator::executor::ptx {

namespace {

// After so many instructions it is looked whether any register still has two values.
constexpr uint32_t kUntilClean = 1024;

bool is_unpacking(const Instruction &instruction) { return instruction.operands[0].kind == Operand::Kind::kNone; }

// Arithmetic on floats and comparisons may hide a difference: by no numbers, by an order that happens to be the same.
bool hides_differences(const Instruction &instruction) {
  return is_float(instruction.type) || instruction.operands[0].bits == 1;
}

bool is_logic(const Instruction &instruction) {
  const std::string_view name = instruction.operation->name;
  return name == "and" || name == "or" || name == "xor" || name == "not" || name == "mov" || name == "selp";
}

} // namespace

uint64_t Warp::next_code() const {
  const Function &function = *now_.frame->function;
  return function.code_address + static_cast<uint64_t>(at_ - function.code.data());
}

void Warp::fail_unwritten(const char *use, int lane, UnwrittenMemory::Origin origin) {
  fail(FaultKind::kMemory, std::string(use) + " depends on memory that nobody wrote", lane);
  fault->other_code = origin;
  fault->other_text = "that memory is read";
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

UnwrittenMemory::Origin Warp::origin_of(const Operand &operand) const {
  const Frame &frame = *now_.frame;
  if (frame.others.empty() || operand.kind != Operand::Kind::kRegister)
    return 0;
  const size_t first = size_t{operand.index} * kLanes;
  const bool is_same = std::equal(&frame.others[first], &frame.others[first] + kLanes, &frame.registers[first]);
  return is_same ? 0 : frame.origins[operand.index];
}

void Warp::set_other(const Operand &operand, unsigned lane, uint64_t other, UnwrittenMemory::Origin origin) {
  if (operand.kind != Operand::Kind::kRegister)
    return;
  Frame &frame = *now_.frame;
  const size_t place = size_t{operand.index} * kLanes + lane;
  const bool differs = frame.registers[place] != other;
  if (frame.others.empty() && !differs)
    return;
  if (frame.others.empty()) {
    frame.others = frame.registers;
    frame.origins.assign(frame.function->registers, 0);
    other_carry_ = carry;
    until_clean_ = kUntilClean;
  }
  frame.others[place] = other;
  if (differs)
    frame.origins[operand.index] = origin ? origin : next_code();
}

bool Warp::is_written(const Operand &operand, unsigned slot, const char *use) {
  if (now_.frame->others.empty() || operand.kind != Operand::Kind::kRegister)
    return true;
  const uint64_t *const other = other_source(operand, slot), *const row = source(operand, slot);
  for_lanes(active_, [&](unsigned lane) {
    if (!has_failed() && row[lane] != other[lane])
      fail_unwritten(use, static_cast<int>(lane), now_.frame->origins[operand.index]);
  });
  return !has_failed();
}

bool Warp::differences_of(const uint8_t *bytes, size_t size, uint8_t *differences,
                          UnwrittenMemory::Origin &origin) const {
  if (!launch_.unwritten->read(bytes, size, differences, origin))
    return false;
  origin = origin ? origin : next_code();
  return true;
}

void Warp::set_differences(uint8_t *bytes, size_t size, const uint8_t *differences, UnwrittenMemory::Origin origin) {
  launch_.unwritten->write(bytes, size, differences, origin);
}

// Which lanes carry an instruction out must not depend on memory that nobody wrote, unless it only computes registers.
void Warp::look_at_guard(const Instruction &instruction) {
  const Frame &frame = *now_.frame;
  const size_t first = size_t{instruction.guard.index} * kLanes;
  unsure_ = 0;
  for_lanes(now_.mask, [&](unsigned lane) {
    if ((frame.registers[first + lane] != 0) != (frame.others[first + lane] != 0))
      unsure_ |= 1u << lane;
  });
  if (unsure_ != 0 && !instruction.is_pure)
    fail_unwritten(instruction.operation->name == "bra" ? "which way a branch goes" : "what is done",
                   __builtin_ctz(unsure_), frame.origins[instruction.guard.index]);
}

void Warp::carry_out(const Instruction &instruction) {
  if (!launch_.unwritten)
    return instruction.handler(*this, instruction);
  if (instruction.is_pure && !now_.frame->others.empty())
    return carry_out_twice(instruction);
  const std::shared_ptr<Frame> frame = now_.frame;
  const uint32_t active = active_;
  instruction.handler(*this, instruction);
  const std::string_view name = instruction.operation->name;
  if (frame->others.empty() || instruction.operands[0].kind != Operand::Kind::kRegister ||
      (name != "alloca" && name != "stacksave"))
    return;
  const size_t first = size_t{instruction.operands[0].index} * kLanes;
  for_lanes(active, [&](unsigned lane) { frame->others[first + lane] = frame->registers[first + lane]; });
}

void Warp::carry_out_twice(const Instruction &instruction) {
  Frame &frame = *now_.frame;
  UnwrittenMemory::Origin origin = 0;
  uint32_t differing = 0; // lanes
  const auto look = [&](const Operand &operand) {
    if (operand.kind != Operand::Kind::kRegister)
      return;
    const size_t first = size_t{operand.index} * kLanes;
    uint32_t lanes = 0;
    for_lanes(active_ | unsure_, [&](unsigned lane) {
      lanes |= static_cast<uint32_t>(frame.registers[first + lane] != frame.others[first + lane]) << lane;
    });
    if (lanes != 0 && origin == 0)
      origin = frame.origins[operand.index];
    differing |= lanes;
  };
  const bool unpacks = is_unpacking(instruction);
  for (unsigned i = 1; i < instruction.count; ++i)
    look(instruction.operands[i]);
  if (!unpacks)
    for (const Operand &element : instruction.elements)
      look(element);
  if (unsure_ != 0)
    look(instruction.guard);
  instruction.handler(*this, instruction);
  if (has_failed())
    return;
  const auto swap_values = [&] {
    std::swap(frame.registers, frame.others);
    std::swap(carry, other_carry_);
  };
  swap_values();
  instruction.handler(*this, instruction);
  swap_values();
  const auto note = [&](const Operand &operand) {
    if (operand.kind != Operand::Kind::kRegister)
      return;
    const size_t first = size_t{operand.index} * kLanes;
    if (hides_differences(instruction) && !is_logic(instruction))
      for_lanes(active_ & differing, [&](unsigned lane) {
        if (frame.others[first + lane] == frame.registers[first + lane])
          frame.others[first + lane] =
              operand.bits == 1 ? frame.registers[first + lane] == 0 : frame.registers[first + lane] ^ 1;
      });
    for_lanes(unsure_, [&](unsigned lane) {
      frame.others[first + lane] =
          operand.bits == 1 ? frame.registers[first + lane] == 0 : ~frame.registers[first + lane];
    });
    if (origin != 0)
      frame.origins[operand.index] = origin;
  };
  note(instruction.operands[0]);
  if (unpacks || instruction.operation->name == "setp")
    for (const Operand &element : instruction.elements)
      note(element);
  if (--until_clean_ == 0) {
    until_clean_ = kUntilClean;
    if (frame.registers == frame.others && carry == other_carry_)
      frame.others.clear();
  }
}

} // namespace emulator::executor::ptx
