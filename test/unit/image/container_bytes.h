// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds containers as compilers write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace omptarget {

/// Offsets of the fields in a container made by container_bytes().
namespace container_field {
inline constexpr size_t kVersion = 4, kSize = 8, kEntryOffset = 16, kEntrySize = 24;
inline constexpr size_t kStringsOffset = 32 + 8, kStringCount = 32 + 16, kImageOffset = 32 + 24, kImageSize = 32 + 32;
inline constexpr size_t kFirstKey = 72, kFirstValue = 80;
} // namespace container_field

template <typename T> void put(std::vector<std::byte> &bytes, size_t offset, T value) {
  if (bytes.size() < offset + sizeof value)
    bytes.resize(offset + sizeof value);
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// A container of version 1 with the strings "triple" and "arch", and the image after them, as clang 15 writes it.
/// Version 2 is clang 23's.
inline std::vector<std::byte> container_bytes(const std::string &image, const std::string &arch,
                                              const std::string &triple, uint32_t version = 1) {
  namespace field = container_field;
  std::vector<std::byte> bytes;
  put<uint32_t>(bytes, 0, 0xAD10FF10);
  put<uint32_t>(bytes, field::kVersion, version);
  put<uint64_t>(bytes, field::kEntryOffset, 32);
  put<uint64_t>(bytes, field::kEntrySize, version == 1 ? 40 : 1);
  put<uint32_t>(bytes, 32, 1 | 1 << 16); // an object, OpenMP
  put<uint64_t>(bytes, field::kStringsOffset, 72);
  put<uint64_t>(bytes, field::kStringCount, 2);
  const std::string texts[] = {"triple", triple, "arch", arch};
  const size_t record = version == 1 ? 16 : 24;
  size_t at = 72 + 2 * record;
  for (size_t i = 0; i < 4; ++i) {
    put<uint64_t>(bytes, 72 + i / 2 * record + i % 2 * 8, at);
    if (version != 1 && i % 2 == 1)
      put<uint64_t>(bytes, 72 + i / 2 * record + 16, texts[i].size());
    bytes.resize(at + texts[i].size() + 1);
    std::memcpy(bytes.data() + at, texts[i].c_str(), texts[i].size() + 1);
    at = bytes.size();
  }
  at = (at + 7) / 8 * 8;
  bytes.resize(at + image.size());
  std::memcpy(bytes.data() + at, image.data(), image.size());
  put<uint64_t>(bytes, field::kImageOffset, at);
  put<uint64_t>(bytes, field::kImageSize, image.size());
  put<uint64_t>(bytes, field::kSize, bytes.size());
  return bytes;
}

} // namespace omptarget
