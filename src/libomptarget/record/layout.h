// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The head of a recording's file, and its checksum. docs/use/replay.md has the layout of the whole.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace omptarget::record {

inline constexpr char kMagic[8] = {'O', 'M', 'P', 'T', 'R', 'E', 'C', '\n'};
inline constexpr uint32_t kVersion = 1;

/// Sizes are in bytes, and multiples of 8. The four parts follow in this order, and end with the file.
struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t has_result; ///< 0: the launch has not ended
  uint64_t file_bytes;
  uint64_t checksum; ///< of the whole file, with 0 in this place
  uint64_t description_bytes;
  uint64_t image_bytes;
  uint64_t contents_bytes;
  uint64_t changes_bytes;
  uint32_t image_padding; ///< bytes at the end of the image's part that do not belong to it
  uint32_t reserved;      ///< 0
};
static_assert(sizeof(FileHeader) == 72);

/// FNV-1a over words of 8 bytes, little endian. The whole has a multiple of 8 bytes; what is added at once need not.
class Checksum {
public:
  void add(std::string_view bytes) {
    size_t i = 0;
    if (filled_ == 0)
      for (; i + sizeof(uint64_t) <= bytes.size(); i += sizeof(uint64_t)) {
        uint64_t word;
        std::memcpy(&word, bytes.data() + i, sizeof word);
        mix(word);
      }
    for (; i < bytes.size(); ++i)
      add_byte(static_cast<unsigned char>(bytes[i]));
  }
  uint64_t value() const { return hash_; }

private:
  void add_byte(unsigned char byte) {
    word_ |= static_cast<uint64_t>(byte) << (8 * filled_);
    if (++filled_ < sizeof word_)
      return;
    mix(word_);
    word_ = 0;
    filled_ = 0;
  }
  void mix(uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3u; }

  uint64_t hash_ = 0xcbf29ce484222325u;
  uint64_t word_ = 0;
  unsigned filled_ = 0;
};

} // namespace omptarget::record
