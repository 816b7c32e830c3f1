// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/entry_table.h"

#include <cstring>

#include "target.h"

namespace omptarget::fuzz {

std::vector<std::string> seeds(int, char **) {
  auto *const text = reinterpret_cast<char *>(kPlace + 400);
  void *const address = reinterpret_cast<void *>(kPlace + 8);
  const __tgt_offload_entry older[] = {{address, text, 0, 0, 0},
                                       {address, text, 8, OMPTARGET_ENTRY_LINK, 0},
                                       {nullptr, text, 0, OMPTARGET_ENTRY_REQUIRES, 8},
                                       {address, text, 0, OMPTARGET_ENTRY_CTOR, 0}};
  const __tgt_offload_entry_v1 newer[] = {{0, 1, 1, 0, address, text, 0, 0, nullptr},
                                          {0, 1, 2, 0, nullptr, nullptr, 0, 0, nullptr},
                                          {0, 1, 1, OMPTARGET_ENTRY_INDIRECT_VTABLE, address, text, 64, 0, nullptr},
                                          {0, 1, 1, OMPTARGET_ENTRY_REQUIRES, nullptr, text, 0, 8, nullptr}};
  std::vector<std::string> all(3);
  append(all[0], older);
  append(all[1], newer);
  append(all[2], older[2]);
  append(all[2], older);
  return all;
}

} // namespace omptarget::fuzz

/// The table is the input without its odd bytes at the end, in a module that goes on behind it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace omptarget;
  std::vector<char> module(data, data + size);
  module.resize(size + 512);
  const size_t room = module.size();
  fuzz::resolve_places(module.data(), size, module.data(), room);
  const auto begin = reinterpret_cast<uintptr_t>(module.data());
  const ModuleBounds bounds{"fuzzed", {{begin, begin + room}}};
  const auto *const bytes = reinterpret_cast<const std::byte *>(module.data());
  const EntryTable table{bytes, bytes + size, &bounds};
  Result<uint32_t> length = entry_size(table);
  if (!length.is_ok())
    return 0;
  fuzz::require(size == 0 ? *length == 0 : *length != 0 && size % *length == 0, "the table consists of whole entries");
  Result<EntriesRead> read = read_entries(table, *length);
  if (!read.is_ok())
    return 0;
  fuzz::require(read->entries.size() == read->index.size(), "each entry has its place in the table");
  for (const Entry &entry : read->entries) {
    fuzz::require(std::strlen(entry.name) < room, "names end in the module");
    fuzz::require(entry.address != HostPtr::kNull, "entries have addresses");
  }
  return 0;
}
