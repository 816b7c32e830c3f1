// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/module_file.h"

#include <cerrno>
#include <cstring>
#include <llvm/Support/MemoryBuffer.h>
#include <set>

#include "image/container.h"
#include "omptarget/types.h"
#include "tools/info/elf_memory.h"

namespace omptarget::info_tool {

namespace {

constexpr uint64_t kMaxImages = 1 << 16;
constexpr uint64_t kWord = sizeof(uint64_t);

/// Every compiler's part of a module is found by its descriptor, which no symbol names once the module is stripped: it
/// ends with the bounds of the table of entries, and so does each record of an image.
class ModuleReader {
public:
  explicit ModuleReader(const ElfMemory &memory) : memory_(memory) {}

  Status read(ModuleFile &module) {
    read_compilers(module);
    for (const char *name : {"omp_offloading_entries", "llvm_offload_entries"})
      if (const ElfMemory::Section *table = memory_.section(name))
        OMPTARGET_TRY_DURING(read_table(*table, std::strcmp(name, "llvm_offload_entries") == 0, module), "in section %s",
                             name);
    if (module.descriptors.empty())
      read_bare_containers(module);
    return Status::ok();
  }

private:
  void read_compilers(ModuleFile &module) const {
    const ElfMemory::Section *comment = memory_.section(".comment");
    if (!comment)
      return;
    std::set<std::string> seen;
    const std::string all(reinterpret_cast<const char *>(comment->bytes.data()), comment->bytes.size());
    for (size_t at = 0; at < all.size();) {
      const std::string one = all.c_str() + at;
      at += one.size() + 1;
      if ((one.find("clang") != std::string::npos || one.find("flang") != std::string::npos) && seen.insert(one).second)
        module.compilers.push_back(one);
    }
  }

  Status read_table(const ElfMemory::Section &table, bool is_new, ModuleFile &module) {
    FileDescriptor found;
    OMPTARGET_TRY(read_entries(table, is_new, found));
    const uint64_t begin = table.address, end = table.address + table.size;
    for (const ElfMemory::Range &range : memory_.data_ranges())
      for (uint64_t at = (range.begin + 2 * kWord + 7) & ~uint64_t{7}; at + 2 * kWord <= range.end; at += kWord) {
        if (memory_.value<uint64_t>(at) != begin || memory_.value<uint64_t>(at + kWord) != end)
          continue;
        FileDescriptor descriptor = found;
        if (read_descriptor(at - 2 * kWord, is_new, descriptor))
          module.descriptors.push_back(std::move(descriptor));
      }
    if (module.descriptors.empty()) {
      found.generation = is_new ? "clang 20 or later" : "clang 14 to 19";
      module.descriptors.push_back(std::move(found));
    }
    return Status::ok();
  }

  Status read_entries(const ElfMemory::Section &table, bool is_new, FileDescriptor &descriptor) const {
    const uint64_t step = is_new ? sizeof(__tgt_offload_entry_v1) : sizeof(__tgt_offload_entry);
    if (table.size % step != 0)
      return Status::error(format("%llu bytes are no multiple of an entry's %llu",
                                  static_cast<unsigned long long>(table.size), static_cast<unsigned long long>(step)));
    for (uint64_t at = table.address; at < table.address + table.size; at += step) {
      uint64_t name_address, size, data;
      uint32_t flags;
      if (is_new) {
        const auto entry = memory_.value<__tgt_offload_entry_v1>(at);
        if (!entry)
          return Status::error("the table lies outside of the file");
        if (entry->kind != OMPTARGET_ENTRY_KIND_OPENMP)
          continue;
        name_address = reinterpret_cast<uint64_t>(entry->symbol_name);
        size = entry->size, data = entry->data, flags = entry->flags;
      } else {
        const auto entry = memory_.value<__tgt_offload_entry>(at);
        if (!entry)
          return Status::error("the table lies outside of the file");
        name_address = reinterpret_cast<uint64_t>(entry->name);
        size = entry->size, data = static_cast<uint32_t>(entry->reserved), flags = static_cast<uint32_t>(entry->flags);
      }
      if (flags == OMPTARGET_ENTRY_REQUIRES) {
        descriptor.requires_mask |= data;
        continue;
      }
      const auto name = memory_.text(name_address);
      if (!name)
        return Status::error(format("the name of the entry at 0x%llx lies outside of the file",
                                    static_cast<unsigned long long>(at)));
      descriptor.entries.push_back({*name, kind_of_entry(size, flags), size});
    }
    return Status::ok();
  }

