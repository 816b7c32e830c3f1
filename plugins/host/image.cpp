// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/image.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "host/block_teams.h"
#include "host/teams.h"

namespace omptarget::host {

namespace {

std::string_view bytes_of(const __tgt_device_image &image) {
  const char *begin = static_cast<const char *>(image.ImageStart);
  const char *end = static_cast<const char *>(image.ImageEnd);
  return {begin, static_cast<size_t>(end - begin)};
}

/// Images of clang 14 are linked so that symbols of the program replace theirs: its globals would be used instead of
/// the device's own. The copy looks in itself first.
std::string bytes_to_load(std::string_view image, const ImageLayout &layout) {
  std::string bytes(image);
  if (layout.spare_dynamic_offset != 0) {
    const Elf64_Dyn symbolic{DT_SYMBOLIC, {0}};
    std::memcpy(bytes.data() + layout.spare_dynamic_offset, &symbolic, sizeof symbolic);
  }
  return bytes;
}

/// The address and the name of an entry of the image's own table, which may be unaligned.
struct OwnEntry {
  void *address;
  const char *name;
};
OwnEntry read_entry(const char *at, size_t record) {
  if (record == sizeof(__tgt_offload_entry_v1)) {
    __tgt_offload_entry_v1 entry;
    std::memcpy(&entry, at, sizeof entry);
    if (entry.kind != OMPTARGET_ENTRY_KIND_OPENMP)
      return {nullptr, nullptr};
    return {entry.address, entry.symbol_name};
  }
  __tgt_offload_entry entry;
  std::memcpy(&entry, at, sizeof entry);
  return {entry.addr, entry.name};
}

/// The place of a variable in the program.
struct HostPlace {
  uintptr_t address;
  bool is_writable; ///< lies in a segment that the program can write to
};

int note_host_segment(dl_phdr_info *module, size_t, void *data) {
  auto &place = *static_cast<HostPlace *>(data);
  const std::span<const ElfW(Phdr)> segments(module->dlpi_phdr, module->dlpi_phnum);
  const auto is_in = [&](const ElfW(Phdr) & segment) {
    return place.address - (module->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
  };
  bool is_found = false;
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_LOAD && is_in(segment)) {
      is_found = true;
      place.is_writable = (segment.p_flags & PF_W) != 0;
    }
  for (const ElfW(Phdr) & segment : segments)
    if (segment.p_type == PT_GNU_RELRO && is_in(segment))
      place.is_writable = false; // by now
  return is_found ? 1 : 0;
}

/// Returns whether the program can write to its own variable. Takes the dynamic loader's lock.
bool is_writable_on_host(const void *variable) {
  HostPlace place{reinterpret_cast<uintptr_t>(variable), false};
  dl_iterate_phdr(note_host_segment, &place);
  return place.is_writable;
}

} // namespace

Result<std::unique_ptr<LoadedImage>> LoadedImage::load(int32_t device, const __tgt_device_image &image) {
  if (!image.ImageStart || image.ImageEnd < image.ImageStart || image.EntriesEnd < image.EntriesBegin)
    return Status::error("the image's description is damaged: an end lies before its begin");
  OMPTARGET_TRY_ASSIGN(ImageLayout layout, check_image(bytes_of(image)));
  OMPTARGET_TRY_ASSIGN(ImageFile file, ImageFile::create(bytes_to_load(bytes_of(image), layout)));
  std::unique_ptr<LoadedImage> loaded(new LoadedImage(std::move(file), std::move(layout)));
  OMPTARGET_TRY(loaded->open(device));
  OMPTARGET_TRY(loaded->answer_for(device));
  OMPTARGET_TRY(loaded->fill_table(device, image));
  loaded->find_variables();
  loaded->meet_device_rtl();
  loaded->meet_block_teams();
  return loaded;
}

Status LoadedImage::open(int32_t device) {
  handle_ = dlopen(file_.path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!handle_) {
    const char *text = dlerror();
    return Status::error(format("the dynamic linker refuses the image: %s", text ? text : "no reason given"));
  }
  file_.release();
  link_map *map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void *>(&map)) != 0 || !map)
    return Status::error("the dynamic linker does not tell where the image is");
  base_ = map->l_addr;
  OMPTARGET_TRACE_DEVICE(Topic::kImage, device, "loaded an image of %zu segments at 0x%zx as %s",
                         layout_.segments.size(), static_cast<size_t>(base_), file_.path().c_str());
  return Status::ok();
}

