// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF file as it would lie in memory, relocated as far as it can be without its libraries.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace omptarget::info_tool {

class ElfMemory {
public:
  /// Takes the contents of a file. Fails, saying why, if it is no 64-bit x86-64 ELF file.
  static Result<ElfMemory> load(std::span<const std::byte> file);

  struct Section {
    std::string name;
    uint64_t address;
    std::vector<std::byte> bytes; ///< as in the file; empty for those without
    uint64_t size;
  };
  const std::vector<Section> &sections() const { return sections_; }
  const Section *section(const std::string &name) const;

  /// size bytes at the address, or an empty span if they are not all in one segment of the file.
  std::span<const std::byte> bytes(uint64_t address, uint64_t size) const;
  template <typename T> std::optional<T> value(uint64_t address) const {
    const auto found = bytes(address, sizeof(T));
    if (found.size() != sizeof(T))
      return std::nullopt;
    T result;
    std::memcpy(&result, found.data(), sizeof result);
    return result;
  }
  /// The NUL terminated text at the address, or nothing.
  std::optional<std::string> text(uint64_t address) const;

  struct Range {
    uint64_t begin;
    uint64_t end;
  };
  /// What is writable before the program starts, where tables of addresses lie.
  std::vector<Range> data_ranges() const;

private:
  struct Segment {
    uint64_t address;
    bool is_writable;
    std::vector<std::byte> bytes;
  };
  void store(uint64_t address, uint64_t value);
  template <typename Elf> Status read_segments(const Elf &elf);
  template <typename Elf> Status read_sections(const Elf &elf);
  template <typename Elf> Status relocate(const Elf &elf);

  std::vector<Segment> segments_;
  std::vector<Section> sections_;
};

} // namespace omptarget::info_tool