  /// Whether there is a descriptor at the address, and not the record of an image.
  bool read_descriptor(uint64_t at, bool is_new, FileDescriptor &descriptor) const {
    const auto count = memory_.value<uint32_t>(at);
    const auto images = memory_.value<uint64_t>(at + kWord);
    if (!count || !images || *count == 0 || *count > kMaxImages)
      return false;
    const auto records = memory_.bytes(*images, *count * sizeof(__tgt_device_image));
    if (records.empty())
      return false;
    bool is_wrapped = false;
    for (uint64_t i = 0; i < *count; ++i) {
      const auto record = memory_.value<__tgt_device_image>(*images + i * sizeof(__tgt_device_image));
      const auto begin = reinterpret_cast<uint64_t>(record->ImageStart);
      const auto end = reinterpret_cast<uint64_t>(record->ImageEnd);
      if (end < begin)
        return false;
      descriptor.images.push_back(read_image(memory_.bytes(begin, end - begin), is_wrapped));
    }
    descriptor.generation = is_new                                    ? "clang 20 or later"
                            : is_wrapped                              ? "clang 15 or 16"
                            : memory_.section(".llvm.offloading") ? "clang 17 to 19"
                                                                      : "clang 14 or older";
    return true;
  }

  static FileImage read_image(std::span<const std::byte> bytes, bool &is_wrapped) {
    FileImage image;
    if (bytes.empty())
      image.defect = "it is empty or lies outside of the file";
    if (!is_container(bytes)) {
      image.bytes.assign(bytes.begin(), bytes.end());
      return image;
    }
    is_wrapped = true;
    auto contained = open_container(bytes);
    if (!contained.is_ok()) {
      image.defect = contained.status().to_string();
      return image;
    }
    image.bytes.assign(contained->bytes.begin(), contained->bytes.end());
    image.triple = contained->triple;
    image.arch = contained->arch;
    return image;
  }

  /// A module with images and without entries.
  void read_bare_containers(ModuleFile &module) const {
    const ElfMemory::Section *section = memory_.section(".llvm.offloading");
    if (!section)
      return;
    FileDescriptor descriptor;
    std::span<const std::byte> rest = section->bytes;
    constexpr size_t kSizeField = 8;
    while (is_container(rest) && rest.size() >= kSizeField + sizeof(uint64_t)) {
      uint64_t size;
      std::memcpy(&size, rest.data() + kSizeField, sizeof size);
      bool is_wrapped;
      descriptor.images.push_back(read_image(rest, is_wrapped));
      if (size < kSizeField || size > rest.size())
        break;
      rest = rest.subspan((size + 7) / 8 * 8 > rest.size() ? rest.size() : (size + 7) / 8 * 8);
    }
    descriptor.generation = "clang 15 or later";
    if (!descriptor.images.empty())
      module.descriptors.push_back(std::move(descriptor));
  }

  const ElfMemory &memory_;
};

} // namespace

EntryKind kind_of_entry(uint64_t size, uint32_t flags) {
  if (flags & OMPTARGET_ENTRY_LINK)
    return EntryKind::kLinkVariable;
  if (flags & OMPTARGET_ENTRY_CTOR)
    return EntryKind::kConstructor;
  if (flags & OMPTARGET_ENTRY_DTOR)
    return EntryKind::kDestructor;
  if (flags & OMPTARGET_ENTRY_INDIRECT)
    return size == 0 ? EntryKind::kFunctionPointer : EntryKind::kIndirect;
  if (flags & OMPTARGET_ENTRY_INDIRECT_VTABLE)
    return EntryKind::kVtable;
  return size == 0 ? EntryKind::kKernel : EntryKind::kVariable;
}

Result<ModuleFile> read_module_file(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
  if (!buffer)
    return Status::error(buffer.getError().message());
  const llvm::StringRef contents = (*buffer)->getBuffer();
  OMPTARGET_TRY_ASSIGN(const ElfMemory memory,
                       ElfMemory::load({reinterpret_cast<const std::byte *>(contents.data()), contents.size()}));
  ModuleFile module;
  module.path = path;
  OMPTARGET_TRY(ModuleReader(memory).read(module));
  return module;
}

} // namespace omptarget::info_tool
