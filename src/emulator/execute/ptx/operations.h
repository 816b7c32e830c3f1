// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of instructions (PTX ISA, chapter 9). An opcode is found by what is before its first dot; its binder
// reads the rest and chooses the handler. Unknown instructions are refused, never ignored.
#pragma once

#include <span>

#include "module.h"

namespace emulator::executor::ptx {

/// Instruction::variant of barriers: what they compute; bar.warp.sync: lanes may be at several.
enum BarrierVariant : uint32_t { kPlain, kArrives, kAnyPlace, kReducesCount, kReducesAnd, kReducesOr };

/// The words of an opcode, "add", "rn", "f32"; binders take those that they know.
class Opcode {
public:
  explicit Opcode(std::string_view text);
  std::string_view name() const { return words_[0]; }
  bool take(std::string_view word);
  /// Takes any of these, if they are there.
  void ignore(std::initializer_list<std::string_view> words);
  /// The first word that is a type.
  std::optional<Type> take_type();
  std::optional<Space> take_space();
  /// Returns the words that no one has taken; empty if all were.
  std::string rest() const;
  const std::vector<std::string_view> &words() const { return words_; }

private:
  std::vector<std::string_view> words_;
  std::vector<bool> taken_;
};

/// Chooses the handler; null if it is not one of those that exist.
using Binder = Handler (*)(Opcode &, Instruction &);

struct Operation {
  std::string_view name;
  Binder bind;
};

/// Fills handler, types, space and the like of an instruction; false, and the reason, if there is no such.
bool bind_operation(std::string_view opcode, Instruction &instruction, std::string &reason);

std::span<const Operation> integer_operations();
std::span<const Operation> float_operations();
std::span<const Operation> half_operations();
std::span<const Operation> compare_operations();
std::span<const Operation> convert_operations();
std::span<const Operation> memory_operations();
std::span<const Operation> control_operations();
std::span<const Operation> warp_operations();

} // namespace emulator::executor::ptx
