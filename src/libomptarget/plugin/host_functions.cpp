// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/host_functions.h"

#include <unordered_map>

#include "base/guarded.h"

namespace omptarget {

namespace {

using Functions = Guarded<std::unordered_map<uint32_t, omptarget_host_function>>;

// Never destroyed: kernels may ask while the process ends.
Functions &functions() {
  static Functions &all = *new Functions;
  return all;
}

} // namespace

void register_host_function(uint32_t number, omptarget_host_function function) {
  auto all = functions().lock();
  if (function)
    (*all)[number] = function;
  else
    all->erase(number);
}

omptarget_host_function find_host_function(uint32_t number) {
  auto all = functions().lock();
  const auto found = all->find(number);
  return found == all->end() ? nullptr : found->second;
}

int32_t call_host_function(uint32_t number, void *data, uint64_t size, uint64_t *result) {
  const omptarget_host_function function = find_host_function(number);
  if (!function)
    return -1;
  *result = function(data, size);
  return 0;
}

} // namespace omptarget
