// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/launch_log.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.h"

namespace omptarget {

namespace {

bool are_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

std::string source_of_kernel(const std::string &name) {
  constexpr std::string_view kPrefix = "__omp_offloading_";
  std::string_view rest = name;
  if (!rest.starts_with(kPrefix))
    return {};
  rest.remove_prefix(kPrefix.size());
  for (int i = 0; i < 2; ++i) {
    const size_t end = rest.find('_', i == 0 && rest.starts_with('_') ? 1 : 0);
    if (end == std::string_view::npos)
      return {};
    rest.remove_prefix(end + 1);
  }
  size_t line = rest.rfind("_l");
  if (line == std::string_view::npos || line == 0)
    return {};
  const std::string_view function = rest.substr(0, line);
  std::string_view number = rest.substr(line + 2);
  number = number.substr(0, number.find('_'));
  if (!are_digits(number))
    return {};
  return std::string(function) + ", line " + std::string(number);
}

std::string describe_kernel(const std::string &name) {
  const std::string source = source_of_kernel(name);
  return source.empty() ? name : name + " in " + source;
}

std::string LaunchLog::unfinished() const {
  constexpr size_t kMostNamed = 4;
  const uint64_t end = next_.load(std::memory_order_relaxed);
  const uint64_t begin = end > kSize ? end - kSize : 0;
  std::vector<const void *> complete;
  std::vector<std::string> names;
  size_t count = 0;
  for (uint64_t i = end; i > begin; --i) {
    const Row &row = rows_[(i - 1) % kSize];
    const void *stream = row.stream.load(std::memory_order_relaxed);
    const std::string *kernel = row.kernel.load(std::memory_order_relaxed);
    if (!kernel && !stream)
      break;
    if (std::find(complete.begin(), complete.end(), stream) != complete.end())
      continue;
    if (!kernel) {
      complete.push_back(stream);
      continue;
    }
    const uint64_t shape = row.shape.load(std::memory_order_relaxed);
    if (++count <= kMostNamed)
      names.push_back(format("%s (%u blocks, %u threads)", describe_kernel(*kernel).c_str(),
                             static_cast<unsigned>(shape >> 32), static_cast<unsigned>(shape)));
  }
  if (count == 0)
    return {};
  std::string text = count == 1 ? "kernel " : "one of the kernels under way, newest first: ";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (count > names.size())
    text += format(" and %zu more", count - names.size());
  return text;
}

void Fault::set(const std::string &text) {
  const std::lock_guard lock(mutex_);
  if (happened_.load(std::memory_order_relaxed))
    return;
  text_ = text;
  happened_.store(true, std::memory_order_release);
}

void Fault::clear() {
  const std::lock_guard lock(mutex_);
  text_.clear();
  happened_.store(false, std::memory_order_release);
}

std::string Fault::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

} // namespace omptarget
