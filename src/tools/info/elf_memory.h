// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF file as it would lie in memory, relocated as far as it can be without its libraries. The file may say
// anything: nothing is copied, each table is read once, and tables that share their bytes are refused, so that the
// work grows with the size of the file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace omptarget::info_tool {

class ElfMemory {
public:
  /// Takes the contents of a file, which it relocates in place, and refers to as long as it lives. Fails, saying why,
  /// if it is no 64-bit ELF file for this machine, or contradicts itself.
  static Result<ElfMemory> load(std::span<std::byte> file);

  /// The value of a word that is to hold an address in another module.
  static constexpr uint64_t kElsewhere = UINT64_MAX;

  struct Section {
    uint64_t address;
    uint64_t size;                    ///< address + size does not overflow
    std::span<const std::byte> bytes; ///< as in the file; empty for those without
  };
  /// The first section of that name, or null. Passes over all sections: ask once.
  std::optional<Section> section(std::string_view name) const;

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
  /// Returns whether size bytes at the address are in one segment of the loaded file.
  bool is_loaded(uint64_t address, uint64_t size) const;
  /// The NUL terminated text at the address, at most 1 MB, or nothing.
  std::optional<std::string_view> text(uint64_t address) const;

  struct Range {
    uint64_t begin;
    std::span<const std::byte> bytes;
  };
  /// Returns the ranges that are writable before the program starts: tables of addresses lie there.
  std::vector<Range> data_ranges() const;

  uint64_t file_size() const { return file_.size(); }

private:
  struct Segment {
    uint64_t address;
    bool is_writable;
    uint64_t memory_size; ///< at least as many as the file has
    std::span<std::byte> bytes;
  };
  template <typename Record> std::optional<Record> record(uint64_t offset) const;
  /// The same where it is known that the file has it.
  template <typename Record> Record checked_record(uint64_t offset) const;
  std::span<std::byte> part(uint64_t offset, uint64_t size) const;
  Status read_segments();
  Status read_sections();
  Status relocate();
  Status relocate_by(uint32_t section, uint64_t &budget);
  const Segment *segment_of(uint64_t address) const;
  void store(uint64_t address, uint64_t value);

  std::span<std::byte> file_;
  std::vector<Segment> segments_; ///< ascending, without overlaps
  uint64_t section_headers_ = 0;  ///< offset
  uint32_t section_count_ = 0;
  std::span<const std::byte> section_names_;
};

} // namespace omptarget::info_tool
