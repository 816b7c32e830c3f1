// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/global_calls.h"

#include <algorithm>
#include <charconv>

namespace omptarget {

bool parse_global_call(std::string_view name, GlobalCall kind, uint32_t &priority) {
  const std::string_view prefix = kind == GlobalCall::kConstructors ? "__init_array_object_" : "__fini_array_object_";
  if (!name.starts_with(prefix))
    return false;
  const std::string_view digits = name.substr(name.rfind('_') + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), priority);
  return error == std::errc() && end == digits.data() + digits.size() && priority <= 65535;
}

void order_global_calls(std::vector<GlobalCallSymbol> &symbols) {
  std::vector<GlobalCallSymbol> ordered;
  for (GlobalCallSymbol &symbol : symbols) {
    if (std::any_of(ordered.begin(), ordered.end(),
                    [&](const GlobalCallSymbol &other) { return other.name == symbol.name; }))
      continue;
    const auto place =
        std::upper_bound(ordered.begin(), ordered.end(), symbol.priority,
                         [](uint32_t priority, const GlobalCallSymbol &other) { return priority < other.priority; });
    ordered.insert(place, std::move(symbol));
  }
  symbols = std::move(ordered);
}

} // namespace omptarget
