// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/image_signs.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/machine.h"
#include "generations/names.h"
#include "plugin/elf_file.h"

namespace omptarget {

namespace {

std::string_view text_of(const llvm::StringRef &text) { return {text.data(), text.size()}; }

/// The value, or a fallback for what is damaged.
template <typename T> T value_or(llvm::Expected<T> value, T fallback) {
  if (value)
    return std::move(*value);
  llvm::consumeError(value.takeError());
  return fallback;
}

/// The names of libomp's functions for explicit tasks begin so.
constexpr std::string_view kTaskFunctions = "__kmpc_omp_task";

/// Collects what the sections of one ELF file say.
class SignReader {
public:
  SignReader(const Elf &elf, ImageSigns &signs) : elf_(elf), signs_(signs) {}

  void read() {
    auto sections = elf_.sections();
    if (!sections)
      return llvm::consumeError(sections.takeError());
    for (const Elf::Elf_Shdr &section : *sections) {
      if (section.sh_type == llvm::ELF::SHT_SYMTAB || section.sh_type == llvm::ELF::SHT_DYNSYM)
        read_symbols(section, *sections);
      else if (section.sh_type == llvm::ELF::SHT_DYNAMIC)
        read_dynamic(section, *sections);
      else if (text_of(value_or<llvm::StringRef>(elf_.getSectionName(section), "")) == ".comment")
        read_comment(section);
    }
  }

private:
  static TaskKind tasks_of(std::string_view function) {
    if (function == "__kmpc_task_allow_completion_event" || function == "__kmpc_omp_task_with_deps")
      return TaskKind::kLasting;
    return function.starts_with(kTaskFunctions) ? TaskKind::kUsual : TaskKind::kNone;
  }

  void read_symbols(const Elf::Elf_Shdr &section, Elf::Elf_Shdr_Range sections) {
    const auto names = value_or<llvm::StringRef>(elf_.getStringTableForSymtab(section, sections), "");
    auto symbols = elf_.symbols(&section);
    if (!symbols)
      return llvm::consumeError(symbols.takeError());
    for (const Elf::Elf_Sym &symbol : *symbols) {
      const std::string_view name = text_of(value_or<llvm::StringRef>(symbol.getName(names), ""));
      if (name.ends_with(kEnvironmentSuffix)) {
        KernelMark &mark = signs_.marks[std::string(name.substr(0, name.size() - kEnvironmentSuffix.size()))];
        mark.has_environment = true;
        mark.environment_size = std::max<uint64_t>(mark.environment_size, symbol.st_size);
      } else if (name.ends_with(kModeSuffix)) {
        signs_.marks[std::string(name.substr(0, name.size() - kModeSuffix.size()))].has_mode = true;
      } else if (symbol.st_shndx == llvm::ELF::SHN_UNDEF && signs_.is_for_cpu) {
        signs_.tasks = std::max(signs_.tasks, tasks_of(name));
      }
    }
  }

  /// Reads the generation of the libomptarget that the image needs.
  void read_dynamic(const Elf::Elf_Shdr &section, Elf::Elf_Shdr_Range sections) {
    using Dynamic = Elf::Elf_Dyn;
    const auto entries = value_or<llvm::ArrayRef<Dynamic>>(elf_.getSectionContentsAsArray<Dynamic>(section), {});
    if (section.sh_link >= sections.size())
      return;
    const auto names = text_of(value_or<llvm::StringRef>(elf_.getStringTable(sections[section.sh_link]), ""));
    for (const Dynamic &entry : entries) {
      if (entry.getTag() != llvm::ELF::DT_NEEDED || entry.getVal() >= names.size())
        continue;
      constexpr std::string_view kStem = "libomptarget.so";
      const std::string_view name = names.data() + entry.getVal(); // string tables end with a NUL
      if (!name.starts_with(kStem) || name.size() == kStem.size())
        continue;
      for (const Generation &generation : kGenerations)
        if (name.substr(kStem.size()) == generation.library)
          signs_.library = generation.version;
    }
  }

  void read_comment(const Elf::Elf_Shdr &section) {
    const auto contents = value_or<llvm::ArrayRef<uint8_t>>(elf_.getSectionContents(section), {});
    const Signatures found = read_signatures({reinterpret_cast<const char *>(contents.data()), contents.size()});
    signs_.compilers |= found.compilers;
    signs_.has_other_compiler = signs_.has_other_compiler || found.has_other;
  }

