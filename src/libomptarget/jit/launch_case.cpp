// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "jit/launch_case.h"

#include <algorithm>
#include <charconv>

namespace omptarget::jit {

namespace {

constexpr int kHexadecimal = 16;
constexpr uint32_t kMostValueBytes = sizeof(uint64_t);
constexpr uint32_t kMostThreads = 1024; // of a team, on every GPU

template <typename Number> std::string text_of_number(Number number, int base) {
  char text[24];
  return {text, std::to_chars(text, text + sizeof text, number, base).ptr};
}

/// Takes the text up to the mark, and the mark, from the front.
std::string_view take_to(std::string_view &text, char mark) {
  const size_t end = std::min(text.find(mark), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

template <typename Number> bool read(std::string_view text, Number &number, int base = 10) {
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end;
}

bool read(std::string_view text, ParameterValue &value) {
  const std::string_view parameter = take_to(text, ':');
  const std::string_view size = take_to(text, '=');
  return read(parameter, value.parameter) && read(size, value.size) && read(text, value.bits, kHexadecimal);
}

} // namespace

bool LaunchCase::fits(const LaunchCase &launch) const {
  if (has_shape() && (teams != launch.teams || threads != launch.threads))
    return false;
  return std::includes(launch.values.begin(), launch.values.end(), values.begin(), values.end());
}

void LaunchCase::reduce_to_common(const LaunchCase &other) {
  if (teams != other.teams || threads != other.threads)
    teams = threads = 0;
  std::vector<ParameterValue> common;
  std::set_intersection(values.begin(), values.end(), other.values.begin(), other.values.end(),
                        std::back_inserter(common));
  values = std::move(common);
}

std::string text_of(const LaunchCase &launch) {
  std::string text = launch.kernel + " " + text_of_number(launch.teams, 10) + " " + text_of_number(launch.threads, 10);
  for (const ParameterValue &value : launch.values)
    text += " " + text_of_number(value.parameter, 10) + ":" + text_of_number(value.size, 10) + "=" +
            text_of_number(value.bits, kHexadecimal);
  return text;
}

std::optional<LaunchCase> case_of(std::string_view line) {
  const std::string_view whole = line;
  LaunchCase launch{.kernel = std::string(take_to(line, ' '))};
  const std::string_view teams = take_to(line, ' ');
  const std::string_view threads = take_to(line, ' ');
  if (launch.kernel.empty() || !read(teams, launch.teams) || !read(threads, launch.threads) ||
      launch.threads > kMostThreads)
    return std::nullopt;
  while (!line.empty()) {
    ParameterValue value{};
    if (!read(take_to(line, ' '), value) || value.size == 0 || value.size > kMostValueBytes)
      return std::nullopt;
    launch.values.push_back(value);
  }
  return text_of(launch) == whole && std::is_sorted(launch.values.begin(), launch.values.end())
             ? std::optional(std::move(launch))
             : std::nullopt;
}

std::string variant_name(const LaunchCase &launch, size_t number) {
  return launch.kernel + "_omptarget_variant_" + text_of_number(number, 10);
}

} // namespace omptarget::jit
