// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/launch_log.h"

#include <algorithm>

#include "base/format.h"
#include "generations/names.h"

namespace omptarget {

std::string describe_kernel(const std::string &name) {
  const std::optional<KernelSource> source = source_of_kernel(name);
  return source ? name + " in " + std::string(source->function) + ", line " + std::string(source->line) : name;
}

static std::string shown_launch(const std::string &kernel, uint32_t teams, uint32_t threads) {
  return format("%s (%u blocks, %u threads)", describe_kernel(kernel).c_str(), teams, threads);
}

void LaunchLog::trace(const void *stream, const std::string &kernel, uint32_t teams, uint32_t threads) {
  if (traces_.is_on())
    traces_.launched(stream, shown_launch(kernel, teams, threads));
}

void LaunchLog::tell_traces(int32_t device_number) {
  if (traces_.is_on())
    traces_.tell(device_number, streams_under_way());
}

/// A stream's last row tells.
std::vector<const void *> LaunchLog::streams_under_way() const {
  std::vector<const void *> seen, under_way;
  const uint64_t end = next_.load(std::memory_order_relaxed);
  for (uint64_t i = end; i > end - std::min<uint64_t>(end, kSize); --i) {
    const Row &row = rows_[(i - 1) % kSize];
    const void *const stream = row.stream.load(std::memory_order_relaxed);
    const bool is_launch = row.kernel.load(std::memory_order_relaxed) != nullptr;
    if (!stream && !is_launch)
      break;
    if (std::find(seen.begin(), seen.end(), stream) != seen.end())
      continue;
    seen.push_back(stream);
    if (is_launch)
      under_way.push_back(stream);
  }
  return under_way;
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
      names.push_back(shown_launch(*kernel, static_cast<uint32_t>(shape >> 32), static_cast<uint32_t>(shape)));
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
