// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels of a device are under way, and what becomes of the device after one of them faulted: every later call
// fails with the text that names the kernel.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "common/launch_traces.h"

namespace omptarget {

/// Name, and function and line of the source as far as the name tells them.
std::string describe_kernel(const std::string &name);

/// The last launches of a device. Any thread; no lock, unless traces are kept.
class LaunchLog {
public:
  /// stream: any pointer that tells streams apart. The name lives as long as the kernel is loaded.
  void launched(const void *stream, const std::string &kernel, uint32_t teams, uint32_t threads) {
    add(stream, &kernel, uint64_t{teams} << 32 | threads);
  }
  /// All work of the stream is complete; of all streams: nullptr.
  void completed(const void *stream) { add(stream, nullptr, 0); }
  /// The launches that are not known to be complete, newest first: "kernel f (...)" or "one of the kernels ...", or
  /// empty. Only while no kernel is being unloaded.
  std::string unfinished() const;
  /// Remembers where a kernel is launched, if that is kept.
  void trace(const void *stream, const std::string &kernel, uint32_t teams, uint32_t threads);
  /// Tells on stderr where the last kernels were launched, if that is kept. Those of streams under way come first.
  void tell_traces(int32_t device_number);

private:
  static constexpr size_t kSize = 256;
  struct Row {
    std::atomic<const void *> stream;
    std::atomic<const std::string *> kernel;
    std::atomic<uint64_t> shape;
  };
  // Relaxed: rows are read for an error's text only, when a torn row costs accuracy and nothing else.
  void add(const void *stream, const std::string *kernel, uint64_t shape) {
    Row &row = rows_[next_.fetch_add(1, std::memory_order_relaxed) % kSize];
    row.kernel.store(nullptr, std::memory_order_relaxed);
    row.stream.store(stream, std::memory_order_relaxed);
    row.shape.store(shape, std::memory_order_relaxed);
    row.kernel.store(kernel, std::memory_order_relaxed);
  }

  std::vector<const void *> streams_under_way() const;
  LaunchTraces traces_;
  std::atomic<uint64_t> next_{0};
  std::array<Row, kSize> rows_{};
};

/// The fault of a device, if there was one. Any thread.
class Fault {
public:
  bool happened() const { return happened_.load(std::memory_order_acquire); }
  /// The first text stays.
  void set(const std::string &text);
  std::string text() const;
  /// The device was closed and opened again.
  void clear();

private:
  std::atomic<bool> happened_{false};
  mutable std::mutex mutex_;
  std::string text_;
};

} // namespace omptarget
