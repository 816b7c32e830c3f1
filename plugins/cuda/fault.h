// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels are under way, and what becomes of a device after one of them faulted: a fault ends the driver's
// context, so every later call fails with the text that names the kernel.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>

#include "cuda/cuda_api.h"

namespace omptarget::cuda {

class Kernel;

/// Whether a result means that the context is lost, whatever call returns it.
bool ends_context(CUresult result);

/// The last launches of a device. Any thread, no lock.
class LaunchLog {
public:
  void launched(CUstream stream, const Kernel &kernel, uint32_t teams, uint32_t threads) {
    add(stream, &kernel, uint64_t{teams} << 32 | threads);
  }
  /// All work of the stream is complete; of all streams: nullptr.
  void completed(CUstream stream) { add(stream, nullptr, 0); }
  /// The launches that are not known to be complete, newest first: "kernel f (...)" or "one of the kernels ...", or
  /// empty. Only while no kernel is being unloaded.
  std::string unfinished() const;

private:
  static constexpr size_t kSize = 256;
  struct Row {
    std::atomic<CUstream> stream;
    std::atomic<const Kernel *> kernel;
    std::atomic<uint64_t> shape;
  };
  // Relaxed: rows are read for an error's text only, when a torn row costs accuracy and nothing else.
  void add(CUstream stream, const Kernel *kernel, uint64_t shape) {
    Row &row = rows_[next_.fetch_add(1, std::memory_order_relaxed) % kSize];
    row.kernel.store(nullptr, std::memory_order_relaxed);
    row.stream.store(stream, std::memory_order_relaxed);
    row.shape.store(shape, std::memory_order_relaxed);
    row.kernel.store(kernel, std::memory_order_relaxed);
  }

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

private:
  std::atomic<bool> happened_{false};
  mutable std::mutex mutex_;
  std::string text_;
};

} // namespace omptarget::cuda
