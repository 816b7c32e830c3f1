// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/code_places.h"

#include <atomic>
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

struct FunctionName {
  const void *function = nullptr;
  std::string text;
};

/// Nothing in it is ever removed: who listens may keep what was told.
struct Known {
  std::map<Key, Place> places;
  std::map<Key, FunctionName> names;
  std::map<Key, std::string> symbols, variables;
};

Guarded<Known> &known() {
  static Guarded<Known> *const all = new Guarded<Known>;
  return *all;
}

/// The last names by their functions, for regions that nobody observes. A function that takes the place of one in a
/// closed module may get its name.
class RecentNames {
public:
  const char *find(const void *function) const {
    const FunctionName *const name = place_of(function).load(std::memory_order_acquire);
    return name && name->function == function ? name->text.c_str() : nullptr;
  }
  void note(const FunctionName &name) { place_of(name.function).store(&name, std::memory_order_release); }

private:
  static constexpr size_t kPlaces = 256;
  std::atomic<const FunctionName *> &place_of(const void *function) const {
    const uintptr_t address = reinterpret_cast<uintptr_t>(function);
    return places_[(address / 16 ^ address / 4096) % kPlaces];
  }
  mutable std::atomic<const FunctionName *> places_[kPlaces] = {};
};
constinit RecentNames recent_names;

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

const char *name_for_message(const char *name, const void *address) {
  return name && *name ? name : static_variable_name(address);
}

static const char *place_name(const void *function) {
  if (const char *name = recent_names.find(function)) [[likely]]
    return name;
  const Module module = module_at(function);
  auto all = known().lock();
  const auto [at, is_new] = all->names.try_emplace(key_of(function, module));
  if (is_new)
    at->second = {function, format("region 0x%zx of %.*s", offset_of(function, module),
                                   static_cast<int>(module.file.size()), module.file.data())};
  recent_names.note(at->second);
  return at->second.text.c_str();
}

const char *function_name(const void *function, bool is_symbol_wanted) {
  if (!is_symbol_wanted) [[likely]]
    return place_name(function);
  const Key key = key_of(function, module_at(function));
  {
    auto all = known().lock();
    const auto [at, is_new] = all->symbols.try_emplace(key);
    if (is_new)
      at->second = name_by_symbol(function);
    if (!at->second.empty())
      return at->second.c_str();
  }
  return place_name(function);
}

} // namespace omptarget::observe