  const Elf &elf_;
  ImageSigns &signs_;
};

bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';
}

/// Marks in what is no ELF file: the names in PTX, or in the strings of bitcode, that end as they do.
void read_text(std::string_view text, ImageSigns &signs) {
  for (const std::string_view end : {kEnvironmentSuffix, kModeSuffix})
    for (size_t at = text.find(end); at != std::string_view::npos; at = text.find(end, at + end.size())) {
      size_t begin = at;
      while (begin > 0 && is_of_name(text[begin - 1]))
        --begin;
      KernelMark &mark = signs.marks[std::string(text.substr(begin, at - begin))];
      (end == kModeSuffix ? mark.has_mode : mark.has_environment) = true;
    }
}

/// Compilers of these vendors count their versions as clang does, but branch off between its releases.
bool is_of_vendor(std::string_view before) {
  return before.ends_with("AMD ") || before.ends_with("Cray ") || before.ends_with("Apple ");
}

} // namespace

Signatures read_signatures(std::string_view comment) {
  constexpr std::string_view kWords[] = {"clang version ", "flang version ", "flang-new version "};
  Signatures found;
  while (!comment.empty()) {
    const std::string_view one = comment.substr(0, comment.find('\0'));
    comment.remove_prefix(std::min(one.size() + 1, comment.size()));
    bool is_known = one.empty() || one.starts_with("GCC: ") || one.starts_with("Linker: ");
    for (const std::string_view words : kWords) {
      const size_t at = one.find(words);
      unsigned version = 0;
      if (at == std::string_view::npos || is_of_vendor(one.substr(0, at)))
        continue;
      std::from_chars(one.data() + at + words.size(), one.data() + one.size(), version);
      if (!generation_of(version))
        continue;
      found.compilers |= uint64_t{1} << version;
      is_known = true;
      break;
    }
    found.has_other = found.has_other || !is_known;
  }
  return found;
}

KernelMark ImageSigns::mark_of(std::string_view kernel) const {
  KernelMark mark;
  if (is_elf) {
    const auto found = marks.find(std::string(kernel));
    return found == marks.end() ? mark : found->second;
  }
  for (const auto &[name, found] : marks) {
    if (!name.ends_with(kernel))
      continue;
    mark.has_mode = mark.has_mode || found.has_mode;
    mark.has_environment = mark.has_environment || found.has_environment;
  }
  return mark;
}

KernelMark ImageSigns::any_mark() const {
  KernelMark any;
  for (const auto &[name, mark] : marks) {
    any.has_mode = any.has_mode || mark.has_mode;
    any.has_environment = any.has_environment || mark.has_environment;
  }
  return any;
}

bool needs(const ImageSigns &signs, EntryKind kind) {
  switch (kind) {
  case EntryKind::kConstructor:
  case EntryKind::kDestructor: return true;
  case EntryKind::kVariable:
  case EntryKind::kLinkVariable:
    return (signs.is_for_cpu && !(signs.compilers >> 14 & 1)) || signs.any_mark().has_environment;
  case EntryKind::kKernel:
  case EntryKind::kIndirect:
  case EntryKind::kFunctionPointer:
  case EntryKind::kVtable: break;
  }
  return false;
}

ImageSigns read_signs(std::span<const std::byte> image, Wrapping wrapping) {
  ImageSigns signs;
  signs.wrapping = wrapping;
  const llvm::StringRef bytes(reinterpret_cast<const char *>(image.data()), image.size());
  if (image.size() < sizeof(Elf::Elf_Ehdr) || std::memcmp(image.data(), llvm::ELF::ElfMagic, 4) != 0) {
    read_text({bytes.data(), bytes.size()}, signs);
    return signs;
  }
  signs.is_elf = true;
  if (bytes[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 || bytes[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return signs;
  auto elf = Elf::create(bytes);
  if (!elf) {
    llvm::consumeError(elf.takeError());
    return signs;
  }
  signs.is_for_cpu = elf->getHeader().e_machine == kMachine.elf_machine;
  SignReader(*elf, signs).read();
  return signs;
}

} // namespace omptarget
