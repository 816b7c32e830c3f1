// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All instructions by name.

#include <unordered_map>

#include "operations.h"

namespace emulator::executor::amdgpu {

namespace {

using Table = std::unordered_map<std::string_view, Operation>;

void add(Table &table, std::span<const Operation> operations) {
  for (const Operation &operation : operations)
    for (std::string_view names = operation.name; !names.empty();) {
      const size_t end = std::min(names.find(' '), names.size());
      table[names.substr(0, end)] = operation;
      names.remove_prefix(std::min(end + 1, names.size()));
    }
}

Table make_table() {
  Table table;
  for (const auto &operations :
       {scalar_operations(), control_operations(), integer_operations(), float_operations(), half_operations(),
        compare_operations(), lane_operations(), memory_operations(), shared_operations()})
    add(table, operations);
  return table;
}

} // namespace

const Operation *find_operation(std::string_view name) {
  static const Table &table = *new Table(make_table());
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace emulator::executor::amdgpu
