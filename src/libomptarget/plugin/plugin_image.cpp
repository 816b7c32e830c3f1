// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_image.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/machine.h"
#include "generations/generations.h"
#include "generations/names.h"
#include "plugin/elf_file.h"

namespace omptarget {

namespace {

std::string_view bytes_of(const __tgt_device_image &image) {
  const char *begin = static_cast<const char *>(image.ImageStart);
  return {begin, static_cast<size_t>(static_cast<const char *>(image.ImageEnd) - begin)};
}

bool is_elf(std::string_view bytes) {
  return bytes.size() >= llvm::ELF::EI_NIDENT && std::memcmp(bytes.data(), llvm::ELF::ElfMagic, 4) == 0 &&
         bytes[llvm::ELF::EI_CLASS] == llvm::ELF::ELFCLASS64 && bytes[llvm::ELF::EI_DATA] == llvm::ELF::ELFDATA2LSB;
}

Status check_range(std::string_view bytes, const char *what, uint64_t offset, uint64_t size) {
  if (size == 0 || (offset <= bytes.size() && size <= bytes.size() - offset))
    return Status::ok();
  return Status::error(format("the image is cut short: it has %zu bytes, and a %s of %llu bytes begins at %llu",
                              bytes.size(), what, static_cast<unsigned long long>(size),
                              static_cast<unsigned long long>(offset)));
}

constexpr const char *kBefore = "a clang before 18";
constexpr const char *kAfter = "clang 23 or later";

/// The compiler of an image that clang of that version signed, if its kernels have no leading parameter.
const char *maker_of(unsigned version) {
  if (version < kOldestClang || version > kNewestClang)
    return version < kOldestClang ? kBefore : kAfter;
  const ParameterForm form = generation_of(version)->cpu_parameter;
  return form == ParameterForm::kPlain ? kBefore : form == ParameterForm::kLeading ? nullptr : kAfter;
}

/// The symbol beside each kernel in images for GPUs: one up to LLVM 17, another one since.
enum class KernelStyle { kUnknown, kMode, kEnvironment, kSmallEnvironment };

/// Calls visit(symbol, name) for every symbol of a section.
template <typename Visit>
void each_symbol(const Elf &elf, const Elf::Elf_Shdr &section, Elf::Elf_Shdr_Range sections, const Visit &visit) {
  auto symbols = elf.symbols(&section);
  auto names = elf.getStringTableForSymtab(section, sections);
  if (!symbols || !names) {
    llvm::consumeError(symbols.takeError());
    llvm::consumeError(names.takeError());
    return;
  }
  for (const auto &symbol : *symbols) {
    auto name = symbol.getName(*names);
    if (name)
      visit(symbol, std::string_view(name->data(), name->size()));
    else
      llvm::consumeError(name.takeError());
  }
}

KernelStyle kernel_style(const Elf &elf, const Elf::Elf_Shdr &section, Elf::Elf_Shdr_Range sections) {
  KernelStyle style = KernelStyle::kUnknown;
  each_symbol(elf, section, sections, [&](const Elf::Elf_Sym &symbol, std::string_view name) {
    if (name.ends_with(kEnvironmentSuffix))
      style = symbol.st_size == generation_of(kNewestClang)->environment ? KernelStyle::kSmallEnvironment
                                                                         : KernelStyle::kEnvironment;
    else if (name.ends_with(kModeSuffix) && style == KernelStyle::kUnknown)
      style = KernelStyle::kMode;
  });
  return style;
}

/// The version of clang in a section of comments, or 0.
unsigned clang_version(std::string_view comments) {
  constexpr std::string_view kWords = "clang version ";
  const size_t at = comments.find(kWords);
  unsigned version = 0;
  if (at != std::string_view::npos)
    std::from_chars(comments.data() + at + kWords.size(), comments.data() + comments.size(), version);
  return version;
}

/// Calls visit(elf, section, name, sections) for every section of an ELF file, for none if the bytes are damaged.
template <typename Visit> void each_section(std::string_view bytes, const Visit &visit) {
  if (!is_elf(bytes))
    return;
  auto elf = Elf::create(llvm::StringRef(bytes.data(), bytes.size()));
  if (!elf)
    return llvm::consumeError(elf.takeError());
  auto sections = elf->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError());
  for (const auto &section : *sections) {
    auto name = elf->getSectionName(section);
    if (name)
      visit(*elf, section, std::string_view(name->data(), name->size()), *sections);
    else
      llvm::consumeError(name.takeError());
  }
}

std::string_view contents_of(const Elf &elf, const Elf::Elf_Shdr &section) {
  auto contents = elf.getSectionContents(section);
  if (contents)
    return {reinterpret_cast<const char *>(contents->data()), contents->size()};
  llvm::consumeError(contents.takeError());
  return {};
}

} // namespace

