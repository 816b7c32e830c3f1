// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/code_places.h"

#include <dlfcn.h>
#include <map>
#include <string>
#include <string_view>

#include "base/call_stack.h"
#include "base/format.h"
#include "base/guarded.h"
#include "omptarget/types.h"

namespace omptarget::observe {

namespace {

struct Module {
  const void *begin = nullptr;
  std::string_view file;
};

Module module_at(const void *code) {
  Dl_info facts{};
  if (::dladdr(code, &facts) == 0 || !facts.dli_fname)
    return {};
  const std::string_view path = facts.dli_fname;
  return {facts.dli_fbase, path.substr(path.rfind('/') + 1)};
}

size_t offset_of(const void *code, const Module &module) {
  return static_cast<size_t>(static_cast<const char *>(code) - static_cast<const char *>(module.begin));
}

/// An address means something else if another module is there.
using Key = std::pair<const void *, std::string>;
Key key_of(const void *code, const Module &module) {
  return {code, format("%p %.*s", module.begin, static_cast<int>(module.file.size()), module.file.data())};
}

struct Place {
  std::string text;
  ident_t location{};
};

/// Nothing in it is ever removed: who listens may keep what was told.
struct Known {
  std::map<Key, Place> places;
  std::map<Key, std::string> names, symbols, variables;
};

Guarded<Known> &known() {
  static Guarded<Known> *const all = new Guarded<Known>;
  return *all;
}

std::string name_by_symbol(const void *function) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(function) + 1; // as a call's return address
  return places_of({&address, 1}).front().function;
}

} // namespace

const ident_t *location_of(const void *code) {
  const Key key = key_of(code, module_at(code));
  auto all = known().lock();
  const auto [at, is_new] = all->places.try_emplace(key);
  Place &place = at->second;
  if (is_new) {
    const auto address = reinterpret_cast<uintptr_t>(code);
    const CallPlace found = places_of({&address, 1}).front();
    if (found.line != 0)
      place.text = format(";%s;%s;%u;1;;", found.file.c_str(), found.function.c_str(), found.line);
    place.location.psource = place.text.c_str();
  }
  return place.text.empty() ? nullptr : &place.location;
}

const char *static_variable_name(const void *address) {
  const Module module = module_at(address);
  if (!module.begin)
    return nullptr;
  auto all = known().lock();
  const auto [at, is_new] = all->variables.try_emplace(key_of(address, module));
  if (is_new)
    at->second = variable_at(reinterpret_cast<uintptr_t>(address));
  return at->second.empty() ? nullptr : at->second.c_str();
}

const char *function_name(const void *function, bool is_symbol_wanted) {
  const Module module = module_at(function);
  const Key key = key_of(function, module);
  auto all = known().lock();
  std::string &name = (is_symbol_wanted ? all->symbols : all->names)[key];
  if (name.empty() && is_symbol_wanted)
    name = name_by_symbol(function);
  if (name.empty())
    name = format("region 0x%zx of %.*s", offset_of(function, module), static_cast<int>(module.file.size()),
                  module.file.data());
  return name.c_str();
}

} // namespace omptarget::observe
