// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lexer.h.

#include "lexer.h"

#include <cstdlib>

namespace emulator::executor::ptx {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}

class Lexer {
public:
  Lexer(std::string_view text, std::vector<Token> &tokens) : text_(text), tokens_(tokens) {}

  bool run(std::string &error) {
    while (skip_space()) {
      const char c = text_[at_];
      if (is_digit(c))
        read_number();
      else if (begins_name(c))
        read_name();
      else if (c == '"')
        read_string();
      else if (std::string_view("{}()[]<>,;:@!|+-=*/~&").find(c) != std::string_view::npos)
        add(TokenKind::kPunctuation, at_ + 1);
      else {
        error = "line " + std::to_string(line_) + ": '" + c + "' is no word of PTX";
        return false;
      }
    }
    tokens_.push_back({TokenKind::kEnd, {}, 0, line_});
    return true;
  }

private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // False at the end.
  bool skip_space() {
    while (at_ < text_.size()) {
      if (peek() == '\n')
        ++line_;
      if (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r')
        ++at_;
      else if (peek() == '/' && peek(1) == '/')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (peek() == '/' && peek(1) == '*')
        skip_comment();
      else
        return true;
    }
    return false;
  }
  void skip_comment() {
    const size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
    for (; at_ < end; ++at_)
      line_ += text_[at_] == '\n';
    at_ = std::min(at_ + 2, text_.size());
  }

  void add(TokenKind kind, size_t end, uint64_t value = 0) {
    tokens_.push_back({kind, text_.substr(at_, end - at_), value, line_});
    at_ = end;
  }

  void read_name() {
    size_t end = at_ + 1;
    while (end < text_.size() &&
           (begins_name(text_[end]) || is_digit(text_[end]) ||
            (text_.substr(end, 2) == "::" && end + 2 < text_.size() && begins_name(text_[end + 2]))))
      end += text_[end] == ':' ? 2 : 1;
    add(TokenKind::kName, end);
  }

  void read_number() {
    const char mark = peek() == '0' ? peek(1) : '\0';
    const bool is_float = mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D';
    const bool is_bits = is_float || mark == 'x' || mark == 'X';
    size_t end = at_ + (is_bits ? 2 : 0);
    while (end < text_.size() && (is_bits ? is_hex(text_[end]) : is_digit(text_[end])))
      ++end;
    if (!is_bits && peek(end - at_) == '.' && is_digit(peek(end - at_ + 1))) // of a version
      for (++end; is_digit(peek(end - at_));)
        ++end;
    const std::string digits(text_.substr(at_ + (is_bits ? 2 : 0), end - at_ - (is_bits ? 2 : 0)));
    const bool is_octal = !is_bits && digits.size() > 1 && digits[0] == '0';
    const uint64_t value = std::strtoull(digits.c_str(), nullptr, is_bits ? 16 : is_octal ? 8 : 10);
    if (!is_float && (end < text_.size() && text_[end] == 'U'))
      ++end;
    const bool is_single = mark == 'f' || mark == 'F';
    add(is_float ? (is_single ? TokenKind::kSingle : TokenKind::kDouble) : TokenKind::kInteger, end, value);
  }

  void read_string() {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"')
      end += text_[end] == '\\' ? 2 : 1;
    tokens_.push_back({TokenKind::kString, text_.substr(at_ + 1, std::min(end, text_.size()) - at_ - 1), 0, line_});
    at_ = std::min(end + 1, text_.size());
  }

  std::string_view text_;
  std::vector<Token> &tokens_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

} // namespace

bool read_tokens(std::string_view text, std::vector<Token> &tokens, std::string &error) {
  return Lexer(text, tokens).run(error);
}

} // namespace emulator::executor::ptx
