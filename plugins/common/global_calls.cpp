// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/global_calls.h"

#include <algorithm>
#include <charconv>

namespace omptarget {

bool parse_global_call(std::string_view name, GlobalCall kind, uint32_t &priority) {
  const std::string_view prefix =
      kind == GlobalCall::kConstructors ? "__init_array_object_" : "__fini_array_object_";
  if (!name.starts_with(prefix))
    return false;
  const std::string_view digits = name.substr(name.rfind('_') + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), priority);
  return error == std::errc() && end == digits.data() + digits.size() && priority <= 65535;
}

void order_global_calls(std::vector<GlobalCallSymbol> &symbols) {
  std::vector<GlobalCallSymbol> unique;
  for (GlobalCallSymbol &symbol : symbols)
    if (std::none_of(unique.begin(), unique.end(),
                     [&](const GlobalCallSymbol &other) { return other.name == symbol.name; }))
      unique.push_back(std::move(symbol));
  std::stable_sort(unique.begin(), unique.end(), [](const GlobalCallSymbol &a, const GlobalCallSymbol &b) {
    return a.priority < b.priority;
  });
  symbols = std::move(unique);
}

} // namespace omptarget
