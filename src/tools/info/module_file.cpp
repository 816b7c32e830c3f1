// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/module_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "generations/generations.h"
#include "image/container.h"
#include "image/image_signs.h"
#include "omptarget/types.h"
#include "tools/info/elf_memory.h"
#include "tools/info/missing_entries.h"
#include "tools/info/producers.h"

namespace omptarget::info_tool {

namespace {

constexpr uint64_t kMaxImages = 1 << 12;  ///< of one descriptor
constexpr uint64_t kMaxEntries = 1 << 21; ///< of all descriptors
constexpr uint64_t kMaxDescriptors = 1 << 10;
constexpr uint64_t kMaxFile = uint64_t{1} << 32; ///< bytes
constexpr uint64_t kMinContainer = 32;           ///< bytes
constexpr uint64_t kWord = sizeof(uint64_t);
constexpr size_t kLongestName = 1000; ///< that is printed
/// The names of both functions of libgomp that a module with device images calls, of GCC 5 and later and of GCC 4.
constexpr std::string_view kGccRegistrations[] = {{"\0GOMP_offload_register_ver\0", 27},
                                                  {"\0GOMP_offload_register\0", 23}};

/// A private copy of a regular file, written on demand; unmapped when the last user has gone.
Result<std::span<std::byte>> map_file(const std::string &path, std::shared_ptr<const void> &owner) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return Status::error(std::strerror(errno));
  struct stat facts{};
  const bool is_known = ::fstat(file, &facts) == 0;
  const auto size = static_cast<size_t>(facts.st_size);
  void *memory = MAP_FAILED;
  if (is_known && S_ISREG(facts.st_mode) && size != 0 && size <= kMaxFile)
    memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
  const int reason = errno;
  ::close(file);
  if (!is_known || !S_ISREG(facts.st_mode))
    return Status::error("it is no regular file");
  if (size == 0)
    return Status::error("it is empty");
  if (size > kMaxFile)
    return Status::error(
        format("it has %zu bytes; expected at most %llu", size, static_cast<unsigned long long>(kMaxFile)));
  if (memory == MAP_FAILED)
    return Status::error(std::strerror(reason));
  owner = std::shared_ptr<const void>(memory, [size](const void *bytes) { ::munmap(const_cast<void *>(bytes), size); });
  return std::span<std::byte>(static_cast<std::byte *>(memory), size);
}

bool is_new_entry(const Generation &row) { return row.entry == sizeof(__tgt_offload_entry_v1); }

/// From the first to the last compiler of the table that it holds for: "clang 15 to 17", "clang 20 or later".
template <typename Predicate> std::string generation_text(Predicate holds) {
  unsigned first = 0, last = 0;
  for (const Generation &row : kGenerations)
    if (holds(row)) {
      first = first == 0 ? row.version : first;
      last = row.version;
    }
  if (first == 0)
    return "no known clang";
  if (first == last && first != kOldestClang)
    return format("clang %u", first);
  if (last == kNewestClang)
    return format("clang %u or later", first);
  if (first == last)
    return format("clang %u or older", first);
  return format(last - first == 1 ? "clang %u or %u" : "clang %u to %u", first, last);
}

/// Returns the compilers of the table that holds() is true for and that signed the images. Returns all of them if none
/// signed, or another compiler.
template <typename Predicate> auto signed_among(const FileDescriptor &descriptor, Predicate holds) {
  Signatures found;
  for (const FileImage &image : descriptor.images)
    for (const std::string &signature : image.compilers) {
      const Signatures one = read_signatures(signature);
      found.compilers |= one.compilers;
      found.has_other = found.has_other || one.has_other;
    }
  uint64_t chosen = 0;
  for (const Generation &row : kGenerations)
    if (holds(row) && (found.compilers & uint64_t{1} << row.version) != 0)
      chosen |= uint64_t{1} << row.version;
  const bool takes_all = found.has_other || chosen == 0;
  return [=](const Generation &row) { return takes_all ? holds(row) : (chosen & uint64_t{1} << row.version) != 0; };
}

/// Every compiler's part of a module is found by its descriptor, which no symbol names once the module is stripped: it
/// ends with the bounds of the table of entries, and so does each record of an image.
class ModuleReader {
public:
  explicit ModuleReader(const ElfMemory &memory)
      : memory_(memory), has_bare_containers_(memory.section(".llvm.offloading").has_value()),
        name_budget_(memory.file_size()), image_budget_(memory.file_size()) {}

