// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of GCC's, translated into the one that the host library takes (generations/map_bits.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace omptarget::gomp {

/// The arrays that GCC passes.
struct Entries {
  size_t count;
  void **addresses;
  size_t *sizes;
  unsigned short *kinds;
};

enum class Construct { kRegion, kData, kEnter, kExit, kUpdate };

/// One construct's list. A region's begins with a value of the caller's, and has a value for each entry after it.
class MapList {
public:
  /// first: the value that a region's list begins with.
  MapList(const Entries &entries, Construct construct, void *first);
  MapList(const MapList &) = delete;
  MapList &operator=(const MapList &) = delete;

  /// Returns what cannot be translated, or null.
  const char *failure() const { return failure_[0] ? failure_ : nullptr; }

  /// Returns the variable with declare target that leads to data which the construct maps, or null.
  void *declared_pointer() const { return declared_pointer_; }

  int32_t count() const { return count_; }
  void **bases() const { return bases_; }
  void **begins() const { return begins_; }
  int64_t *sizes() const { return sizes_; }
  int64_t *types() const { return types_; }

private:
  struct Item {
    void *base, *begin;
    int64_t size;
    uint64_t type;
  };

  unsigned kind(size_t i) const { return entries_.kinds[i] & 0xff; }
  char *address(size_t i) const { return static_cast<char *>(entries_.addresses[i]); }
  bool is_region() const { return construct_ == Construct::kRegion; }
  bool is_pointer(size_t i) const;
  bool is_in_descriptor(size_t i) const;
  bool is_in_struct(size_t i) const { return i < members_end_; }
  bool is_attached(size_t i) const;
  bool is_free(const char *begin, const char *end, size_t but) const;
  void add(const Item &item);
  void add_value(void *value);
  void add_range(size_t i, uint64_t bits, size_t size);
  void add_entry(size_t i);
  void add_struct(size_t i);
  void add_pointer(size_t i);
  void add_descriptor(size_t i);
  void add_rare(size_t i);
  void attach(size_t i);
  bool is_attaching(size_t i) const;
  bool has_declared_pointer(size_t i);
  void refuse(size_t i, const char *reason);

  const Entries entries_; ///< whose arrays are the caller's
  const Construct construct_;
  const bool has_declared_;
  void *declared_pointer_ = nullptr;
  size_t members_end_ = 0; ///< entries before it are members of the struct
  int32_t struct_ = 0;     ///< number of its argument
  int32_t count_ = 0;
  void **bases_, **begins_;
  int64_t *sizes_, *types_;
  char failure_[160] = "";

  static constexpr size_t kInline = 24;
  uint64_t inline_[4 * kInline];
  std::unique_ptr<uint64_t[]> more_;
};

} // namespace omptarget::gomp
