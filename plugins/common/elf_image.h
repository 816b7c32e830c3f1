// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of an ELF image: header, sections, symbols and their initial bytes. Reads untrusted bytes: every
// offset is checked. Knows nothing of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"

namespace omptarget {

/// The fields of an ELF header that tell what an image is for.
struct ElfHeader {
  uint8_t os_abi;
  uint8_t abi_version;
  uint16_t type;
  uint16_t machine;
  uint32_t flags;

  /// Fails with a text that says what is wrong if the bytes are no little-endian ELF file of 64 bits.
  static Result<ElfHeader> read(const void *image, size_t size);
};

struct ElfSection {
  std::string_view name;
  uint32_t type;
  uint64_t address;
  std::string_view contents; ///< empty for sections without bytes in the file
};

struct ElfSymbol {
  std::string_view name;
  uint64_t value;
  uint64_t size;
  uint16_t section;
  uint8_t type;              ///< STT_*
  uint32_t number;           ///< in its table
  bool is_ambiguous = false; ///< something else in the file has the name, too
};

/// Sections and defined symbols of an image, of those with the same name the first. Refers to the image's memory,
/// which must outlive it. Immutable.
class ElfImage {
public:
  /// Fails, naming what is wrong, for bytes that are no such file or contradict themselves.
  static Result<ElfImage> parse(const void *image, size_t size);

  const ElfHeader &header() const { return header_; }
  const std::vector<ElfSection> &sections() const { return sections_; }
  const std::vector<ElfSymbol> &symbols() const { return symbols_; }
  /// Null if there is no defined symbol of that name.
  const ElfSymbol *find(std::string_view name) const;
  /// Copies the initial bytes of a symbol; false if the file does not hold that many.
  bool read(const ElfSymbol &symbol, void *destination, size_t size) const;

private:
  Status read_sections(std::string_view bytes);
  Status read_symbols(const struct ElfTable &table, struct ElfNames &reader);

  ElfHeader header_{};
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
  std::unordered_map<std::string_view, uint32_t> by_name_;
};

} // namespace omptarget
