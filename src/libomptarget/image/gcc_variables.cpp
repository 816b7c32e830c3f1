// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/gcc_variables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <link.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/address_range.h"
#include "base/elf_sections.h"
#include "base/guarded.h"
#include "base/mapped_file.h"

namespace omptarget {

namespace {

/// Where a module has its table, as its file counts. Empty: it has none.
using Section = AddressRange;
/// A module: its file, and what is added to its file's addresses.
using ModuleKey = std::pair<std::string, uintptr_t>;
using Variable = __omptarget_variable;

/// The loader's counts of modules: they change with each dlopen and dlclose.
struct Counts {
  unsigned long long added = 0, removed = 0;
  bool operator==(const Counts &) const = default;
};

struct Table {
  explicit Table(std::vector<Variable> all) : variables(std::move(all)), view{variables.size(), variables.data()} {}
  const std::vector<Variable> variables;
  const __omptarget_variables view;
};

struct Known {
  Counts counts;
  std::map<ModuleKey, Section> sections; ///< of the modules of these counts
  const Table *table = new Table({});
};

Guarded<Known> &known() {
  static Guarded<Known> *const all = new Guarded<Known>; // exit handlers may still ask
  return *all;
}

/// Nothing that the loader tells: older ones have no counts.
Counts counts_of(const dl_phdr_info &info, size_t size) {
  const bool has_counts = size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info.dlpi_subs;
  return has_counts ? Counts{info.dlpi_adds, info.dlpi_subs} : Counts{};
}

ModuleKey key_of(const dl_phdr_info &info) { return {info.dlpi_name ? info.dlpi_name : "", info.dlpi_addr}; }

Counts current_counts() {
  Counts counts;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t size, void *argument) {
        *static_cast<Counts *>(argument) = counts_of(*info, size);
        return 1;
      },
      &counts);
  return counts;
}

std::vector<ModuleKey> loaded_modules() {
  std::vector<ModuleKey> modules;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *argument) {
        static_cast<std::vector<ModuleKey> *>(argument)->push_back(key_of(*info));
        return 0;
      },
      &modules);
  return modules;
}

Section section_in(const std::string &path) {
  MappedFile file;
  if (Status status = file.open(path.empty() ? "/proc/self/exe" : path); !status) {
    status.consume(); // the system's own, or a file that is gone
    return {};
  }
  const auto header = ElfSections(file.contents()).header(".gnu.offload_vars");
  return header && header->sh_addr != 0 ? Section{header->sh_addr, header->sh_addr + header->sh_size} : Section{};
}

/// Returns whether the module has the section in memory that can be read.
bool is_loaded(const Section &section, const dl_phdr_info &info) {
  return std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum, [&](const ElfW(Phdr) & segment) {
    return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) && section.begin >= segment.p_vaddr &&
           section.end - segment.p_vaddr <= segment.p_memsz;
  });
}

/// Adds the variables of a table, whose addresses the loader has relocated.
void add_variables(const char *table, size_t size, std::vector<Variable> &variables) {
  constexpr uint64_t kIsLink = uint64_t{1} << 63;
  for (size_t at = 0; at + 2 * sizeof(uint64_t) <= size; at += 2 * sizeof(uint64_t)) {
    uint64_t words[2];
    std::memcpy(words, table + at, sizeof words);
    const uint64_t length = words[1] & ~kIsLink;
    if (words[0] != 0 && length != 0 && length <= UINTPTR_MAX - words[0])
      variables.push_back({words[0], words[0] + length});
  }
}

struct Reading {
  const std::map<ModuleKey, Section> &sections;
  std::vector<Variable> variables;
  Counts counts;
};

/// No module is unloaded meanwhile.
int read_module(dl_phdr_info *info, size_t size, void *argument) {
  Reading &reading = *static_cast<Reading *>(argument);
  reading.counts = counts_of(*info, size);
  const auto found = reading.sections.find(key_of(*info));
  if (found == reading.sections.end())
    return 0;
  const Section &section = found->second;
  if (section.begin < section.end && is_loaded(section, *info))
    add_variables(reinterpret_cast<const char *>(info->dlpi_addr + section.begin), section.end - section.begin,
                  reading.variables);
  return 0;
}

void find_sections(Known &all) {
  std::map<ModuleKey, Section> before = std::exchange(all.sections, {});
  for (const ModuleKey &module : loaded_modules()) {
    const auto found = before.find(module);
    all.sections[module] = found != before.end() ? found->second : section_in(module.first);
  }
}

void replace_table(Known &all, std::vector<Variable> variables) {
  std::ranges::sort(variables, [](const Variable &a, const Variable &b) {
    return a.begin < b.begin || (a.begin == b.begin && a.end > b.end);
  });
  const auto is_same = [](const Variable &a, const Variable &b) { return a.begin == b.begin; };
  variables.erase(std::unique(variables.begin(), variables.end(), is_same), variables.end()); // several modules name it
  const auto are_equal = [](const Variable &a, const Variable &b) { return a.begin == b.begin && a.end == b.end; };
  if (!std::ranges::equal(variables, all.table->variables, are_equal))
    all.table = new Table(std::move(variables)); // others may read the old one
}

} // namespace

const __omptarget_variables &gcc_variables() {
  auto all = known().lock();
  const Counts counts = current_counts();
  if (counts == all->counts && counts != Counts{})
    return all->table->view;
  find_sections(*all);
  Reading reading{all->sections, {}, {}};
  dl_iterate_phdr(read_module, &reading);
  all->counts = reading.counts == counts ? counts : Counts{}; // a module has come or gone: once more the next time
  replace_table(*all, std::move(reading.variables));
  return all->table->view;
}

std::mutex &gcc_variables_mutex_for_fork() { return known().mutex_for_fork(); }

} // namespace omptarget
