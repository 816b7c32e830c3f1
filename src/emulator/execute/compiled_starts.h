// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of code where compiled parts may begin, for all targets. A part has a form for all lanes and one for
// some. It is compiled when it was asked for often enough.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace emulator::executor {

/// Part: has `code`, which is null where the first instruction is only interpreted. Places are numbers from 0. Any
/// thread, unless stated otherwise.
template <typename Part> class CompiledStarts {
public:
  explicit CompiledStarts(size_t places) : starts_(std::make_unique<Start[]>(places)) {}
  CompiledStarts(const CompiledStarts &) = delete;
  CompiledStarts &operator=(const CompiledStarts &) = delete;

  /// A part may begin there.
  void add(size_t place) { starts_[place].is_one.store(true, std::memory_order_relaxed); }
  bool is_one(size_t place) const { return starts_[place].is_one.load(std::memory_order_relaxed); }

  /// The part that begins there, or null. Once it was asked for more than `after` times, compile() publishes it. While
  /// a thread compiles, others get none.
  template <typename Compile> const Part *find(size_t place, bool is_full, uint32_t after, Compile compile) {
    if (!is_one(place))
      return nullptr;
    Form &form = starts_[place].forms[is_full];
    if (const Part *const part = form.part.load(std::memory_order_acquire))
      return part->code ? part : nullptr;
    if (form.runs.fetch_add(1, std::memory_order_relaxed) < after)
      return nullptr;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock)
      return nullptr;
    if (!form.part.load())
      compile();
    const Part *const part = form.part.load();
    return part->code ? part : nullptr;
  }

  /// Returns whether a part is to go on there: a block that has run a few times, or what follows an instruction that is
  /// interpreted. Within compile().
  bool is_wanted(size_t place, bool is_full, uint32_t after) const {
    const Form &form = starts_[place].forms[is_full];
    const uint32_t runs = form.runs.load();
    return !form.part.load() && (!is_one(place) || runs >= kFewRuns || runs >= after);
  }
  /// From now on this part begins there. Within compile().
  void publish(size_t place, bool is_full, Part part) {
    parts_.push_back(std::make_unique<Part>(std::move(part)));
    starts_[place].forms[is_full].part.store(parts_.back().get(), std::memory_order_release);
    add(place);
  }

private:
  static constexpr uint32_t kFewRuns = 16;
  struct Form {
    std::atomic<const Part *> part{nullptr};
    std::atomic<uint32_t> runs{0};
  };
  struct Start {
    std::atomic<bool> is_one{false};
    Form forms[2];
  };

  std::unique_ptr<Start[]> starts_;
  std::mutex mutex_; ///< of who compiles
  std::vector<std::unique_ptr<Part>> parts_;
};

} // namespace emulator::executor