  Status read(ModuleFile &module) {
    read_compilers(module);
    for (const char *name : {"omp_offloading_entries", "llvm_offload_entries"})
      if (const std::optional<ElfMemory::Section> table = memory_.section(name))
        OMPTARGET_TRY_DURING(read_table(*table, std::strcmp(name, "llvm_offload_entries") == 0, module),
                             "in section %s", name);
    if (module.descriptors.empty())
      OMPTARGET_TRY_DURING(read_bare_containers(module), "in section .llvm.offloading");
    return read_gcc_tables(module);
  }

private:
  void read_compilers(ModuleFile &module) const {
    if (const std::optional<ElfMemory::Section> comment = memory_.section(".comment"))
      module.compilers = signatures_in({reinterpret_cast<const char *>(comment->bytes.data()), comment->bytes.size()});
  }

  static Status check_size(uint64_t size, uint64_t step) {
    if (size % step == 0)
      return Status::ok();
    return Status::error(format("%llu bytes are no multiple of an entry's %llu", static_cast<unsigned long long>(size),
                                static_cast<unsigned long long>(step)));
  }

  /// Sets count to the number of entries in a section, 0 if there is none.
  Status count_entries(const char *section, uint64_t step, uint64_t &count) const {
    const std::optional<ElfMemory::Section> table = memory_.section(section);
    count = table ? table->size / step : 0;
    if (table)
      OMPTARGET_TRY_DURING(check_size(table->size, step), "in section %s", section);
    return Status::ok();
  }

  /// GCC's tables have a function's address for each target region, and address and size for each variable.
  Status read_gcc_tables(ModuleFile &module) const {
    GccTables found;
    OMPTARGET_TRY(count_entries(".gnu.offload_funcs", kWord, found.kernels));
    OMPTARGET_TRY(count_entries(".gnu.offload_vars", 2 * kWord, found.variables));
    if (found.kernels == 0 && found.variables == 0)
      return Status::ok();
    if (const std::optional<ElfMemory::Section> names = memory_.section(".dynstr")) {
      const std::string_view text(reinterpret_cast<const char *>(names->bytes.data()), names->bytes.size());
      found.has_images = std::any_of(std::begin(kGccRegistrations), std::end(kGccRegistrations),
                                     [&](std::string_view name) { return text.find(name) != std::string_view::npos; });
    }
    module.gcc = found;
    return Status::ok();
  }

  Status read_table(const ElfMemory::Section &table, bool is_new, ModuleFile &module) {
    FileDescriptor found;
    OMPTARGET_TRY(read_entries(table, is_new, found));
    const uint64_t bounds[] = {table.address, table.address + table.size};
    for (const ElfMemory::Range &range : memory_.data_ranges())
      for (uint64_t at = (range.begin + 7) / 8 * 8 - range.begin + 2 * kWord; at + sizeof bounds <= range.bytes.size();
           at += kWord)
        if (std::memcmp(range.bytes.data() + at, bounds, sizeof bounds) == 0)
          OMPTARGET_TRY(read_descriptor(range.begin + at - 2 * kWord, is_new, found, module));
    if (module.descriptors.empty()) {
      found.generation = generation_text([&](const Generation &row) { return is_new_entry(row) == is_new; });
      module.descriptors.push_back(std::move(found));
    }
    return Status::ok();
  }

