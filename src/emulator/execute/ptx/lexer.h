// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of PTX text (PTX ISA, chapter 4: syntax).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulator::executor::ptx {

enum class TokenKind : uint8_t { kEnd, kName, kInteger, kSingle, kDouble, kString, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text; ///< a part of the source
  uint64_t value = 0;    ///< a number's value; a float's bits
  uint32_t line = 0;     ///< line of the text, from 1
  bool is(std::string_view word) const { return text == word && kind != TokenKind::kString; }
};

/// False, and an error with its line, if the text has something that is no word.
bool read_tokens(std::string_view text, std::vector<Token> &tokens, std::string &error);

} // namespace emulator::executor::ptx
