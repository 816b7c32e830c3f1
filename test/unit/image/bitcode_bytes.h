// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM bitcode as its writer lays it out, as far as readers of a module's target look at it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace omptarget::test {

/// Writes numbers of some bits, lowest first, and blocks of LLVM's bitstream format.
class BitcodeWriter {
public:
  BitcodeWriter() : bytes_("BC\xC0\xDE") {}

  void fixed(uint64_t value, unsigned width) {
    for (unsigned bit = 0; bit < width; ++bit, ++used_) {
      if (used_ % 8 == 0)
        bytes_ += '\0';
      bytes_.back() = static_cast<char>(bytes_.back() | (value >> bit & 1) << used_ % 8);
    }
  }
  void variable(uint64_t value, unsigned width) {
    const uint64_t more = uint64_t{1} << (width - 1);
    for (; value >= more; value >>= width - 1)
      fixed((value & (more - 1)) | more, width);
    fixed(value, width);
  }
  void align() {
    while (used_ % 32 != 0)
      fixed(0, 1);
  }

  void enter(unsigned block, unsigned width) {
    fixed(1, widths_.back());
    variable(block, 8);
    variable(width, 4);
    align();
    begins_.push_back(bytes_.size());
    fixed(0, 32);
    widths_.push_back(width);
  }
  void leave() {
    fixed(0, widths_.back());
    align();
    const size_t begin = begins_.back();
    const size_t words = (bytes_.size() - begin - 4) / 4;
    for (unsigned i = 0; i < 4; ++i)
      bytes_[begin + i] = static_cast<char>(words >> 8 * i);
    begins_.pop_back();
    widths_.pop_back();
  }
  void record(unsigned code, const std::vector<uint64_t> &operands) {
    fixed(3, widths_.back());
    variable(code, 6);
    variable(operands.size(), 6);
    for (const uint64_t operand : operands)
      variable(operand, 6);
  }
  const std::string &bytes() const { return bytes_; }

private:
  std::string bytes_;
  uint64_t used_ = 0; ///< bits behind the magic
  std::vector<unsigned> widths_{2};
  std::vector<size_t> begins_;
};

inline void append(std::vector<uint64_t> &operands, const std::string &text) {
  for (const char character : text)
    operands.push_back(static_cast<unsigned char>(character));
}

/// A module of that triple, with a group of attributes of functions for each processor and its features.
inline std::string bitcode(const std::string &triple, const std::vector<std::pair<std::string, std::string>> &groups) {
  BitcodeWriter writer;
  writer.enter(13, 5); // who wrote it
  writer.record(1, {76, 76, 86, 77});
  writer.leave();
  writer.enter(8, 3);
  writer.record(1, {2});
  writer.enter(10, 3);
  writer.record(3, {1, 1, 0, 9});            // of a parameter
  writer.record(3, {2, 0, 7, 92, 32, 0, 1}); // of a return value, with a range
  for (const auto &[processor, features] : groups) {
    std::vector<uint64_t> operands{3, 0xffffffff, 0, 18, 1, 86, 4, 3}; // a flag, a number, and a text alone
    append(operands, "nounwind-text");
    operands.push_back(0);
    for (const auto &[key, value] : {std::pair{std::string("target-cpu"), processor}, {"target-features", features}}) {
      operands.push_back(4);
      append(operands, key);
      operands.push_back(0);
      append(operands, value);
      operands.push_back(0);
    }
    writer.record(3, operands);
  }
  writer.leave();
  std::vector<uint64_t> name;
  append(name, triple);
  writer.record(2, name);
  writer.leave();
  return writer.bytes();
}

} // namespace omptarget::test