LoadedImage::~LoadedImage() {
  if (has_kernels_per_team_)
    forget_kernels_per_team(range());
  if (code_)
    forget_block_teams(range());
  if (handle_)
    dlclose(handle_);
}

const Segment *LoadedImage::segment_of(const void *address, uint64_t size) const {
  const uint64_t at = reinterpret_cast<uintptr_t>(address) - base_;
  for (const Segment &segment : layout_.segments)
    if (at >= segment.address && size <= segment.memory_size && at - segment.address <= segment.memory_size - size)
      return &segment;
  return nullptr;
}

/// Returns whether it can be written to once the image is relocated. The dynamic linker protects whole pages.
bool LoadedImage::can_be_written(const Segment &segment, uint64_t address) const {
  const bool is_protected = address >= layout_.protected_begin / page_size() * page_size() &&
                            address < layout_.protected_end / page_size() * page_size();
  return segment.is_writable && !is_protected;
}

LoadedImage::Symbol LoadedImage::find_symbol(const char *name) const {
  // dlsym also searches the libraries that the image needs.
  void *address = dlsym(handle_, name);
  if (!address || !segment_of(address, 0))
    return {};
  Dl_info facts{};
  const ElfW(Sym) *symbol = nullptr;
  dladdr1(address, &facts, reinterpret_cast<void **>(const_cast<ElfW(Sym) **>(&symbol)), RTLD_DL_SYMENT);
  return {address, symbol ? symbol->st_size : 0};
}

void *LoadedImage::find_writable(const char *name, uint64_t size) const {
  void *address = dlsym(handle_, name);
  if (!address)
    return nullptr;
  const Segment *segment = segment_of(address, size);
  return segment && segment->is_writable ? address : nullptr;
}

void LoadedImage::find_variables() {
  const Symbol environment = find_symbol("__omp_rtl_device_environment");
  variables_ = {find_writable("__omp_offloading_fptr_map_p", sizeof(void *)),
                find_writable("__omp_offloading_fptr_map_size", sizeof(uint64_t)),
                environment.size ? find_writable("__omp_rtl_device_environment", environment.size) : nullptr,
                environment.size};
}

AddressRange LoadedImage::range() const {
  const Segment &last = layout_.segments.back();
  return {base_ + layout_.segments.front().address, base_ + last.address + last.memory_size};
}

/// The device RTL of images that are linked with ours.
void LoadedImage::meet_device_rtl() {
  if (!find_symbol(kTeamsMark).address)
    return;
  add_kernels_per_team(range());
  has_kernels_per_team_ = true;
}

/// Before this the calls have been redirected; functions of ours that find no image call those of libomp.
void LoadedImage::meet_block_teams() {
  if (layout_.team_calls.empty())
    return;
  code_ = std::make_unique<CodeMap>(base_, layout_);
  add_block_teams(range(), *code_);
}

/// The dynamic linker has bound these words to libomp, or will at the first call.
Status LoadedImage::answer_for(int32_t device) {
  for (const DeviceFunctionUse &use : layout_.device_functions)
    OMPTARGET_TRY(redirect(use.address, function_for(use.function, device)));
  for (const TeamCallUse &use : layout_.team_calls)
    OMPTARGET_TRY(redirect(use.address, use.function));
  return Status::ok();
}

/// word: before relocation.
Status LoadedImage::redirect(uint64_t word, const void *function) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t at = base_ + word;
  const Segment *const segment = segment_of(reinterpret_cast<const void *>(at), sizeof(void *));
  if (!segment)
    return Status::error(format("a word at 0x%zx lies outside the image", static_cast<size_t>(word)));
  void *const pages = reinterpret_cast<void *>(at / page * page);
  const size_t size = at + sizeof(void *) - reinterpret_cast<uintptr_t>(pages);
  const int other = (segment->is_executable ? PROT_EXEC : 0) | PROT_READ;
  const int before = other | (can_be_written(*segment, word) ? PROT_WRITE : 0);
  if ((before & PROT_WRITE) == 0 && mprotect(pages, size, other | PROT_WRITE) != 0)
    return Status::error(format("the address of a function cannot be written at %p: %s", reinterpret_cast<void *>(at),
                                std::strerror(errno)));
  std::memcpy(reinterpret_cast<void *>(at), &function, sizeof function);
  if ((before & PROT_WRITE) == 0)
    mprotect(pages, size, before);
  return Status::ok();
}

