// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of entries and the device images in the file of an executable or a shared library, found without loading
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "image/entry.h"

namespace omptarget::info_tool {

struct FileEntry {
  std::string name; ///< as emitted
  EntryKind kind;
  uint64_t size; ///< bytes
};

struct FileImage {
  std::span<const std::byte> bytes; ///< in the module's file, and as long as the ModuleFile lives
  std::string triple;               ///< what its container says, or empty
  std::string arch;
  std::string defect;                 ///< why it cannot be used, or empty
  std::vector<std::string> compilers; ///< as they have signed the image; none if it does not say
  std::vector<FileEntry> missing;     ///< entries of the module that the image should have and has not
};

/// One descriptor of the module: one compiler's part of it.
struct FileDescriptor {
  std::string generation; ///< "clang 15 or 16"
  std::vector<FileEntry> entries;
  std::vector<FileImage> images;
  uint64_t requires_mask = 0;
};

/// GCC's tables for its own runtime, libgomp: of target regions, OpenMP's and OpenACC's, and global variables.
struct GccTables {
  uint64_t kernels = 0;
  uint64_t variables = 0;
  std::optional<bool> has_images; ///< for devices; nothing if the module is linked statically, which does not tell
};

struct ModuleFile {
  std::shared_ptr<const void> contents; ///< of the file, relocated
  std::string path;
  std::vector<std::string> compilers;      ///< as they have signed, "clang version 19.1.7 ...", of the module
  std::vector<FileDescriptor> descriptors; ///< empty: the module does not offload by omptarget
  std::optional<GccTables> gcc;
};

/// Reads a file. Fails, saying why, if it is no regular file or no ELF file for this machine, or is damaged. The time
/// and memory that this takes grow with the file's size only, whatever its contents.
Result<ModuleFile> read_module_file(const std::string &path);

/// The kind of an entry with this size and these flags (compiler ABI: entry flags).
EntryKind kind_of_entry(uint64_t size, uint32_t flags);

} // namespace omptarget::info_tool
