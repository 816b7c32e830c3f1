// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers that an instruction touches, by the names in its text.

#include <algorithm>

#include "instruction.h"

namespace emulator::executor::amdgpu {

RegisterCounts find_touched(const Instruction &instruction) {
  RegisterCounts touched;
  const auto raise = [](uint16_t &count, const Operand &operand, uint16_t first) {
    count = std::max(count, static_cast<uint16_t>(operand.index + operand.registers - first));
  };
  for (unsigned i = 0; i < instruction.count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.kind == OperandKind::kVector)
      operand.index < kAccumulators ? raise(touched.vectors, operand, 0)
                                    : raise(touched.accumulators, operand, kAccumulators);
    else if (operand.kind == OperandKind::kScalar && operand.index < kVcc)
      raise(touched.scalars, operand, 0);
  }
  if (instruction.second) {
    const RegisterCounts other = find_touched(*instruction.second);
    touched.vectors = std::max(touched.vectors, other.vectors);
    touched.scalars = std::max(touched.scalars, other.scalars);
  }
  return touched;
}

} // namespace emulator::executor::amdgpu