  /// The fields of both layouts of an entry.
  struct RawEntry {
    uint64_t address;
    uint64_t name;
    uint64_t size;
    uint64_t data;
    uint32_t flags;
    bool is_openmp;
  };
  std::optional<RawEntry> raw_entry(uint64_t at, bool is_new) const {
    if (is_new) {
      const auto entry = memory_.value<__tgt_offload_entry_v1>(at);
      if (!entry)
        return std::nullopt;
      return RawEntry{reinterpret_cast<uint64_t>(entry->address),
                      reinterpret_cast<uint64_t>(entry->symbol_name),
                      entry->size,
                      entry->data,
                      entry->flags,
                      entry->kind == OMPTARGET_ENTRY_KIND_OPENMP};
    }
    const auto entry = memory_.value<__tgt_offload_entry>(at);
    if (!entry)
      return std::nullopt;
    return RawEntry{reinterpret_cast<uint64_t>(entry->addr), reinterpret_cast<uint64_t>(entry->name), entry->size,
                    static_cast<uint32_t>(entry->reserved),  static_cast<uint32_t>(entry->flags),     true};
  }

  /// The library refuses such a module.
  Status check_address(const RawEntry &entry, std::string_view name) const {
    const uint64_t size = entry.flags & OMPTARGET_ENTRY_INDIRECT ? 1 : std::max<uint64_t>(entry.size, 1);
    if (entry.address == ElfMemory::kElsewhere || (entry.address != 0 && memory_.is_loaded(entry.address, size)))
      return Status::ok();
    return Status::error(format("the entry of %.*s is at 0x%llx (%llu bytes), where the module has no memory",
                                static_cast<int>(std::min<size_t>(name.size(), kLongestName)), name.data(),
                                static_cast<unsigned long long>(entry.address), static_cast<unsigned long long>(size)));
  }

  Status read_entries(const ElfMemory::Section &table, bool is_new, FileDescriptor &descriptor) {
    const uint64_t step = is_new ? sizeof(__tgt_offload_entry_v1) : sizeof(__tgt_offload_entry);
    OMPTARGET_TRY(check_size(table.size, step));
    for (uint64_t at = table.address; at != table.address + table.size; at += step) {
      const std::optional<RawEntry> entry = raw_entry(at, is_new);
      if (!entry)
        return Status::error("the table lies outside of the file");
      if (!entry->is_openmp)
        continue;
      if (entry->flags == OMPTARGET_ENTRY_REQUIRES) {
        descriptor.requires_mask |= entry->data;
        continue;
      }
      const auto name = memory_.text(entry->name);
      if (!name)
        return Status::error(
            format("the name of the entry at 0x%llx lies outside of the file", static_cast<unsigned long long>(at)));
      if (name->size() >= name_budget_)
        return Status::error("the names of the entries are longer than the file: they overlap");
      name_budget_ -= name->size() + 1;
      OMPTARGET_TRY(check_address(*entry, *name));
      descriptor.entries.push_back({std::string(*name), kind_of_entry(entry->size, entry->flags), entry->size});
    }
    return Status::ok();
  }

  /// Adds the descriptor at the address, if there is one, and not the record of an image; entries: what it names.
  Status read_descriptor(uint64_t at, bool is_new, const FileDescriptor &entries, ModuleFile &module) {
    const auto count = memory_.value<uint32_t>(at);
    const auto images = memory_.value<uint64_t>(at + kWord);
    if (!count || !images || *count == 0 || *count > kMaxImages)
      return Status::ok();
    const auto records = memory_.bytes(*images, *count * sizeof(__tgt_device_image));
    if (records.empty())
      return Status::ok();
    std::vector<std::span<const std::byte>> found;
    for (uint64_t i = 0; i < *count; ++i) {
      __tgt_device_image record;
      std::memcpy(&record, records.data() + i * sizeof record, sizeof record);
      const auto begin = reinterpret_cast<uint64_t>(record.ImageStart);
      const auto end = reinterpret_cast<uint64_t>(record.ImageEnd);
      if (end < begin)
        return Status::ok();
      found.push_back(memory_.bytes(begin, end - begin));
    }
    number_of_entries_ += entries.entries.size();
    if (module.descriptors.size() == kMaxDescriptors || number_of_entries_ > kMaxEntries)
      return Status::error("there are too many descriptors of the same entries");
    FileDescriptor descriptor = entries;
    bool is_wrapped = false;
    for (const auto bytes : found)
      OMPTARGET_TRY(add_image(bytes, descriptor, is_wrapped));
    descriptor.generation = generation_text(signed_among(descriptor, [&](const Generation &row) {
      return is_new_entry(row) == is_new && (row.wrapping == Wrapping::kContainer) == is_wrapped &&
             (is_new || is_wrapped || (row.version != kOldestClang) == has_bare_containers_);
    }));
    module.descriptors.push_back(std::move(descriptor));
    return Status::ok();
  }

