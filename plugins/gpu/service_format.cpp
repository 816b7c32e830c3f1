// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/service_format.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "omptarget/service_protocol.h"

namespace omptarget::gpu {

namespace {

constexpr int kMostWidth = 65536;
constexpr size_t kMostText = size_t{16} << 20;

const char *name_of_kind(uint8_t kind) {
  switch (kind) {
  case OMPTARGET_SERVICE_VALUE_INT32: return "an int";
  case OMPTARGET_SERVICE_VALUE_INT64: return "a long or a pointer";
  case OMPTARGET_SERVICE_VALUE_DOUBLE: return "a double";
  case OMPTARGET_SERVICE_VALUE_STRING:
  case OMPTARGET_SERVICE_VALUE_NULL: return "a string";
  default: return "nothing that is known";
  }
}

bool is_one_of(char letter, const char *set) { return letter != '\0' && std::strchr(set, letter) != nullptr; }

/// A conversion as it is in the format.
struct Conversion {
  std::string flags;
  int width = -1, precision = -1; ///< -1: none
  std::string length;             ///< "ll"
  char letter = '\0';

  bool is_long() const { return !length.empty() && is_one_of(length[0], "ljztq"); }
  /// The format for one value of the host's, with this length.
  std::string pattern(const char *host_length) const {
    std::string text = "%" + flags;
    if (width >= 0)
      text += std::to_string(width);
    if (precision >= 0)
      text += "." + std::to_string(precision);
    return text + host_length + letter;
  }
};

class Formatter {
public:
  explicit Formatter(std::string_view data) : data_(data) {}

  Result<std::string> run() {
    const size_t end = data_.find('\0');
    if (end == std::string_view::npos)
      return Status::error("the format that was sent has no end");
    format_ = data_.substr(0, end);
    data_.remove_prefix(end + 1);
    while (at_ < format_.size()) {
      if (format_[at_] != '%') {
        text_ += format_[at_++];
        continue;
      }
      ++at_;
      OMPTARGET_TRY(convert());
      if (text_.size() > kMostText)
        return Status::error(omptarget::format("the text is longer than %zu bytes", kMostText));
    }
    if (!data_.empty())
      return Status::error(
          omptarget::format("%zu bytes of values were sent for which the format has no conversion", data_.size()));
    return std::move(text_);
  }

private:
  char letter() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  Status take_kind(uint8_t kind, const char *what) {
    if (data_.empty())
      return Status::error(omptarget::format("no value was sent for %s", what));
    const auto sent = static_cast<uint8_t>(data_[0]);
    if (sent != kind)
      return Status::error(
          omptarget::format("%s wants %s, and %s was sent", what, name_of_kind(kind), name_of_kind(sent)));
    data_.remove_prefix(1);
    return Status::ok();
  }
  template <typename T> Status take(uint8_t kind, const char *what, T &value) {
    OMPTARGET_TRY(take_kind(kind, what));
    if (data_.size() < sizeof(T))
      return Status::error(omptarget::format("the value that was sent for %s is cut off", what));
    std::memcpy(&value, data_.data(), sizeof(T));
    data_.remove_prefix(sizeof(T));
    return Status::ok();
  }

  /// A width or a precision, if there is one. A negative one of an argument stays negative.
  Status take_number(const char *what, int &number) {
    if (letter() == '*') {
      ++at_;
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT32, what, number));
    } else {
      for (number = -1; letter() >= '0' && letter() <= '9' && number <= kMostWidth; ++at_)
        number = (number < 0 ? 0 : number * 10) + (letter() - '0');
    }
    if (number > kMostWidth || number < -kMostWidth)
      return Status::error(omptarget::format("%s of %d, the most is %d", what, number, kMostWidth));
    return Status::ok();
  }

