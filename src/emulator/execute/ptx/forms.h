// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms that instructions have in PTX: modifiers, types and operands (PTX ISA, chapter 9). ptxas refuses all
// others, and so does the executor.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "module.h"

namespace emulator::executor::ptx {

/// A form that an opcode has. The text lives as long as the process.
struct Form {
  std::string_view operands; ///< a letter for each (operands.cpp); no text: PTX has no such form
  std::array<Type, 2> types{};
};

/// Returns the form of an opcode, "add.rn.f32".
Form find_form(std::string_view opcode);
/// Returns whether the operands are those of the form; if not, sets the reason.
bool check_operands(const Form &form, const Module &module, const Instruction &instruction, std::string &reason);
/// The type that an operand has in the form; kNone if it is none of the opcode's types.
Type operand_type(const Form &form, unsigned operand);

/// The needs of an opcode: the first target, sm_NN, and the first version of PTX, 78 for 7.8; 0: all that there are.
struct Needs {
  int target = 0, version = 0;
};
Needs needs_of(std::string_view opcode);
/// Returns the first version of PTX that has a target, "sm_90a"; 0 if none has.
int version_of_target(std::string_view target);

} // namespace emulator::executor::ptx