  /// Images that share their bytes would be read once for each.
  Status add_image(std::span<const std::byte> bytes, FileDescriptor &descriptor, bool &is_wrapped) {
    if (bytes.size() > image_budget_)
      return Status::error("the device images are larger than the file: they overlap");
    image_budget_ -= bytes.size();
    FileImage image = read_image(bytes, is_wrapped);
    image.missing = missing_entries(image.bytes, descriptor.entries);
    descriptor.images.push_back(std::move(image));
    return Status::ok();
  }

  static FileImage read_image(std::span<const std::byte> bytes, bool &is_wrapped) {
    FileImage image;
    if (bytes.empty())
      image.defect = "it is empty or lies outside of the file";
    if (!is_container(bytes)) {
      image.bytes = bytes;
      image.compilers = signatures_of(bytes);
      return image;
    }
    is_wrapped = true;
    auto contained = open_container(bytes);
    if (!contained.is_ok()) {
      image.defect = contained.status().to_string();
      return image;
    }
    image.bytes = contained->bytes;
    image.compilers = signatures_of(image.bytes);
    image.triple = contained->triple;
    image.arch = contained->arch;
    return image;
  }

  /// A module with images and without entries.
  Status read_bare_containers(ModuleFile &module) {
    const std::optional<ElfMemory::Section> section = memory_.section(".llvm.offloading");
    if (!section)
      return Status::ok();
    FileDescriptor descriptor;
    std::span<const std::byte> rest = section->bytes;
    constexpr size_t kSizeField = 8;
    while (is_container(rest) && rest.size() >= kMinContainer) {
      uint64_t size;
      std::memcpy(&size, rest.data() + kSizeField, sizeof size);
      const bool is_sound = size >= kMinContainer && size <= rest.size();
      bool is_wrapped;
      if (descriptor.images.size() == kMaxImages)
        return Status::error(format("it has more than %llu images", static_cast<unsigned long long>(kMaxImages)));
      OMPTARGET_TRY(add_image(rest.first(is_sound ? size : rest.size()), descriptor, is_wrapped));
      if (!is_sound)
        break;
      rest = rest.subspan(std::min<uint64_t>((size + 7) / 8 * 8, rest.size()));
    }
    descriptor.generation =
        generation_text(signed_among(descriptor, [](const Generation &row) { return row.version != kOldestClang; }));
    if (!descriptor.images.empty())
      module.descriptors.push_back(std::move(descriptor));
    return Status::ok();
  }

  const ElfMemory &memory_;
  const bool has_bare_containers_;
  uint64_t name_budget_;  ///< bytes of names that are still believed
  uint64_t image_budget_; ///< the same of images
  uint64_t number_of_entries_ = 0;
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
  ModuleFile module;
  module.path = path;
  OMPTARGET_TRY_ASSIGN(const std::span<std::byte> contents, map_file(path, module.contents));
  OMPTARGET_TRY_ASSIGN(const ElfMemory memory, ElfMemory::load(contents));
  OMPTARGET_TRY(ModuleReader(memory).read(module));
  return module;
}

} // namespace omptarget::info_tool
