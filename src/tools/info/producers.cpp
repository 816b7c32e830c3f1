// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/producers.h"

#include <algorithm>
#include <cstring>

#include "image/image_signs.h"
#include "plugin/elf_file.h"

namespace omptarget::info_tool {

namespace {

constexpr size_t kMaxComment = 1 << 16; ///< bytes

/// How compilers sign that branch off LLVM, and whose they are.
struct Vendor {
  std::string_view signature;
  std::string_view compiler;
};
constexpr Vendor kVendors[] = {
    {"AMD clang version", "AMD's clang"},
    {"Intel(R) ", "Intel's compiler"},
    {"Cray clang version", "HPE's Cray clang"},
    {"Cray Fortran", "HPE's Cray Fortran"},
    {"Arm C/C++/Fortran Compiler", "Arm's compiler"},
    {"IBM Open XL", "IBM's compiler"},
    {"Apple clang version", "Apple's clang"},
};

std::string_view vendor_of(std::string_view signature) {
  for (const Vendor &vendor : kVendors)
    if (signature.find(vendor.signature) != std::string_view::npos)
      return vendor.compiler;
  return {};
}

} // namespace

std::vector<std::string> signatures_in(std::string_view comment) {
  std::vector<std::string> found;
  comment = comment.substr(0, kMaxComment);
  while (!comment.empty()) {
    const std::string_view one = comment.substr(0, comment.find('\0'));
    comment.remove_prefix(std::min(one.size() + 1, comment.size()));
    const bool is_other = one.empty() || one.starts_with("GCC: ") || one.starts_with("Linker: ");
    if (!is_other && std::find(found.begin(), found.end(), one) == found.end())
      found.emplace_back(one);
  }
  return found;
}

std::vector<std::string> signatures_of(std::span<const std::byte> image) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(image.data()), image.size());
  if (!bytes.starts_with(llvm::StringRef(llvm::ELF::ElfMagic, 4)) || bytes.size() < sizeof(Elf::Elf_Ehdr) ||
      bytes[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 || bytes[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return {};
  auto elf = Elf::create(bytes);
  if (!elf)
    return llvm::consumeError(elf.takeError()), std::vector<std::string>();
  auto sections = elf->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError()), std::vector<std::string>();
  for (const Elf::Elf_Shdr &section : *sections) {
    auto name = elf->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    if (*name != ".comment")
      continue;
    auto contents = elf->getSectionContents(section);
    if (!contents)
      return llvm::consumeError(contents.takeError()), std::vector<std::string>();
    return signatures_in({reinterpret_cast<const char *>(contents->data()), contents->size()});
  }
  return {};
}

std::string remark_on_compiler(std::string_view signature) {
  const Signatures found = read_signatures(signature);
  for (const Generation &row : kGenerations)
    if (row.is_tried && found.compilers == uint64_t{1} << row.version && !found.has_other)
      return {};
  const std::string_view vendor = vendor_of(signature);
  return (vendor.empty() ? "" : std::string(vendor) + ": ") + "not tried with omptarget, see compatibility.md";
}

} // namespace omptarget::info_tool