Status check_image_is_whole(const __tgt_device_image &image) {
  const std::string_view bytes = bytes_of(image);
  if (!is_elf(bytes))
    return Status::ok();
  if (bytes.size() < sizeof(Elf::Elf_Ehdr))
    return Status::error(format("the image is cut short: it has %zu bytes", bytes.size()));
  const auto *header = reinterpret_cast<const Elf::Elf_Ehdr *>(bytes.data());
  OMPTARGET_TRY(check_range(bytes, "table of segments", header->e_phoff, header->e_phnum * sizeof(Elf::Elf_Phdr)));
  OMPTARGET_TRY(check_range(bytes, "table of sections", header->e_shoff, header->e_shnum * sizeof(Elf::Elf_Shdr)));
  const auto *segments = reinterpret_cast<const Elf::Elf_Phdr *>(bytes.data() + header->e_phoff);
  for (const Elf::Elf_Phdr *segment = segments; segment != segments + header->e_phnum; ++segment)
    if (segment->p_type == llvm::ELF::PT_LOAD)
      OMPTARGET_TRY(check_range(bytes, "segment", segment->p_offset, segment->p_filesz));
  return Status::ok();
}

const char *maker_without_leading_parameter(const __tgt_device_image &image) {
  std::optional<const char *> answer;
  each_section(bytes_of(image), [&](const Elf &elf, const Elf::Elf_Shdr &section, std::string_view name,
                                    Elf::Elf_Shdr_Range sections) {
    if (answer)
      return;
    if (section.sh_type == llvm::ELF::SHT_SYMTAB || section.sh_type == llvm::ELF::SHT_DYNSYM)
      if (const KernelStyle style = kernel_style(elf, section, sections); style != KernelStyle::kUnknown)
        answer = style == KernelStyle::kMode ? kBefore : style == KernelStyle::kSmallEnvironment ? kAfter : nullptr;
    if (name == ".comment")
      if (const unsigned version = clang_version(contents_of(elf, section)); version != 0 && !answer)
        answer = maker_of(version);
  });
  return answer.value_or(nullptr);
}

std::set<std::string_view> dynamic_symbols(const __tgt_device_image &image) {
  std::set<std::string_view> found;
  if (!is_for_this_machine(image))
    return found;
  each_section(bytes_of(image),
               [&](const Elf &elf, const Elf::Elf_Shdr &section, std::string_view, Elf::Elf_Shdr_Range sections) {
                 if (section.sh_type == llvm::ELF::SHT_DYNSYM)
                   each_symbol(elf, section, sections, [&](const Elf::Elf_Sym &symbol, std::string_view name) {
                     if (symbol.st_shndx != llvm::ELF::SHN_UNDEF && symbol.getBinding() != llvm::ELF::STB_LOCAL)
                       found.insert(name);
                   });
               });
  return found;
}

size_t own_entry_count(const __tgt_device_image &image) {
  size_t count = 0;
  each_section(bytes_of(image),
               [&](const Elf &, const Elf::Elf_Shdr &section, std::string_view name, Elf::Elf_Shdr_Range) {
                 if (name == "omp_offloading_entries")
                   count = section.sh_size / sizeof(__tgt_offload_entry);
               });
  return count;
}

bool is_for_this_machine(const __tgt_device_image &image) {
  const std::string_view bytes = bytes_of(image);
  return is_elf(bytes) && bytes.size() >= sizeof(Elf::Elf_Ehdr) &&
         reinterpret_cast<const Elf::Elf_Ehdr *>(bytes.data())->e_machine == kMachine.elf_machine;
}

} // namespace omptarget
