// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effect of an instruction at a breakpoint on the registers of each lane that is asked for, and the variables where
// a line begins.

#include <cstdio>

#include "wave.h"

namespace emulator::executor::amdgpu {

namespace {

struct Seen {
  std::string name;
  bool is_vector;
  uint16_t index;
  std::vector<uint32_t> before; ///< one for each lane
};

std::string scalar_name(unsigned index) {
  switch (index) {
  case kVcc: return "vcc_lo";
  case kVcc + 1: return "vcc_hi";
  case kExec: return "exec_lo";
  case kExec + 1: return "exec_hi";
  case kM0: return "m0";
  default: return "s" + std::to_string(index);
  }
}

void add(std::vector<Seen> &seen, AmdWave &wave, const Operand &operand) {
  const bool is_vector = operand.kind == OperandKind::kVector;
  if (!is_vector && operand.kind != OperandKind::kScalar)
    return;
  for (uint16_t i = operand.index; i < operand.index + operand.registers; ++i) {
    bool is_new = is_vector || i != kNull;
    for (const Seen &one : seen)
      is_new = is_new && (one.is_vector != is_vector || one.index != i);
    if (!is_new)
      continue;
    const std::string name = !is_vector           ? scalar_name(i)
                             : i >= kAccumulators ? "a" + std::to_string(i - kAccumulators)
                                                  : "v" + std::to_string(i);
    seen.push_back({name, is_vector, i, {}});
    for (unsigned lane = 0; lane < wave.lanes(); ++lane)
      seen.back().before.push_back(is_vector ? wave.vector(i)[lane] : wave.scalar(i));
  }
}

// Returns the value of the register with DWARF's number for AMD's GPUs.
std::optional<uint32_t> register_value(AmdWave &wave, uint32_t number, unsigned lane) {
  if (number >= 32 && number < 96)
    return wave.scalar(number - 32);
  if (number >= 1088 && number < 1088 + 42)
    return wave.scalar(number - 1088 + 64);
  const uint32_t first = wave.lanes() == 64 ? 2560 : 1536;
  if (number >= first && number < first + 256 && wave.has_vector(number - first))
    return wave.vector(number - first)[lane];
  return std::nullopt;
}

std::string variable_text(AmdWave &wave, const SourceVariable &variable, unsigned lane) {
  uint64_t value = variable.constant.value_or(0);
  for (size_t i = 0; i < variable.registers.size(); ++i) {
    const auto part = register_value(wave, variable.registers[i], lane);
    if (!part)
      return {};
    value |= uint64_t{*part} << 32 * i;
  }
  return "  " + variable.name + " = " + register_text(value, 8 * variable.bytes, variable.is_float);
}

} // namespace

bool AmdWave::is_observed() {
  const Breakpoint &breakpoint = *context_.breakpoint;
  bool result = false;
  for (unsigned lane = 0; lane < lanes_ && !result; ++lane)
    result = (exec() >> lane & 1) && breakpoint.is_for(block_.index[0], first_thread + lane);
  return result && (breakpoint.line == 0 || [&] {
           const SourceLine line = context_.code->line_at(pc_);
           return breakpoint.is_at(line.path, line.line);
         }());
}

// Variables are shown when the wave comes to the line.
void AmdWave::observe(const Instruction &instruction) {
  const SourceLine line = context_.code->line_at(pc_);
  const uint64_t active = exec();
  const auto is_for = [&](unsigned lane) {
    return (active >> lane & 1) && context_.breakpoint->is_for(block_.index[0], first_thread + lane);
  };
  std::vector<SourceVariable> variables;
  if (line.line != observed_line_)
    variables = context_.code->variables_at(pc_);
  observed_line_ = line.line;
  for (unsigned lane = 0; lane < lanes_ && !variables.empty(); ++lane) {
    std::string text;
    for (const SourceVariable &one : variables)
      text += is_for(lane) ? variable_text(*this, one, lane) : "";
    if (!text.empty())
      std::fprintf(stderr, "%svariables%s\n",
                   breakpoint_place(line.path, line.line, block_.index[0], first_thread + lane).c_str(), text.c_str());
  }
  std::vector<Seen> seen;
  for (const Instruction *one = &instruction; one; one = one->second.get())
    for (const Operand &operand : one->operands)
      add(seen, *this, operand);
  carry_out(instruction);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!is_for(lane))
      continue;
    std::string text =
        breakpoint_place(line.path, line.line, block_.index[0], first_thread + lane) + instruction.text + " ;";
    for (const Seen &one : seen)
      text += register_change(one.name, register_text(one.before[lane], 32, false),
                              register_text(one.is_vector ? vector(one.index)[lane] : scalar(one.index), 32, false));
    std::fprintf(stderr, "%s\n", text.c_str());
  }
}

} // namespace emulator::executor::amdgpu
