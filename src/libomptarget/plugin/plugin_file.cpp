// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_file.h"

#include <cstring>
#include <iterator>
#include <set>

#include "base/machine.h"
#include "base/mapped_file.h"
#include "plugin/elf_file.h"

namespace omptarget {

namespace {

constexpr std::string_view kPrefix = "__tgt_rtl_";
constexpr const char *kRequired[] = {
#define PLUGIN_REQUIRED(name, check) #name,
#include "plugin/plugin_functions.def"
};

Status check_header(std::string_view contents) {
  if (contents.size() < sizeof(Elf::Elf_Ehdr))
    return Status::error(format("is no ELF file: it has %zu bytes", contents.size()));
  const auto *header = reinterpret_cast<const Elf::Elf_Ehdr *>(contents.data());
  if (std::memcmp(header->e_ident, llvm::ELF::ElfMagic, 4) != 0)
    return Status::error("is no ELF file: its first bytes are not those of one");
  if (header->e_ident[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      header->e_ident[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return Status::error(format("is an ELF file of class %u and byte order %u; this machine takes 64-bit little endian",
                                header->e_ident[llvm::ELF::EI_CLASS], header->e_ident[llvm::ELF::EI_DATA]));
  if (header->e_machine != kMachine.elf_machine)
    return Status::error(
        format("is built for %s; this machine is %s", machine_name(header->e_machine).c_str(), kMachine.name));
  if (header->e_type != llvm::ELF::ET_DYN)
    return Status::error(format("is no shared object: its ELF type is %u", static_cast<unsigned>(header->e_type)));
  return Status::ok();
}

/// Calls visit(symbol, name) for every dynamic symbol.
template <typename Visit> Status each_dynamic_symbol(const Elf &elf, const Visit &visit) {
  auto sections = elf.sections();
  if (!sections)
    return elf_failure(sections.takeError(), "its sections cannot be read");
  bool has_table = false;
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    has_table = true;
    auto symbols = elf.symbols(&section);
    if (!symbols)
      return elf_failure(symbols.takeError(), "its dynamic symbols cannot be read");
    auto names = elf.getStringTableForSymtab(section, *sections);
    if (!names)
      return elf_failure(names.takeError(), "the names of its dynamic symbols cannot be read");
    for (const auto &symbol : *symbols) {
      auto name = symbol.getName(*names);
      if (!name)
        return elf_failure(name.takeError(), "the name of a dynamic symbol cannot be read");
      visit(symbol, std::string_view(name->data(), name->size()));
    }
  }
  return has_table ? Status::ok() : Status::error("has no table of dynamic symbols");
}

/// The functions of plugins that the file itself defines, without their prefix.
Result<std::set<std::string_view>> defined_functions(const Elf &elf) {
  std::set<std::string_view> found;
  OMPTARGET_TRY(each_dynamic_symbol(elf, [&](const Elf::Elf_Sym &symbol, std::string_view name) {
    if (symbol.st_shndx != llvm::ELF::SHN_UNDEF && symbol.getBinding() != llvm::ELF::STB_LOCAL &&
        symbol.getVisibility() != llvm::ELF::STV_HIDDEN && name.substr(0, kPrefix.size()) == kPrefix)
      found.insert(name.substr(kPrefix.size()));
  }));
  return found;
}

Status lacks(const char *function) {
  return Status::error(format(
      "lacks the required function __tgt_rtl_%s; the plugin itself must define it, not a library it needs", function));
}

Status check_functions(const std::set<std::string_view> &found) {
  for (const char *name : kRequired)
    if (!found.contains(name))
      return lacks(name);
  if (!found.contains("launch_kernel")) {
    const bool has_region = found.contains("run_target_region");
    if (has_region != found.contains("run_target_team_region"))
      return lacks(has_region ? "run_target_team_region" : "run_target_region");
    if (!has_region)
      return lacks("launch_kernel");
  }
  if (found.contains("get_function") != found.contains("get_global"))
    return lacks(found.contains("get_global") ? "get_function" : "get_global");
  return Status::ok();
}

Result<Elf> read_elf(std::string_view contents) {
  OMPTARGET_TRY(check_header(contents));
  auto elf = Elf::create(llvm::StringRef(contents.data(), contents.size()));
  if (!elf)
    return elf_failure(elf.takeError(), "cannot be read");
  return *elf;
}

Result<std::set<std::string_view>> functions_in(std::string_view contents) {
  OMPTARGET_TRY_ASSIGN(const Elf elf, read_elf(contents));
  return defined_functions(elf);
}

} // namespace

Status check_plugin_contents(std::string_view contents) {
  OMPTARGET_TRY_ASSIGN(const std::set<std::string_view> found, functions_in(contents));
  return check_functions(found);
}

Status check_plugin_file(const std::string &path) {
  MappedFile file;
  OMPTARGET_TRY(file.open(path));
  return check_plugin_contents(file.contents());
}

Result<std::set<std::string>> read_plugin_functions(const std::string &path) {
  MappedFile file;
  OMPTARGET_TRY(file.open(path));
  OMPTARGET_TRY_ASSIGN(const std::set<std::string_view> found, functions_in(file.contents()));
  return std::set<std::string>(found.begin(), found.end());
}

bool plugin_file_needs(const std::string &path, std::string_view symbol) {
  MappedFile file;
  bool is_needed = false;
  const auto find_symbol = [&]() -> Status {
    OMPTARGET_TRY(file.open(path));
    OMPTARGET_TRY_ASSIGN(const Elf elf, read_elf(file.contents()));
    return each_dynamic_symbol(elf, [&](const Elf::Elf_Sym &found, std::string_view name) {
      is_needed |= found.st_shndx == llvm::ELF::SHN_UNDEF && name == symbol;
    });
  };
  find_symbol().consume();
  return is_needed;
}

} // namespace omptarget
