// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data environment of one device as the specification defines it. It is a list of entries that is searched from end
// to end, with copies of all memory. It is slow, and meant to be seen right at a glance. It shares nothing with the
// library but the arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mapping/map_type.h"

namespace omptarget::test {

struct ModelEntry {
  uintptr_t begin, end, base;
  bool is_infinite;
  int64_t dynamic_count, hold_count;
  int64_t unnamed_count; ///< the dynamic ones that data constructs took for pointers that the program did not name
  std::vector<unsigned char> device; ///< the corresponding storage
  struct Attached {
    uintptr_t host_value;   ///< the pointer's value at that host address
    uintptr_t device_value; ///< the value that its copy on the device was set to
  };
  std::map<uintptr_t, Attached> attached;
  bool is_unused() const { return !is_infinite && dynamic_count == 0 && hold_count == 0; }
};

class Model {
public:
  /// host: where the program's memory begins; the model keeps its own copy of it. device_address: where the library has
  /// put the storage of the entry that begins there, which no specification tells.
  Model(uintptr_t host, size_t size, std::function<uintptr_t(uintptr_t)> device_address)
      : host_begin(host), host_bytes(size), device_address_(std::move(device_address)) {}

  /// is_region: leave_region follows. Each says whether the construct is right; a wrong one changes nothing.
  bool enter(const std::vector<MapItem> &items, bool is_region = false);
  void exit(const std::vector<MapItem> &items);
  /// The way out of the region whose way in was the latest enter: gives back what that counted.
  void leave_region(const std::vector<MapItem> &items);
  bool update(const std::vector<MapItem> &items);
  void associate(uintptr_t begin, int64_t size, unsigned char content);

  ModelEntry *containing(uintptr_t begin, int64_t size);
  ModelEntry *overlapping(uintptr_t begin, int64_t size);
  unsigned char &host(uintptr_t address) { return host_bytes[address - host_begin]; }
  uintptr_t host_pointer(uintptr_t address) const;

  bool is_unified = false; ///< unified shared memory
  bool attaches_always = false;

  std::vector<ModelEntry> entries;
  uintptr_t host_begin;
  std::vector<unsigned char> host_bytes;

private:
  /// The place of an item: the entry that it is in, named by where that begins, since entries move.
  struct Place {
    bool is_present = false;
    uintptr_t entry = 0;
  };
  struct Construct {
    std::vector<Place> places;
    std::vector<uintptr_t> created;
    std::map<int, std::vector<uintptr_t>> counted; ///< entries that a mapper's group has counted
    struct Reference {
      size_t item;
      uintptr_t entry;
      bool is_unnamed; ///< for a pointer that the program did not name
    };
    std::vector<Reference> references;
  };
  void take_away(const MapItem &item, ModelEntry &entry, std::vector<uintptr_t> &lost);
  void take_unnamed_away(bool all, ModelEntry &entry, std::vector<uintptr_t> &lost);
  void copy_back(const std::vector<MapItem> &items, const Construct &construct, const std::vector<uintptr_t> &lost);
  bool place(const std::vector<MapItem> &items, size_t i, uintptr_t begin, int64_t size, uintptr_t base,
             bool is_pointer, Construct &construct, Place &result);
  bool counts(const std::vector<MapItem> &items, size_t i, uintptr_t entry, bool is_pointee, Construct &construct);
  void to_device(ModelEntry &entry, uintptr_t begin, int64_t size);
  void to_host(ModelEntry &entry, uintptr_t begin, int64_t size);
  void attach(uintptr_t pointer, int64_t size, uintptr_t target_entry);
  bool is_attached(const ModelEntry &holder, uintptr_t pointer, const ModelEntry &target) const;
  static bool maps(const std::vector<MapItem> &items, size_t count, const Construct &construct, const ModelEntry &entry,
                   uintptr_t address);
  ModelEntry &at(uintptr_t begin);

  std::function<uintptr_t(uintptr_t)> device_address_;
  Construct entered_;
};

} // namespace omptarget::test
