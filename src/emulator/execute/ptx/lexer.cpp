// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See lexer.h.

#include "lexer.h"

#include <algorithm>
#include <cerrno>
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
    while (error_.empty() && skip_space()) {
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
    error = error_;
    return error.empty();
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
    const size_t found = text_.find("*/", at_ + 2), end = std::min(found, text_.size());
    if (found == std::string_view::npos)
      error_ = "line " + std::to_string(line_) + ": the comment does not end";
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
    while (end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]) ||
                                  (text_.substr(end, 2) == "::" && end + 2 < text_.size() &&
                                   (begins_name(text_[end + 2]) || is_digit(text_[end + 2])))))
      end += text_[end] == ':' ? 2 : 1;
    add(TokenKind::kName, end);
  }

  // Integers, decimal floats, and bits of floats: 0f and 8 digits, 0d and 16.
  void read_number() {
    const char mark = peek() == '0' ? static_cast<char>(peek(1) | 0x20) : '\0';
    if (mark == 'f' || mark == 'd')
      return read_float_bits(mark == 'f' ? TokenKind::kSingle : TokenKind::kDouble, mark == 'f' ? 8 : 16);
    const bool is_hexadecimal = mark == 'x', is_binary = mark == 'b';
    size_t end = at_ + (is_hexadecimal || is_binary ? 2 : 0);
    const size_t first = end;
    while (end < text_.size() && (is_hexadecimal ? is_hex(text_[end]) : is_digit(text_[end])))
      ++end;
    if (!is_hexadecimal && !is_binary && (peek(end - at_) == '.' || (peek(end - at_) | 0x20) == 'e'))
      return read_decimal_float();
    const std::string digits(text_.substr(first, end - first));
    const bool is_octal = first == at_ && digits.size() > 1 && digits[0] == '0';
    errno = 0;
    char *rest = nullptr;
    const uint64_t value = std::strtoull(digits.c_str(), &rest,
                                         is_hexadecimal ? 16
                                         : is_binary    ? 2
                                         : is_octal     ? 8
                                                        : 10);
    if (errno != 0 || digits.empty() || *rest != '\0')
      return fail(text_.substr(at_, end - at_));
    add(TokenKind::kInteger, end + (peek(end - at_) == 'U' ? 1 : 0), value);
  }
  void read_float_bits(TokenKind kind, size_t digits) {
    size_t end = at_ + 2;
    while (end < text_.size() && is_hex(text_[end]))
      ++end;
    if (end != at_ + 2 + digits)
      return fail(text_.substr(at_, end - at_));
    add(kind, end, std::strtoull(std::string(text_.substr(at_ + 2, digits)).c_str(), nullptr, 16));
  }
  void read_decimal_float() {
    const std::string text(text_.substr(at_, 400)); // of a double
    char *rest = nullptr;
    const double value = std::strtod(text.c_str(), &rest);
    add(TokenKind::kDouble, at_ + static_cast<size_t>(rest - text.c_str()), __builtin_bit_cast(uint64_t, value));
  }
  void fail(std::string_view word) {
    error_ = "line " + std::to_string(line_) + ": '" + std::string(word) + "' is no number of PTX";
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
  std::string error_;
};

} // namespace

bool read_tokens(std::string_view text, std::vector<Token> &tokens, std::string &error) {
  return Lexer(text, tokens).run(error);
}

} // namespace emulator::executor::ptx
