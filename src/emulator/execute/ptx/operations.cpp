// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See operations.h.

#include "operations.h"

#include <unordered_map>

namespace emulator::executor::ptx {

namespace {

// All that have a name: one for integers, one for floats.
const std::unordered_multimap<std::string_view, const Operation *> &operations() {
  static const auto &all = *[] {
    auto *table = new std::unordered_multimap<std::string_view, const Operation *>;
    for (const auto list : {integer_operations(), float_operations(), half_operations(), compare_operations(),
                            convert_operations(), memory_operations(), control_operations(), warp_operations()})
      for (const Operation &one : list)
        table->emplace(one.name, &one);
    return table;
  }();
  return all;
}

// Such an instruction does nothing but compute registers from registers.
bool is_pure(const Operation &operation) {
  const auto is_in = [&](std::span<const Operation> list) {
    return &operation >= list.data() && &operation < list.data() + list.size();
  };
  return is_in(integer_operations()) || is_in(float_operations()) || is_in(half_operations()) ||
         is_in(compare_operations()) || is_in(convert_operations());
}

} // namespace

Opcode::Opcode(std::string_view text) {
  while (true) {
    const size_t end = text.find('.');
    words_.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      break;
    text.remove_prefix(end + 1);
  }
  taken_.assign(words_.size(), false);
  taken_[0] = true;
}

bool Opcode::take(std::string_view word) {
  for (size_t i = 1; i < words_.size(); ++i)
    if (!taken_[i] && words_[i] == word)
      return taken_[i] = true;
  return false;
}

void Opcode::ignore(std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    take(word);
}

std::optional<Type> Opcode::take_type() {
  for (size_t i = 1; i < words_.size(); ++i)
    if (const auto type = find_type(words_[i]); type && !taken_[i]) {
      taken_[i] = true;
      return type;
    }
  return std::nullopt;
}

std::optional<Space> Opcode::take_space() {
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"global", Space::kGlobal},      {"const", Space::kConst}, {"shared", Space::kShared},
      {"shared::cta", Space::kShared}, {"local", Space::kLocal}, {"param", Space::kParam}};
  for (const auto &[word, space] : kSpaces)
    if (take(word))
      return space;
  return std::nullopt;
}

std::string Opcode::rest() const {
  std::string text;
  for (size_t i = 1; i < words_.size(); ++i)
    if (!taken_[i])
      text += "." + std::string(words_[i]);
  return text;
}

bool bind_operation(std::string_view text, Instruction &instruction, std::string &reason) {
  const auto [first, last] = operations().equal_range(Opcode(text).name());
  reason = first == last ? "the executor has no such instruction" : "the executor has no such form of it";
  for (auto one = first; one != last; ++one) {
    Opcode opcode(text);
    Instruction bound = instruction;
    bound.handler = one->second->bind(opcode, bound);
    if (!bound.handler)
      continue;
    if (!opcode.rest().empty()) {
      reason = "the executor has no " + opcode.rest() + " of it";
      continue;
    }
    bound.operation = one->second;
    bound.opcode = text;
    bound.is_pure = bound.is_pure || is_pure(*one->second);
    instruction = std::move(bound);
    reason.clear();
    return true;
  }
  return false;
}

} // namespace emulator::executor::ptx
