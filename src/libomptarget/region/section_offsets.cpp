// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/section_offsets.h"

#include <span>

#include "base/mapped_file.h"
#include "device/runtime.h"
#include "image/image_signs.h"
#include "image/module_bounds.h"

namespace omptarget {

namespace {

constexpr uint64_t bit(unsigned version) { return uint64_t{1} << version; }

SectionOffsets of_compilers(uint64_t compilers) {
  const uint64_t with_indices = compilers & (bit(kFirstWithByteOffsets) - 1);
  if (compilers == 0)
    return SectionOffsets::kUnknown;
  if (with_indices == 0)
    return SectionOffsets::kBytes;
  return with_indices == compilers ? SectionOffsets::kIndices : SectionOffsets::kBoth;
}

/// The compilers that may have made an image.
uint64_t compilers_of(const ImageSigns &signs) {
  if (signs.compilers != 0)
    return signs.compilers;
  uint64_t compilers = 0;
  for (const auto &[name, mark] : signs.marks)
    for (const Generation &row : kGenerations)
      if (mark.environment_size != 0 && mark.environment_size == row.environment)
        compilers |= bit(row.version);
  return compilers;
}

/// A module holds images of the same source for several devices; those that say nothing do not matter.
SectionOffsets offsets_of(const std::shared_ptr<OffloadLibrary> &library) {
  if (library->entry_generation == sizeof(__tgt_offload_entry))
    return SectionOffsets::kIndices;
  uint64_t compilers = 0;
  for (size_t i = 0; i < library->images.size(); ++i)
    if (const auto image = Runtime::get().modules().copy_image(library, i))
      compilers |= compilers_of(read_signs(image->bytes(), image->wrapping()));
  return of_compilers(compilers);
}

SectionOffsets offsets_of_needed(const std::vector<std::string> &libraries) {
  constexpr std::string_view kStem = "libomptarget.so";
  uint64_t compilers = 0;
  for (const std::string &name : libraries)
    for (const Generation &row : kGenerations)
      if (!row.library.empty() && name.starts_with(kStem) && std::string_view(name).substr(kStem.size()) == row.library)
        compilers |= bit(row.version);
  return of_compilers(compilers);
}

/// Reads who signed the module's own file: images for NVIDIA's GPUs have no signatures.
SectionOffsets offsets_of_file(const std::optional<ModuleBounds> &module) {
  MappedFile file;
  if (!module || !file.open(module->path))
    return SectionOffsets::kUnknown;
  const std::span bytes(file.contents().data(), file.contents().size());
  return of_compilers(read_signs(std::as_bytes(bytes), Wrapping::kRaw).compilers);
}

/// As the images of the module around the code say; null if it has registered none.
std::shared_ptr<OffloadLibrary> library_around(const void *code) {
  const auto address = reinterpret_cast<uintptr_t>(code);
  for (auto &library : Runtime::get().modules().libraries())
    if (address >= library->range.begin && address < library->range.end)
      return library;
  return nullptr;
}

} // namespace

Result<bool> has_byte_offsets(const void *code) {
  const std::shared_ptr<OffloadLibrary> library = library_around(code);
  SectionOffsets offsets = library ? library->section_offsets.load(std::memory_order_relaxed) : SectionOffsets::kUnread;
  if (offsets == SectionOffsets::kUnread) {
    offsets = library ? offsets_of(library) : SectionOffsets::kUnknown;
    if (offsets == SectionOffsets::kUnknown)
      offsets = offsets_of_needed(needed_by(code));
    if (offsets == SectionOffsets::kUnknown)
      offsets = offsets_of_file(module_of(code));
    if (library)
      library->section_offsets.store(offsets, std::memory_order_relaxed);
  }
  if (offsets == SectionOffsets::kIndices || offsets == SectionOffsets::kBytes)
    return offsets == SectionOffsets::kBytes;
  const std::optional<ModuleBounds> module = module_of(code);
  return Status::error(format(
      "a section of one-byte elements that is not contiguous begins at different places for clang up "
      "to %u and for later ones, and %s does not say which one compiled it: %s",
      kFirstWithByteOffsets - 1, module ? module->path.c_str() : "the calling code",
      offsets == SectionOffsets::kBoth ? "both compiled parts of it; compile all of it by one"
                                       : "it has no mark of a known clang, and it needs no libomptarget of a version; "
                                         "link it against that of its compiler"));
}

} // namespace omptarget
