// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "image/bitcode_facts.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <vector>

namespace omptarget {

namespace {

constexpr size_t kMagicBytes = 4;
// LLVM's bitstream format: numbers that abbreviations cannot have, blocks, and records.
constexpr uint32_t kEndBlock = 0, kEnterBlock = 1, kPlainRecord = 3;
constexpr uint32_t kOutermostWidth = 2;
constexpr uint32_t kModuleBlock = 8, kAttributeGroupBlock = 10;
constexpr uint32_t kTripleRecord = 2, kGroupRecord = 3;
constexpr uint64_t kOfFunction = 0xffffffff;
constexpr uint64_t kPlainAttribute = 0, kNumberAttribute = 1, kTextAttribute = 3, kTextWithValue = 4;
constexpr size_t kMostOperands = 1 << 16;

/// Bits from the lowest of each byte. Past the end all are 0 and is_over() holds.
class BitReader {
public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool is_over() const { return position_ >= 8 * static_cast<uint64_t>(bytes_.size()); }
  bool is_past_end() const { return position_ > 8 * static_cast<uint64_t>(bytes_.size()); }
  uint64_t position() const { return position_; }
  void move_to(uint64_t position) { position_ = position; }
  void align() { position_ = (position_ + 31) / 32 * 32; }

  uint64_t fixed(uint32_t width) {
    uint64_t value = 0;
    for (uint32_t bit = 0; bit < width; ++bit, ++position_)
      if (!is_over())
        value |= static_cast<uint64_t>(std::to_integer<unsigned>(bytes_[position_ / 8]) >> position_ % 8 & 1) << bit;
    return value;
  }

  /// A number in pieces of that width, whose highest bit says that another one follows.
  uint64_t variable(uint32_t width) {
    const uint64_t more = uint64_t{1} << (width - 1);
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += width - 1) {
      const uint64_t piece = fixed(width);
      value |= (piece & (more - 1)) << shift;
      if ((piece & more) == 0)
        break;
    }
    return value;
  }

private:
  std::span<const std::byte> bytes_;
  uint64_t position_ = 0;
};

struct Record {
  uint64_t code = 0;
  std::vector<uint64_t> operands;
};

/// Returns whether it can be the name of a target or a processor: no other text goes on to messages and commands.
bool is_name(std::string_view text) {
  constexpr size_t kLongest = 64;
  return text.size() <= kLongest && std::all_of(text.begin(), text.end(), [](unsigned char character) {
           return std::isalnum(character) != 0 || character == '-' || character == '_' || character == '.';
         });
}

/// A text of a group that ends with 0; moves past it.
std::string take_text(const std::vector<uint64_t> &operands, size_t &next) {
  std::string text;
  while (next < operands.size() && operands[next] != 0)
    text += static_cast<char>(operands[next++]);
  ++next;
  return text;
}

/// "sm_80" before "sm_100", "gfx90a" before "gfx1100".
bool is_older(const std::string &one, const std::string &other) {
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : bits_(bytes) {}

  BitcodeFacts read() {
    bits_.move_to(8 * kMagicBytes);
    read_block(kOutermostWidth, kNowhere);
    return std::move(facts_);
  }

private:
  static constexpr uint32_t kNowhere = ~0u; ///< outside of all blocks
  enum class Next { kGoOn, kStop };

  /// Reads the blocks and records up to the block's end, or to the first that cannot be understood.
  Next read_block(uint32_t width, uint32_t block) {
    while (!bits_.is_over()) {
      const uint64_t kind = bits_.fixed(width);
      if (kind == kEndBlock)
        return Next::kGoOn;
      if (kind == kEnterBlock) {
        if (enter_block(block) == Next::kStop)
          return Next::kStop;
      } else if (kind == kPlainRecord && block != kNowhere) {
        if (read_record(block) == Next::kStop)
          return Next::kStop;
      } else {
        return Next::kStop; // an abbreviation: none comes before the records that matter
      }
    }
    return Next::kStop;
  }

  Next enter_block(uint32_t outer) {
    const auto block = static_cast<uint32_t>(bits_.variable(8));
    const auto width = static_cast<uint32_t>(bits_.variable(4));
    bits_.align();
    const uint64_t words = bits_.fixed(32);
    const uint64_t end = bits_.position() + 32 * words;
    const bool is_wanted =
        (outer == kNowhere && block == kModuleBlock) || (outer == kModuleBlock && block == kAttributeGroupBlock);
    if (is_wanted && width >= 2 && width <= 32) {
      (void)read_block(width, block); // what is not understood ends with its block
      if (block == kModuleBlock)
        return Next::kStop; // further modules say the same
    }
    bits_.move_to(end);
    return Next::kGoOn;
  }

  Next read_record(uint32_t block) {
    Record record;
    record.code = bits_.variable(6);
    const uint64_t count = bits_.variable(6);
    if (count > kMostOperands)
      return Next::kStop;
    for (uint64_t i = 0; i < count && !bits_.is_over(); ++i)
      record.operands.push_back(bits_.variable(6));
    if (record.operands.size() != count || bits_.is_past_end())
      return Next::kStop;
    if (block == kModuleBlock && record.code == kTripleRecord) {
      for (const uint64_t character : record.operands)
        facts_.triple += static_cast<char>(character);
      if (!is_name(facts_.triple))
        facts_.triple.clear();
      return Next::kStop; // the groups of attributes stand before it
    }
    if (block == kAttributeGroupBlock && record.code == kGroupRecord)
      read_group(record.operands);
    return Next::kGoOn;
  }

  void read_group(const std::vector<uint64_t> &operands) {
    if (operands.size() < 2 || operands[1] != kOfFunction)
      return;
    std::string processor;
    std::string features;
    for (size_t next = 2; next < operands.size();) {
      const uint64_t kind = operands[next++];
      if (kind == kPlainAttribute || kind == kNumberAttribute) {
        next += kind == kNumberAttribute ? 2 : 1;
      } else if (kind == kTextAttribute || kind == kTextWithValue) {
        const std::string key = take_text(operands, next);
        const std::string value = kind == kTextWithValue ? take_text(operands, next) : std::string();
        if (key == "target-cpu")
          processor = value;
        else if (key == "target-features")
          features = value;
      } else {
        break; // types and ranges, which functions do not have before texts
      }
    }
    if (processor.empty() || !is_name(processor) ||
        !(facts_.processor.empty() || is_older(facts_.processor, processor)))
      return;
    facts_.processor = std::move(processor);
    facts_.features = std::move(features);
  }

  BitReader bits_;
  BitcodeFacts facts_;
};

} // namespace

BitcodeFacts read_bitcode(std::span<const std::byte> bytes) {
  return bytes.size() < kMagicBytes ? BitcodeFacts{} : Reader(bytes).read();
}

} // namespace omptarget
