// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/container.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "generations/generations.h"

namespace omptarget {

namespace {

constexpr unsigned char kMagic[] = {0x10, 0xFF, 0x10, 0xAD};
constexpr uint32_t kOldVersion = 1; // clang 15 to 22
constexpr uint32_t kNewVersion = 2; // clang 23

// Compilers write two or three short strings. Strings may share their bytes, so that without bounds reading them
// would take the square of the container's size.
constexpr uint64_t kMostStrings = 256;
constexpr uint64_t kLongestText = 4096;

struct Header {
  unsigned char magic[4];
  uint32_t version;
  uint64_t size; ///< of the whole container
  uint64_t entry_offset;
  uint64_t entry_size_or_count; ///< bytes of an entry, or how many there are (version 2)
};
static_assert(sizeof(Header) == 32);

struct ImageEntry {
  uint16_t image_kind;
  uint16_t offload_kind;
  uint32_t flags;
  uint64_t strings_offset;
  uint64_t number_of_strings;
  uint64_t image_offset;
  uint64_t image_size;
};
static_assert(sizeof(ImageEntry) == 40);

/// In version 2 the length of the value follows.
struct StringEntry {
  uint64_t key_offset;
  uint64_t value_offset;
};
constexpr uint64_t string_entry_size(uint32_t version) {
  return sizeof(StringEntry) + (version == kOldVersion ? 0 : sizeof(uint64_t));
}

using Bytes = std::span<const std::byte>;

template <typename Record> bool read(Bytes bytes, uint64_t offset, Record &record) {
  if (offset > bytes.size() || sizeof record > bytes.size() - offset)
    return false;
  std::memcpy(&record, bytes.data() + offset, sizeof record);
  return true;
}

bool read_text(Bytes bytes, uint64_t offset, std::string_view &text) {
  if (offset >= bytes.size())
    return false;
  const auto *begin = reinterpret_cast<const char *>(bytes.data() + offset);
  const void *end = std::memchr(begin, 0, std::min<uint64_t>(bytes.size() - offset, kLongestText));
  if (!end)
    return false;
  text = {begin, static_cast<size_t>(static_cast<const char *>(end) - begin)};
  return true;
}

Status no_text(const char *what, uint64_t offset, uint64_t size) {
  return Status::error(format("the container's %s (0x%llx) lies outside of its %llu bytes, or is longer than %llu",
                              what, static_cast<unsigned long long>(offset), static_cast<unsigned long long>(size),
                              static_cast<unsigned long long>(kLongestText)));
}

Status out_of_range(const char *what, uint64_t offset, uint64_t size) {
  return Status::error(format("the container's %s (0x%llx) lies outside of its %llu bytes", what,
                              static_cast<unsigned long long>(offset), static_cast<unsigned long long>(size)));
}

Status read_strings(Bytes bytes, uint32_t version, const ImageEntry &entry, ContainedImage &image) {
  if (entry.number_of_strings == 0)
    return Status::ok();
  if (entry.strings_offset > bytes.size())
    return out_of_range("string table", entry.strings_offset, bytes.size());
  const uint64_t possible = (bytes.size() - entry.strings_offset) / string_entry_size(version);
  if (entry.number_of_strings > possible)
    return Status::error(format("the container claims %llu strings, there is room for %llu",
                                static_cast<unsigned long long>(entry.number_of_strings),
                                static_cast<unsigned long long>(possible)));
  if (entry.number_of_strings > kMostStrings)
    return Status::error(format("the container has %llu strings; expected at most %llu",
                                static_cast<unsigned long long>(entry.number_of_strings),
                                static_cast<unsigned long long>(kMostStrings)));
  for (uint64_t i = 0; i < entry.number_of_strings; ++i) {
    StringEntry record{};
    std::string_view key;
    std::string_view value;
    (void)read(bytes, entry.strings_offset + i * string_entry_size(version), record);
    if (!read_text(bytes, record.key_offset, key))
      return no_text("string key", record.key_offset, bytes.size());
    if (!read_text(bytes, record.value_offset, value))
      return no_text("string value", record.value_offset, bytes.size());
    if (key == "arch")
      image.arch = value;
    else if (key == "triple")
      image.triple = value;
  }
  return Status::ok();
}

} // namespace

bool is_container(Bytes bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

Result<ContainedImage> open_container(Bytes bytes) {
  Header header;
  if (!read(bytes, 0, header))
    return Status::error(format("the container is cut off after %zu bytes", bytes.size()));
  if (header.version != kOldVersion && header.version != kNewVersion)
    return Status::error(format("the container has version %u; %u and %u are known (clang up to %u)", header.version,
                                kOldVersion, kNewVersion, kNewestClang));
  if (header.size > bytes.size() || header.size < sizeof header)
    return Status::error(format("the container claims %llu bytes, there are %zu",
                                static_cast<unsigned long long>(header.size), bytes.size()));
  bytes = bytes.first(header.size);
  ImageEntry entry;
  if (header.version == kOldVersion && header.entry_size_or_count < sizeof entry)
    return Status::error(format("the container's entry has %llu bytes, expected %zu",
                                static_cast<unsigned long long>(header.entry_size_or_count), sizeof entry));
  if (header.version == kNewVersion && header.entry_size_or_count != 1)
    return Status::error(format("the container has %llu entries; one image, and so one entry, is expected",
                                static_cast<unsigned long long>(header.entry_size_or_count)));
  if (!read(bytes, header.entry_offset, entry))
    return out_of_range("entry", header.entry_offset, bytes.size());
  if (entry.image_offset > bytes.size() || entry.image_size > bytes.size() - entry.image_offset)
    return out_of_range("image", entry.image_offset, bytes.size());
  if (entry.image_size == 0)
    return Status::error("the container holds an empty image");
  ContainedImage image;
  OMPTARGET_TRY(read_strings(bytes, header.version, entry, image));
  image.bytes = bytes.subspan(entry.image_offset, entry.image_size);
  return image;
}

} // namespace omptarget
