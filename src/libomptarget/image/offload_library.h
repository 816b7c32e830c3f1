// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries and device images of one module (executable or shared library), in the inner form. Code behind this file
// does not know which compiler made the module.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "generations/generations.h"
#include "image/entry.h"
#include "image/module_bounds.h"
#include "omptarget/types.h"

namespace omptarget {

/// A device image: bytes in the module's memory, and which entries of the library belong to it.
struct DeviceImage {
  const std::byte *begin = nullptr;
  const std::byte *end = nullptr;
  size_t number = 0;                   ///< in the module's descriptor
  std::span<const std::byte> embedded; ///< what the module has: the bytes, or a container around them
  std::string arch;                    ///< what its container said, or empty
  std::string defect;                  ///< why it cannot be used, or empty
  Wrapping wrapping = Wrapping::kRaw;  ///< how the module's record names it
  std::vector<Entry> entries;          ///< in the order of the module's table

  size_t size() const { return static_cast<size_t>(end - begin); }
};

/// The unit of offsets of non-contiguous sections in a module. kBoth: some are indices, some bytes.
enum class SectionOffsets : uint8_t { kUnread, kIndices, kBytes, kBoth, kUnknown };

/// Immutable once read. Its pointers are valid while the module is registered: see ModuleRegistry::copy_image.
struct OffloadLibrary {
  const __tgt_bin_desc *descriptor = nullptr; ///< its identity
  std::string path;                           ///< of the module, for messages
  AddressRange range{};                       ///< of the module; empty if it lies in none
  bool cannot_be_closed = false;              ///< was loaded with the program
  std::atomic<bool> may_vanish{false};        ///< exit has finalised it: if it is closed now, nothing tells
  uint32_t entry_generation = 0;              ///< bytes of an entry as emitted: 32 or 56; 0 for an empty table
  std::vector<DeviceImage> images;
  std::vector<Entry> entries;       ///< of the whole table, without requires records
  uint64_t requires_mask = 0;       ///< union of its requires records; 0 if it has none
  uint64_t requires_by_all = ~0ull; ///< what each of these requires; its parts contradict one another if it is less
  std::atomic<SectionOffsets> section_offsets{SectionOffsets::kUnread}; ///< not read before it is needed

  /// The file name without folders.
  std::string name() const;
  /// Returns whether the module is still in memory.
  bool is_there() const;
};

/// Reads a descriptor. Every table must lie in the module that holds the descriptor; a descriptor outside of all
/// modules is trusted. Fails, naming the module, if the descriptor itself is unusable; a single bad image only gets a
/// defect. Reads the module's memory only.
Result<std::unique_ptr<OffloadLibrary>> read_descriptor(const __tgt_bin_desc *descriptor);

} // namespace omptarget