  Status convert() {
    const size_t begin = at_;
    Conversion one;
    while (is_one_of(letter(), "-+ #0'"))
      one.flags += format_[at_++];
    const bool has_argument = letter() == '*';
    OMPTARGET_TRY(take_number("a width", one.width));
    if (has_argument && one.width < 0) {
      one.flags += '-';
      one.width = -one.width;
    }
    if (letter() == '.') {
      ++at_;
      const bool is_argument = letter() == '*';
      OMPTARGET_TRY(take_number("a precision", one.precision));
      if (one.precision < 0)
        one.precision = is_argument ? -1 : 0;
    }
    while (is_one_of(letter(), "hljztqL"))
      one.length += format_[at_++];
    one.letter = letter();
    if (one.letter == '\0')
      return Status::error("the format ends within a conversion");
    ++at_;
    return put(one, "%" + std::string(format_.substr(begin, at_ - begin)));
  }

  Status put(const Conversion &one, const std::string &name) {
    const char *what = name.c_str();
    if (one.letter == '%') {
      text_ += '%';
      return Status::ok();
    }
    if (is_one_of(one.letter, "di"))
      return put_signed(one, what);
    if (is_one_of(one.letter, "ouxX"))
      return put_unsigned(one, what);
    if (is_one_of(one.letter, "aAeEfFgG")) {
      double value = 0;
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_DOUBLE, what, value));
      return append(one.pattern(""), value);
    }
    if (one.letter == 'p') {
      uint64_t value = 0;
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT64, what, value));
      return append(one.pattern(""), reinterpret_cast<void *>(value));
    }
    if (one.letter == 'c' && !one.is_long()) {
      int value = 0;
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT32, what, value));
      return append(one.pattern(""), value);
    }
    if (one.letter == 's' && !one.is_long())
      return put_string(one, what);
    if (one.letter == 'n')
      return Status::error("%n, which writes to memory, is not for device code");
    return Status::error(omptarget::format("%s is no conversion that printf in device code has", what));
  }

  Status put_signed(const Conversion &one, const char *what) {
    int64_t value = 0;
    if (one.is_long()) {
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT64, what, value));
    } else {
      int32_t small = 0;
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT32, what, small));
      value = one.length == "hh" ? static_cast<int8_t>(small) : one.length == "h" ? static_cast<int16_t>(small) : small;
    }
    return append(one.pattern("ll"), static_cast<long long>(value));
  }

  Status put_unsigned(const Conversion &one, const char *what) {
    uint64_t value = 0;
    if (one.is_long()) {
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT64, what, value));
    } else {
      uint32_t small = 0;
      OMPTARGET_TRY(take(OMPTARGET_SERVICE_VALUE_INT32, what, small));
      value = one.length == "hh"  ? static_cast<uint8_t>(small)
              : one.length == "h" ? static_cast<uint16_t>(small)
                                  : small;
    }
    return append(one.pattern("ll"), static_cast<unsigned long long>(value));
  }

  Status put_string(const Conversion &one, const char *what) {
    if (!data_.empty() && data_[0] == OMPTARGET_SERVICE_VALUE_NULL) {
      data_.remove_prefix(1);
      return append(one.pattern(""), "(null)");
    }
    OMPTARGET_TRY(take_kind(OMPTARGET_SERVICE_VALUE_STRING, what));
    const size_t end = data_.find('\0');
    if (end == std::string_view::npos)
      return Status::error(omptarget::format("the string that was sent for %s has no end", what));
    const std::string value(data_.substr(0, end));
    data_.remove_prefix(end + 1);
    return append(one.pattern(""), value.c_str());
  }

  // The pattern was made above for one value of this type.
  template <typename T> Status append(const std::string &pattern, T value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(nullptr, 0, pattern.c_str(), value);
    if (length < 0)
      return Status::error(omptarget::format("the host cannot print %s", pattern.c_str()));
    const size_t before = text_.size();
    text_.resize(before + static_cast<size_t>(length) + 1);
    std::snprintf(text_.data() + before, static_cast<size_t>(length) + 1, pattern.c_str(), value);
#pragma GCC diagnostic pop
    text_.pop_back();
    return Status::ok();
  }

  std::string_view data_;
  std::string_view format_;
  size_t at_ = 0;
  std::string text_;
};

} // namespace

Result<std::string> format_print(std::string_view data) { return Formatter(data).run(); }

} // namespace omptarget::gpu
