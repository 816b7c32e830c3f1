// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "warp.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace omptarget::device_rtl {

namespace {

/// The warp that a lane's thread belongs to: lanes wait here until all that still run have named their load.
class Warp {
public:
  explicit Warp(unsigned lanes) : running_(lanes) {}

  void load(uint64_t address) {
    std::unique_lock lock(mutex_);
    current_.addresses.push_back(address);
    const size_t step = steps_.size();
    if (!finish_step())
      stepped_.wait(lock, [&] { return steps_.size() != step; });
  }
  void leave() {
    std::unique_lock lock(mutex_);
    --running_;
    finish_step();
  }
  std::vector<WarpStep> take_steps() { return std::move(steps_); }

private:
  bool finish_step() {
    if (current_.addresses.size() != running_ || running_ == 0)
      return false;
    steps_.push_back(std::move(current_));
    current_ = {};
    stepped_.notify_all();
    return true;
  }
  std::mutex mutex_;
  std::condition_variable stepped_;
  unsigned running_;
  WarpStep current_;
  std::vector<WarpStep> steps_;
};

thread_local Warp *warp_of_lane = nullptr;

} // namespace

size_t WarpStep::lines(uint64_t bytes) const {
  std::set<uint64_t> lines;
  for (uint64_t address : addresses)
    lines.insert(address / bytes);
  return lines.size();
}

std::vector<WarpStep> run_warp(unsigned lanes, const std::function<void(unsigned)> &function) {
  Warp warp(lanes);
  std::vector<std::thread> threads;
  for (unsigned lane = 0; lane < lanes; ++lane)
    threads.emplace_back([&, lane] {
      warp_of_lane = &warp;
      function(lane);
      warp.leave();
    });
  for (std::thread &thread : threads)
    thread.join();
  return warp.take_steps();
}

} // namespace omptarget::device_rtl

extern "C" void omptarget_interpreted_load(const void *address, uint64_t) {
  if (omptarget::device_rtl::warp_of_lane != nullptr)
    omptarget::device_rtl::warp_of_lane->load(reinterpret_cast<uint64_t>(address));
}
