// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/module_bounds.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <vector>

#include "base/inside_loader.h"
#include "base/program_path.h"

namespace omptarget {

namespace {

std::string path_of(const char *name) {
  if (name && *name)
    return name;
  std::string path = path_of_program();
  return path.empty() ? "the program" : path;
}

/// The loader's list has a lock that a child of fork finds as it was. With this one around it, a fork waits until no
/// thread is in there on our behalf.
constinit std::mutex list_mutex;

struct Search {
  uintptr_t address;
  std::optional<ModuleBounds> result;
};

/// The bounds of the module with these headers, if a segment that can be read holds the address.
std::optional<ModuleBounds> bounds_around(uintptr_t address, const dl_phdr_info &info) {
  ModuleBounds bounds;
  bool is_inside = false;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_R))
      continue;
    const uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    bounds.segments.push_back({begin, begin + header.p_memsz});
    is_inside = is_inside || (address >= begin && address < begin + header.p_memsz);
  }
  if (!is_inside)
    return std::nullopt;
  bounds.path = path_of(info.dlpi_name);
  return bounds;
}

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  search.result = bounds_around(search.address, *info);
  return search.result ? 1 : 0;
}

/// The result of _dl_find_object. Declared here, since the library is also built with headers that do not have it.
struct FoundObject {
  unsigned long long flags;
  void *begin;
  void *end;
  link_map *module;
  void *more[15];
};
using FindObject = int (*)(void *address, FoundObject *result);

/// glibc's, or null.
FindObject find_object() {
  static const auto found = reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  return found;
}

/// The module's headers without visiting all modules, which glibc can since 2.36. Empty: visiting tells.
dl_phdr_info headers_at(const void *address) {
  constexpr int kHeaders = 11; // RTLD_DI_PHDR, which older headers do not have
  dl_phdr_info info{};
  FoundObject found{};
  const ElfW(Phdr) *headers = nullptr;
  if (!find_object() || find_object()(const_cast<void *>(address), &found) != 0 || !found.module)
    return info;
  if (const int count = dlinfo(found.module, kHeaders, static_cast<void *>(&headers)); count > 0 && headers) {
    info.dlpi_addr = found.module->l_addr;
    info.dlpi_name = found.module->l_name;
    info.dlpi_phdr = headers;
    info.dlpi_phnum = static_cast<ElfW(Half)>(count);
  }
  return info;
}

/// The loaded modules in the order of their addresses, as of a state of the loader's list. Guarded by list_mutex.
struct ModuleList {
  unsigned long long added = 0; ///< the loader's counts of modules: they change with each dlopen and dlclose
  unsigned long long removed = 0;
  bool is_complete = false;
  std::vector<AddressRange> modules;
};
constinit ModuleList *known_modules = nullptr; // never destroyed: exit handlers may still ask

AddressRange range_of(const dl_phdr_info &info) {
  AddressRange range{UINTPTR_MAX, 0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info.dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    range.begin = std::min<uintptr_t>(range.begin, info.dlpi_addr + header.p_vaddr);
    range.end = std::max<uintptr_t>(range.end, info.dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  return range;
}

/// Takes the module into the list; stops at once if the list is up to date.
int take_module(dl_phdr_info *info, size_t size, void *data) {
  auto &list = *static_cast<ModuleList *>(data);
  const bool has_counts = size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
  if (list.is_complete && has_counts && info->dlpi_adds == list.added && info->dlpi_subs == list.removed)
    return 1;
  if (list.is_complete) { // the first module of a changed list
    list.is_complete = false;
    list.modules.clear();
  }
  if (has_counts) {
    list.added = info->dlpi_adds;
    list.removed = info->dlpi_subs;
  }
  if (const AddressRange range = range_of(*info); range.begin < range.end)
    list.modules.push_back(range);
  return 0;
}

struct Needs {
  uintptr_t address;
  std::vector<std::string> names;
};

bool holds(const dl_phdr_info &info, uintptr_t address) {
  return std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum, [&](const ElfW(Phdr) & header) {
    const uintptr_t begin = info.dlpi_addr + header.p_vaddr;
    return header.p_type == PT_LOAD && address >= begin && address < begin + header.p_memsz;
  });
}

int take_needs(dl_phdr_info *info, size_t, void *data) {
  auto &needs = *static_cast<Needs *>(data);
  if (!holds(*info, needs.address))
    return 0;
  const ElfW(Dyn) *dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn) *>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  if (!dynamic)
    return 1;
  const char *names = nullptr; // the loader has made it an address
  for (const ElfW(Dyn) *each = dynamic; each->d_tag != DT_NULL; ++each)
    if (each->d_tag == DT_STRTAB)
      names = reinterpret_cast<const char *>(each->d_un.d_ptr);
  for (const ElfW(Dyn) *each = dynamic; names && each->d_tag != DT_NULL; ++each)
    if (each->d_tag == DT_NEEDED)
      needs.names.emplace_back(names + each->d_un.d_val);
  return 1;
}

/// Where the program itself lies, which neither comes nor goes. Where it has holes between its segments, as on
/// AArch64, _dl_find_object knows each alone. No member changes once is_known.
struct Program {
  static constexpr size_t kMostSegments = 16;
  std::atomic<bool> is_known{false};
  size_t count = 0;
  AddressRange segments[kMostSegments] = {};
  AddressRange range{0, 0};

