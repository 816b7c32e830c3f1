// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See shared.h.

#include "shared.h"

#include <algorithm>
#include <set>

#include "frames.h"

namespace emulator::executor::ptx {

namespace {

// The names of the shared variables that a kernel or what it calls uses.
std::set<std::string> reached_from(const Function &kernel, const std::vector<SharedUse> &uses,
                                   const std::vector<Function *> &with_address) {
  std::set<std::string> names;
  std::set<const Function *> seen = {&kernel};
  for (std::vector<const Function *> left = {&kernel}; !left.empty();) {
    const Function &function = *left.back();
    left.pop_back();
    for (const Instruction &instruction : function.code) {
      const auto note = [&](const Operand &operand) {
        if (operand.kind == Operand::Kind::kShared)
          names.insert(uses[operand.index].variable);
      };
      std::for_each(instruction.operands.begin(), instruction.operands.end(), note);
      std::for_each(instruction.elements.begin(), instruction.elements.end(), note);
    }
    for (const Function *const callee : callees(function, with_address))
      if (seen.insert(callee).second)
        left.push_back(callee);
  }
  return names;
}

} // namespace

void lay_out_shared(Function &kernel, const std::vector<Variable *> &variables, const std::vector<SharedUse> &uses,
                    const std::vector<Function *> &with_address) {
  const std::set<std::string> names = reached_from(kernel, uses, with_address);
  kernel.shared_at.assign(variables.size(), 0);
  uint32_t align_of_dynamic = 1;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Variable &variable = *variables[i];
    if (!names.contains(variable.name))
      continue;
    if (variable.is_extern) {
      align_of_dynamic = std::max(align_of_dynamic, variable.align);
      continue;
    }
    kernel.shared_at[i] = align_up(kernel.shared_bytes, variable.align);
    kernel.shared_bytes = kernel.shared_at[i] + static_cast<uint32_t>(variable.size);
  }
  kernel.dynamic_at = align_up(kernel.shared_bytes, align_of_dynamic);
  for (size_t i = 0; i < variables.size(); ++i)
    if (variables[i]->is_extern)
      kernel.shared_at[i] = kernel.dynamic_at;
}

} // namespace emulator::executor::ptx
