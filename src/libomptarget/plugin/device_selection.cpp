// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/device_selection.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace omptarget {

namespace {

/// For each device: true if it is meant.
using Choice = std::vector<bool>;

/// One list, read from left to right. After a failure nothing more is read.
class ListReader {
public:
  ListReader(std::string_view text, const std::vector<DeviceTraits> &devices)
      : text_(text), devices_(devices), is_taken_(devices.size()) {}

  Result<std::vector<size_t>> read() {
    do
      OMPTARGET_TRY(read_item());
    while (takes(","));
    if (at_ != text_.size())
      return unexpected("a comma");
    return std::move(selected_);
  }

private:
  /// Deeper nesting of parentheses is damage.
  static constexpr int kMostDepth = 100;

  Status unexpected(const char *wanted) {
    skip_space();
    return Status::error(at_ == text_.size() ? format("%s is missing at its end", wanted)
                                             : format("%s was expected before '%s'", wanted,
                                                      std::string(text_.substr(at_, 20)).c_str()));
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool takes(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token)
      return false;
    at_ += token.size();
    return true;
  }
  bool is_at_digit() const { return at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); }
  std::optional<size_t> take_number() {
    skip_space();
    if (!is_at_digit())
      return std::nullopt;
    size_t number = 0;
    for (; is_at_digit(); ++at_)
      number = std::min<size_t>(number * 10 + static_cast<size_t>(text_[at_] - '0'), 1u << 30);
    return number;
  }

  Status read_item() {
    Choice choice(devices_.size());
    if (const std::optional<size_t> number = take_number()) {
      if (*number < devices_.size())
        choice[*number] = true;
    } else if (takes("*")) {
      choice.assign(devices_.size(), true);
    } else {
      OMPTARGET_TRY_ASSIGN(choice, read_any(0));
    }
    std::vector<size_t> matched;
    for (size_t i = 0; i < choice.size(); ++i)
      if (choice[i] && !is_taken_[i])
        matched.push_back(i);
    if (takes("[")) {
      OMPTARGET_TRY_ASSIGN(matched, read_section(matched));
    }
    for (const size_t index : matched)
      is_taken_[index] = true;
    selected_.insert(selected_.end(), matched.begin(), matched.end());
    return Status::ok();
  }

  /// [i], or [first:length] and [first:length:stride] of which each part may be left out.
  Result<std::vector<size_t>> read_section(const std::vector<size_t> &matched) {
    const std::optional<size_t> first = take_number();
    size_t length = first ? 1 : matched.size();
    size_t stride = 1;
    bool has_colon = takes(":");
    if (!has_colon && !first)
      return unexpected("a number or a colon");
    if (has_colon) {
      length = take_number().value_or(matched.size());
      if (takes(":"))
        stride = take_number().value_or(1);
    }
    if (!takes("]"))
      return unexpected("']'");
    if (stride == 0)
      return Status::error("a stride is 0");
    std::vector<size_t> part;
    for (size_t i = first.value_or(0); i < matched.size() && part.size() < length; i += stride)
      part.push_back(matched[i]);
    return part;
  }

  Result<Choice> read_any(int depth) {
    OMPTARGET_TRY_ASSIGN(Choice any, read_all(depth));
    while (takes("||")) {
      OMPTARGET_TRY_ASSIGN(const Choice other, read_all(depth));
      std::transform(any.begin(), any.end(), other.begin(), any.begin(), std::logical_or<>());
    }
    return any;
  }
  Result<Choice> read_all(int depth) {
    OMPTARGET_TRY_ASSIGN(Choice all, read_one(depth));
    while (takes("&&")) {
      OMPTARGET_TRY_ASSIGN(const Choice other, read_one(depth));
      std::transform(all.begin(), all.end(), other.begin(), all.begin(), std::logical_and<>());
    }
    return all;
  }
  Result<Choice> read_one(int depth) {
    if (depth > kMostDepth)
      return Status::error("it is nested too deeply");
    if (takes("!")) {
      OMPTARGET_TRY_ASSIGN(Choice choice, read_one(depth + 1));
      choice.flip();
      return choice;
    }
    if (!takes("("))
      return read_trait();
    OMPTARGET_TRY_ASSIGN(Choice choice, read_any(depth + 1));
    if (!takes(")"))
      return unexpected("')'");
    return choice;
  }

  static bool equals(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
             return std::tolower(x) == std::tolower(y);
           });
  }
  static bool is_of_kind(const DeviceTraits &device, std::string_view kind) {
    // No device is the host itself, also one that is the same CPU.
    return equals(kind, "any") || equals(kind, "nohost") || equals(device.kind, kind);
  }

  Result<Choice> read_trait() {
    std::string DeviceTraits::*trait = nullptr;
    bool is_kind = false;
    if (takes("kind"))
      is_kind = true;
    else if (takes("arch"))
      trait = &DeviceTraits::arch;
    else if (takes("isa"))
      trait = &DeviceTraits::isa;
    else if (takes("vendor"))
      trait = &DeviceTraits::vendor;
    else if (takes("uid"))
      trait = &DeviceTraits::uid;
    else
      return unexpected("a number, '*', or kind, arch, isa, vendor or uid");
    if (!takes("("))
      return unexpected("'('");
    const size_t end = text_.find(')', at_);
    if (end == std::string_view::npos)
      return unexpected("')'");
    std::string_view value = text_.substr(at_, end - at_);
    while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front())))
      value.remove_prefix(1);
    while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back())))
      value.remove_suffix(1);
    if (value.empty())
      return unexpected("a value");
    at_ = end + 1;
    Choice choice;
    for (const DeviceTraits &device : devices_)
      choice.push_back(is_kind ? is_of_kind(device, value) : equals(device.*trait, value));
    return choice;
  }

  std::string_view text_;
  size_t at_ = 0;
  const std::vector<DeviceTraits> &devices_;
  Choice is_taken_;
  std::vector<size_t> selected_;
};

} // namespace

Result<std::vector<size_t>> select_devices(std::string_view list, const std::vector<DeviceTraits> &devices) {
  return ListReader(list, devices).read();
}

} // namespace omptarget
