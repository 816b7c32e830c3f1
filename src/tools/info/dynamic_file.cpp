// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/dynamic_file.h"

#include <algorithm>
#include <elf.h>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/machine.h"

namespace omptarget::info_tool {

namespace {

constexpr size_t kMaxHeaders = 4096;
constexpr size_t kMaxDynamic = 1 << 16;   // entries
constexpr size_t kMaxStrings = 64u << 20; // bytes
constexpr std::string_view kOwnFunction("\0__kmpc_target_translate_fptr\0", 30);
/// The libgomp.so.1 for programs of GCC calls it.
constexpr std::string_view kGccFunction("\0__omptarget_run_region\0", 24);

/// An open file, read at offsets.
class FileBytes {
public:
  explicit FileBytes(const std::string &path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat facts{};
    if (descriptor_ < 0 || ::fstat(descriptor_, &facts) != 0 || !S_ISREG(facts.st_mode))
      return;
    is_open_ = true;
    facts_ = facts;
  }
  ~FileBytes() {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;

  bool is_open() const { return is_open_; }
  const struct stat &facts() const { return facts_; }

  /// Returns whether all of it could be read.
  bool read(uint64_t offset, void *target, size_t size) const {
    const auto end = static_cast<uint64_t>(facts_.st_size);
    if (offset > end || size > end - offset)
      return false;
    auto *to = static_cast<char *>(target);
    while (size != 0) {
      const ssize_t count = ::pread(descriptor_, to, size, static_cast<off_t>(offset));
      if (count <= 0)
        return false;
      to += count;
      offset += static_cast<uint64_t>(count);
      size -= static_cast<size_t>(count);
    }
    return true;
  }
  template <typename T> bool read_all(uint64_t offset, std::vector<T> &target) const {
    return read(offset, target.data(), target.size() * sizeof(T));
  }

private:
  int descriptor_;
  bool is_open_ = false;
  struct stat facts_{};
};

class DynamicReader {
public:
  DynamicReader(const FileBytes &bytes, DynamicFile &file) : bytes_(bytes), file_(file) {}

  DynamicState read(std::string &defect) {
    Elf64_Ehdr header;
    if (!bytes_.read(0, &header, sizeof header) ||
        std::string_view(ELFMAG, SELFMAG) != std::string_view(reinterpret_cast<const char *>(header.e_ident), SELFMAG))
      return damaged(defect, "it is no ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != kMachine.elf_machine)
      return DynamicState::kOtherMachine;
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxHeaders)
      return damaged(defect, "its program headers are damaged");
    headers_.resize(header.e_phnum);
    if (!bytes_.read_all(header.e_phoff, headers_))
      return damaged(defect, "its program headers lie outside of the file");
    const auto dynamic = std::find_if(headers_.begin(), headers_.end(),
                                      [](const Elf64_Phdr &each) { return each.p_type == PT_DYNAMIC; });
    file_.is_program =
        std::any_of(headers_.begin(), headers_.end(), [](const Elf64_Phdr &each) { return each.p_type == PT_INTERP; });
    if (dynamic == headers_.end())
      return DynamicState::kUsable; // linked statically
    std::vector<Elf64_Dyn> entries(std::min<uint64_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), kMaxDynamic));
    if (!bytes_.read_all(dynamic->p_offset, entries))
      return damaged(defect, "its dynamic section lies outside of the file");
    entries.erase(
        std::find_if(entries.begin(), entries.end(), [](const Elf64_Dyn &each) { return each.d_tag == DT_NULL; }),
        entries.end());
    if (!read_strings(entries))
      return damaged(defect, "the texts of its dynamic section lie outside of the file");
    if (!take(entries))
      return damaged(defect, "a text of its dynamic section lies outside of the others");
    const std::string_view names(strings_.data(), strings_.size());
    file_.is_omptarget =
        names.find(kOwnFunction) != std::string_view::npos || names.find(kGccFunction) != std::string_view::npos;
    return DynamicState::kUsable;
  }

private:
  static DynamicState damaged(std::string &defect, const char *why) {
    defect = why;
    return DynamicState::kDamaged;
  }

  bool read_strings(const std::vector<Elf64_Dyn> &entries) {
    uint64_t address = 0, size = 0;
    for (const Elf64_Dyn &entry : entries) {
      if (entry.d_tag == DT_STRTAB)
        address = entry.d_un.d_ptr;
      else if (entry.d_tag == DT_STRSZ)
        size = entry.d_un.d_val;
    }
    if (size > kMaxStrings)
      return false;
    for (const Elf64_Phdr &segment : headers_) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr > segment.p_filesz ||
          size > segment.p_filesz - (address - segment.p_vaddr))
        continue;
      struct stat facts = bytes_.facts();
      if (size > static_cast<uint64_t>(facts.st_size))
        return false;
      strings_.resize(size);
      return bytes_.read_all(segment.p_offset + (address - segment.p_vaddr), strings_);
    }
    return false;
  }

  /// False if the text does not end within the table.
  bool text(uint64_t offset, std::string &result) const {
    if (offset >= strings_.size())
      return false;
    const std::string_view rest(strings_.data() + offset, strings_.size() - offset);
    const size_t length = rest.find('\0');
    if (length == std::string_view::npos)
      return false;
    result = rest.substr(0, length);
    return true;
  }

  bool take(const std::vector<Elf64_Dyn> &entries) {
    std::string found;
    for (const Elf64_Dyn &entry : entries) {
      const uint64_t value = entry.d_un.d_val;
      if (entry.d_tag == DT_FLAGS_1)
        file_.has_no_defaults = (value & DF_1_NODEFLIB) != 0;
      if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME && entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH)
        continue;
      if (!text(value, found))
        return false;
      if (entry.d_tag == DT_NEEDED)
        file_.needed.push_back(found);
      else if (entry.d_tag == DT_SONAME)
        file_.soname = found;
      else
        (entry.d_tag == DT_RPATH ? file_.rpath : file_.runpath) = found;
    }
    return true;
  }

  const FileBytes &bytes_;
  DynamicFile &file_;
  std::vector<Elf64_Phdr> headers_;
  std::vector<char> strings_;
};

} // namespace

DynamicState read_dynamic_file(const std::string &path, DynamicFile &file, std::string &defect) {
  const FileBytes bytes(path);
  if (!bytes.is_open())
    return DynamicState::kAbsent;
  file.path = path;
  file.filesystem = bytes.facts().st_dev;
  file.inode = bytes.facts().st_ino;
  file.is_privileged = (bytes.facts().st_mode & (S_ISUID | S_ISGID)) != 0;
  return DynamicReader(bytes, file).read(defect);
}

} // namespace omptarget::info_tool