/// Returns whether text is a string inside the image.
bool LoadedImage::is_name(const char *text) const {
  const Segment *segment = segment_of(text, 1);
  if (!segment)
    return false;
  const uint64_t left = segment->address + segment->memory_size - (reinterpret_cast<uintptr_t>(text) - base_);
  return std::memchr(text, '\0', left) != nullptr;
}

void *LoadedImage::own_entry(const char *name) const {
  const EntrySection &section = layout_.entries;
  if (section.size == 0)
    return nullptr;
  const char *begin = reinterpret_cast<const char *>(base_ + section.address);
  for (uint64_t offset = 0; offset < section.size; offset += section.record) {
    const OwnEntry entry = read_entry(begin + offset, section.record);
    if (entry.name && is_name(entry.name) && std::strcmp(entry.name, name) == 0)
      return entry.address;
  }
  return nullptr;
}

void *LoadedImage::address_of(const __tgt_offload_entry &entry) const {
  if (!entry.name || !*entry.name || entry.flags == OMPTARGET_ENTRY_REQUIRES)
    return nullptr;
  // A function of the table of indirect functions may be a local symbol; the image's own entry names it.
  const bool is_function = (entry.flags & OMPTARGET_ENTRY_INDIRECT) != 0 && entry.size == 0;
  if (is_function)
    if (void *address = own_entry(entry.name))
      return address;
  if (void *address = dlsym(handle_, entry.name); address && segment_of(address, 0))
    return address;
  // clang 14 gives static variables an entry, and no symbol.
  return is_function ? nullptr : own_entry(entry.name);
}

void LoadedImage::refer_to_host(const __tgt_device_image &image) {
  constexpr std::string_view kSuffix = "_decl_tgt_ref_ptr";
  for (size_t i = 0; i < entries_.size(); ++i) {
    const __tgt_offload_entry &host = image.EntriesBegin[i];
    const std::string_view name = host.name ? host.name : "";
    if (host.addr && (host.flags == 0 || host.flags == OMPTARGET_ENTRY_LINK) && host.size == sizeof(void *) &&
        name.size() > kSuffix.size() && name.substr(name.size() - kSuffix.size()) == kSuffix &&
        segment_of(entries_[i].addr, host.size))
      std::memcpy(entries_[i].addr, host.addr, host.size);
  }
}

/// Functions must be code. The device's copy of a variable must be as large as the host's, and writable if that is.
Status LoadedImage::check_address(const __tgt_offload_entry &entry, const void *address) const {
  const bool is_called = entry.size == 0;
  const Segment *const segment = segment_of(address, is_called                                       ? 1
                                                     : entry.flags & OMPTARGET_ENTRY_INDIRECT_VTABLE ? sizeof(void *)
                                                                                                     : entry.size);
  const bool is_variable = !is_called && (entry.flags == 0 || entry.flags == OMPTARGET_ENTRY_LINK);
  if (segment && is_variable && !can_be_written(*segment, reinterpret_cast<uintptr_t>(address) - base_) &&
      is_writable_on_host(entry.addr))
    return Status::error(format("the image's variable '%s' lies in memory that cannot be written", entry.name));
  if (segment && (!is_called || segment->is_executable))
    return Status::ok();
  return Status::error(format(is_called ? "the image's kernel '%s' lies outside its code"
                                        : "the image's variable '%s' lies outside its data",
                              entry.name));
}

Status LoadedImage::fill_table(int32_t device, const __tgt_device_image &image) {
  for (const __tgt_offload_entry *entry = image.EntriesBegin; entry != image.EntriesEnd; ++entry) {
    entries_.push_back(*entry);
    entries_.back().addr = address_of(*entry);
    if (entries_.back().addr)
      OMPTARGET_TRY(check_address(*entry, entries_.back().addr));
    else
      OMPTARGET_TRACE_DEVICE(Topic::kImage, device, "the image does not have '%s'", entry->name ? entry->name : "");
  }
  table_ = {entries_.data(), entries_.data() + entries_.size()};
  return Status::ok();
}

} // namespace omptarget::host
