// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of one image that its dynamic section names, checked in the way in which glibc's dynamic linker reads
// them: it follows chains until they say that they end, and believes counts, indices and addresses without looking at
// the sizes that stand beside them. Each table is read only after its bounds are known.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "host/image_check.h"

namespace omptarget::host {

/// DT_RELR, DT_RELRSZ and DT_RELRENT, which <elf.h> of older systems does not have.
inline constexpr int64_t kRelr = 36, kRelrSize = 35, kRelrEntry = 37;

class DynamicTables {
public:
  DynamicTables(std::string_view image, ImageLayout &layout) : image_(image), layout_(layout) {}

  /// Checks everything, in an order in which each step has what it needs, and writes down what it finds.
  Status check();

private:
  struct Range {
    uint64_t begin;
    uint64_t end;
  };
  /// Where relocations write, and how much the linker writes there.
  struct Place {
    uint64_t address;
    uint64_t size;
  };

  // image_dynamic.cpp
  Status read_entries();
  Status check_entries() const;
  Status check_strings();
  Status check_functions();

  // image_symbols.cpp
  Status count_by_gnu_hash();
  Status count_by_sysv_hash();
  Status check_symbols();
  Status check_symbol(const Elf64_Sym &symbol) const;
  Status read_needed_versions();
  Status read_needed_version(uint64_t address, const Elf64_Verneed &need, uint64_t &budget);
  Status read_defined_versions();
  Status check_versions();

  // image_relocations.cpp
  Status find_relocations();
  Status check_relocations();
  Status check_relocation(const Elf64_Rela &relocation, bool is_relative, bool is_lazy);
  Status check_call(uint64_t slot);
  Status check_symbol_of(const Elf64_Rela &relocation) const;
  Status check_packed_relocations();
  Status write_at(Place place);
  void find_device_functions();
  Status check_lazy_binding() const;
  Status check_initialisers() const;

  bool has(int64_t tag) const { return values_.contains(tag); }
  uint64_t value(int64_t tag) const {
    const auto found = values_.find(tag);
    return found == values_.end() ? 0 : found->second;
  }
  const Segment *segment_of(uint64_t address, uint64_t size) const;
  /// The bytes at an address, as far as the file has them; empty if it does not have that many, or they cannot be read.
  std::string_view bytes(uint64_t address, uint64_t size) const;
  /// The same for a table of the linker's, which no relocation may write to, nor the linker itself.
  std::string_view table(uint64_t address, uint64_t size);
  bool is_loaded(uint64_t address, uint64_t size) const { return segment_of(address, size) != nullptr; }
  bool is_code(uint64_t address) const;
  bool is_name(uint64_t offset) const { return offset < strings_.size(); }
  bool binds_at_once() const;
  void mark_initialiser(uint64_t address, uint64_t target);

  template <typename T> static T at(std::string_view data, uint64_t index) {
    T value;
    std::memcpy(&value, data.data() + index * sizeof(T), sizeof value);
    return value;
  }
  static Status damaged(const char *what) { return Status::error(format("the image's %s is damaged", what)); }

  std::string_view image_;
  ImageLayout &layout_;
  std::map<int64_t, uint64_t> values_;
  std::vector<uint64_t> needed_;   ///< offsets of names of libraries
  std::vector<uint64_t> filtered_; ///< the same, of filters
  std::string_view strings_;
  std::vector<Elf64_Rela> relocations_; ///< in the linker's order
  uint64_t lazy_begin_ = 0;             ///< start of the relocations for calls
  std::set<uint64_t> calls_;            ///< slots of calls that are bound when they are made
  uint64_t symbol_count_ = 0;
  std::string_view symbols_;
  uint64_t version_count_ = 0; ///< versions that the linker keeps; 0: it keeps none
  std::vector<Range> tables_;
  std::vector<Range> initialisers_;      ///< tables of functions
  std::map<uint64_t, bool> initialised_; ///< slots of those tables that get the address of code
};

} // namespace omptarget::host
