// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/declared.h"

#include <algorithm>

namespace omptarget::gomp {

namespace {

constexpr __omptarget_variable kEverything{1, UINTPTR_MAX};
constexpr __omptarget_variables kAll{1, &kEverything};
constinit std::atomic<bool> is_all_shared{false};

} // namespace

void share_all() {
  is_all_shared.store(true, std::memory_order_release);
  internal::look_for_declared();
}

namespace internal {

constinit KnownAddresses<4096> known_sites;
constinit std::atomic<const __omptarget_variables *> declared{nullptr};

namespace {

bool is_in(const __omptarget_variables *variables, const void *address) {
  if (!variables)
    return false;
  const auto value = reinterpret_cast<uintptr_t>(address);
  const __omptarget_variable *const end = variables->first + variables->count;
  const __omptarget_variable *const next = std::upper_bound(
      variables->first, end, value, [](uintptr_t one, const __omptarget_variable &other) { return one < other.begin; });
  return next != variables->first && value < next[-1].end;
}

} // namespace

void look_for_declared() {
  if (is_all_shared.load(std::memory_order_acquire))
    return declared.store(&kAll, std::memory_order_release);
  const __omptarget_variables *const variables = __omptarget_declared_variables();
  declared.store(variables->count != 0 ? variables : nullptr, std::memory_order_release);
}

/// The variable's module may have been closed, and other memory may lie there. Then it may come again with the same
/// code.
bool find_declared(const void *address) {
  const __omptarget_variables *const before = declared.load(std::memory_order_acquire);
  if (!is_in(before, address))
    return false;
  look_for_declared();
  const __omptarget_variables *const now = declared.load(std::memory_order_acquire);
  if (now != before)
    known_sites.forget_all();
  return is_in(now, address);
}

} // namespace internal
} // namespace omptarget::gomp
