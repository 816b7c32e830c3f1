// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/loader_cache.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/machine.h"

namespace omptarget::info_tool {

namespace {

constexpr std::streamoff kMaxBytes = 64u << 20;
constexpr std::string_view kMagic = "glibc-ld.so.cache1.1"; // glibc 2.2 and later; texts are counted from it
constexpr std::string_view kCpuFolder = "/glibc-hwcaps/";

struct CacheHeader {
  char magic[20];
  uint32_t count;
  uint32_t text_bytes;
  uint32_t unused[5];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
  int32_t kind;
  uint32_t name;
  uint32_t file;
  uint32_t system;
  uint64_t hardware;
};
static_assert(sizeof(CacheEntry) == 24);

/// The text at the offset, or an empty one if it does not end within the cache.
std::string text_at(std::string_view cache, uint32_t offset) {
  if (offset >= cache.size())
    return {};
  const std::string_view rest = cache.substr(offset);
  const size_t length = rest.find('\0');
  return length == std::string_view::npos ? std::string() : std::string(rest.substr(0, length));
}

} // namespace

std::vector<std::string> folders_of_this_cpu() {
  std::vector<std::string> folders;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
  const bool has_v3 = has_v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (has_v4)
    folders.emplace_back("glibc-hwcaps/x86-64-v4");
  if (has_v3)
    folders.emplace_back("glibc-hwcaps/x86-64-v3");
  if (has_v2)
    folders.emplace_back("glibc-hwcaps/x86-64-v2");
#endif
  return folders;
}

LoaderCache LoaderCache::read(const std::string &path) {
  LoaderCache result;
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : 0;
  if (size <= 0 || size > kMaxBytes)
    return result;
  std::string contents(static_cast<size_t>(size), '\0');
  stream.seekg(0).read(contents.data(), size);
  const std::string_view whole = contents;
  const size_t start = whole.find(kMagic); // older caches come before it in the same file
  if (start == std::string_view::npos || whole.size() - start < sizeof(CacheHeader))
    return result;
  const std::string_view cache = whole.substr(start);
  CacheHeader header;
  std::memcpy(&header, cache.data(), sizeof header);
  if (header.count > (cache.size() - sizeof header) / sizeof(CacheEntry))
    return result;
  for (uint32_t i = 0; i < header.count; ++i) {
    CacheEntry entry;
    std::memcpy(&entry, cache.data() + sizeof header + i * sizeof entry, sizeof entry);
    if (entry.kind != kMachine.cache_kind)
      continue;
    std::string name = text_at(cache, entry.name), file = text_at(cache, entry.file);
    // Without a folder of its CPU, it is for one that only glibc before 2.37 knew how to tell.
    if (entry.hardware != 0 && file.find(kCpuFolder) == std::string::npos)
      continue;
    if (!name.empty() && !file.empty())
      result.files_[std::move(name)].push_back(std::move(file));
  }
  return result;
}

std::string LoaderCache::find(const std::string &name) const {
  const auto found = files_.find(name);
  if (found == files_.end())
    return {};
  for (const std::string &folder : folders_of_this_cpu())
    for (const std::string &file : found->second)
      if (file.find("/" + folder + "/") != std::string::npos)
        return file;
  for (const std::string &file : found->second)
    if (file.find(kCpuFolder) == std::string::npos)
      return file;
  return {};
}

} // namespace omptarget::info_tool