  bool holds(uintptr_t address) const {
    return std::any_of(segments, segments + count,
                       [&](const AddressRange &segment) { return address >= segment.begin && address < segment.end; });
  }
};
constinit Program the_program;

/// The first of the loader's list, and the only one without a name; in a namespace of dlmopen there is none.
int take_program(dl_phdr_info *info, size_t, void *) {
  if (info->dlpi_name && *info->dlpi_name)
    return 1;
  Program &program = the_program;
  program.range = range_of(*info);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (program.count < Program::kMostSegments)
      program.segments[program.count++] = {begin, begin + header.p_memsz};
    else
      program.segments[Program::kMostSegments - 1].end = begin + header.p_memsz;
  }
  return 1;
}

const Program &known_program() {
  if (!the_program.is_known.load(std::memory_order_acquire)) {
    std::lock_guard lock(list_mutex);
    if (!the_program.is_known.load(std::memory_order_relaxed)) {
      dl_iterate_phdr(take_program, nullptr);
      the_program.is_known.store(true, std::memory_order_release);
    }
  }
  return the_program;
}

/// How many modules were loaded with the program: the first ones of the loader's list.
constinit size_t modules_of_start = 0;

/// Before the constructors of all modules that need this one; all that is loaded with the program is there by then.
[[gnu::constructor]] void count_modules_of_start() {
  if (nearest_loader_call() == LoaderCall::kOpen)
    return;
  const auto count = [](dl_phdr_info *, size_t, void *) { return static_cast<int>(++modules_of_start, 0); };
  dl_iterate_phdr(count, nullptr);
}

struct Place {
  uintptr_t address;
  size_t before; ///< modules before the one that holds it
};

int find_place(dl_phdr_info *info, size_t, void *data) {
  auto &place = *static_cast<Place *>(data);
  if (place.before == modules_of_start || holds(*info, place.address))
    return 1;
  ++place.before;
  return 0;
}

} // namespace

bool is_loaded_for_good(uintptr_t address) {
  Place place{address, 0};
  std::lock_guard lock(list_mutex);
  return dl_iterate_phdr(find_place, &place) != 0 && place.before < modules_of_start;
}

std::vector<std::string> needed_by(const void *address) {
  Needs needs{reinterpret_cast<uintptr_t>(address), {}};
  std::lock_guard lock(list_mutex);
  dl_iterate_phdr(take_needs, &needs);
  return std::move(needs.names);
}

bool ModuleBounds::contains(const void *address, uint64_t size) const {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  return std::any_of(segments.begin(), segments.end(), [&](const AddressRange &segment) {
    return begin >= segment.begin && begin <= segment.end && size <= segment.end - begin;
  });
}

bool ModuleBounds::contains_text(const char *text) const {
  const auto begin = reinterpret_cast<uintptr_t>(text);
  for (const AddressRange &segment : segments)
    if (begin >= segment.begin && begin < segment.end)
      return std::memchr(text, 0, segment.end - begin) != nullptr;
  return false;
}

AddressRange ModuleBounds::whole() const {
  AddressRange range{UINTPTR_MAX, 0};
  for (const AddressRange &segment : segments) {
    range.begin = std::min(range.begin, segment.begin);
    range.end = std::max(range.end, segment.end);
  }
  return range;
}

std::optional<ModuleBounds> module_of(const void *address) {
  if (auto bounds = bounds_around(reinterpret_cast<uintptr_t>(address), headers_at(address)))
    return bounds;
  return module_of_by_list(address);
}

std::optional<ModuleBounds> module_of_by_list(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), std::nullopt};
  std::lock_guard list(list_mutex);
  dl_iterate_phdr(visit, &search);
  return std::move(search.result);
}

std::optional<AddressRange> module_range(const void *address) {
  if (!find_object())
    return module_range_by_list(address);
  FoundObject found;
  if (find_object()(const_cast<void *>(address), &found) != 0)
    return std::nullopt;
  if (const Program &program = known_program(); program.holds(reinterpret_cast<uintptr_t>(address)))
    return program.range;
  return AddressRange{reinterpret_cast<uintptr_t>(found.begin), reinterpret_cast<uintptr_t>(found.end)};
}

std::optional<AddressRange> module_range_by_list(const void *address) {
  std::lock_guard lock(list_mutex);
  if (!known_modules)
    known_modules = new ModuleList();
  ModuleList &list = *known_modules;
  if (dl_iterate_phdr(take_module, &list) == 0) {
    std::sort(list.modules.begin(), list.modules.end(),
              [](const AddressRange &left, const AddressRange &right) { return left.begin < right.begin; });
    list.is_complete = true;
  }
  const auto value = reinterpret_cast<uintptr_t>(address);
  const auto after = std::upper_bound(list.modules.begin(), list.modules.end(), value,
                                      [](uintptr_t wanted, const AddressRange &each) { return wanted < each.begin; });
  if (after == list.modules.begin() || value >= after[-1].end)
    return std::nullopt;
  return after[-1];
}

std::mutex &module_list_mutex_for_fork() { return list_mutex; }

} // namespace omptarget
