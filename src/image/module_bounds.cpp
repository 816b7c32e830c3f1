// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/module_bounds.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <link.h>
#include <mutex>
#include <unistd.h>

namespace omptarget {

namespace {

std::string path_of(const char *name) {
  if (name && *name)
    return name;
  char buffer[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", buffer, sizeof buffer);
  return length > 0 ? std::string(buffer, static_cast<size_t>(length)) : "the program";
}

/// The loader's list has a lock that a child of fork finds as it was. With this one around it, a fork waits until no
/// thread is in there on our behalf.
constinit std::mutex list_mutex;

struct Search {
  uintptr_t address;
  std::optional<ModuleBounds> result;
};

int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  ModuleBounds bounds;
  bool is_inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_R))
      continue;
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    bounds.segments.push_back({begin, begin + header.p_memsz});
    is_inside = is_inside || (search.address >= begin && search.address < begin + header.p_memsz);
  }
  if (!is_inside)
    return 0;
  bounds.path = path_of(info->dlpi_name);
  search.result = std::move(bounds);
  return 1;
}

} // namespace

bool ModuleBounds::contains(const void *address, uint64_t size) const {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  return std::any_of(segments.begin(), segments.end(), [&](const AddressRange &segment) {
    return begin >= segment.begin && begin <= segment.end && size <= segment.end - begin;
  });
}

bool ModuleBounds::contains_text(const char *text) const {
  const auto begin = reinterpret_cast<uintptr_t>(text);
  for (const AddressRange &segment : segments)
    if (begin >= segment.begin && begin < segment.end)
      return std::memchr(text, 0, segment.end - begin) != nullptr;
  return false;
}

AddressRange ModuleBounds::whole() const {
  AddressRange range{UINTPTR_MAX, 0};
  for (const AddressRange &segment : segments) {
    range.begin = std::min(range.begin, segment.begin);
    range.end = std::max(range.end, segment.end);
  }
  return range;
}

std::optional<ModuleBounds> module_of(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), std::nullopt};
  std::lock_guard list(list_mutex);
  dl_iterate_phdr(visit, &search);
  return std::move(search.result);
}

std::mutex &module_list_mutex_for_fork() { return list_mutex; }

} // namespace omptarget
