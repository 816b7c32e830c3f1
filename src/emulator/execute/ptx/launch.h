// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch of a kernel of PTX, what its blocks and warps share, and barriers of blocks.
#pragma once

#include "../unwritten.h"
#include "compiled.h"
#include "module.h"

namespace emulator::executor::ptx {

/// Memory that device code asks for and gives back.
class DeviceHeap {
public:
  virtual ~DeviceHeap() = default;
  virtual uint64_t allocate(uint64_t size) = 0; ///< 0: there is none
  virtual bool release(uint64_t address) = 0;   ///< false: it is not of this heap, or was given back before
};

struct Dispatch {
  Extent blocks{}, threads{};
  uint32_t dynamic_shared = 0;
  uint32_t stack_limit = 1024; ///< the context's
  std::vector<uint8_t> arguments;
};

/// The state that the blocks of one thread share.
struct LaunchState {
  const Module &module;
  const Function &kernel;
  const Dispatch &dispatch;
  const Schedule &schedule;
  MemoryView memory;
  DeviceHeap &heap;
  std::vector<Row> shared_addresses = {}; ///< addresses that operands name
  uint32_t stack_limit = 0;               ///< bytes that a thread has, as frames.h counts them
  /// From sm_70 on lanes of a warp that were parted go on in turns; before, one part goes on until it ends or meets the
  /// other.
  bool has_own_places() const { return module.target() >= 70; }
  const std::atomic<uint64_t> *clock = nullptr; ///< instructions of all warps of the launch
  bool is_traced = false;                       ///< SIM_EXECUTOR_TRACE=1
  bool looks_closely = false;                   ///< a check looks at each access
  bool compiles = false;                        ///< parts that run often become code of the host
  std::vector<ReachedMemory> reached = {};      ///< by compiled code
  /// Forgets what was reached if memory came or went.
  void look_at_memory() {
    if (memory.forget_old())
      reached.assign(reached.size(), {});
  }
  std::shared_ptr<WeakMemory> weak = {};                ///< where memory is weak
  UnwrittenMemory *unwritten = UnwrittenMemory::find(); ///< null unless it is looked for
};

class Warp;
struct Fragment;

/// The state that the warps of a block share.
class BlockState {
public:
  BlockState(LaunchState &launch, Block &block, uint64_t serial) : serial_(serial), launch_(launch), block_(block) {}
  Block &block() { return block_; }
  uint64_t serial() const { return serial_; }
  void add(Warp *warp) { warps_.push_back(warp); }
  /// Lets the waiting go whose barrier is complete.
  void look_at_barriers();
  /// bar.arrive: a warp is counted and goes on.
  void count_arrival(uint32_t barrier) { ++arrivals_[barrier]; }
  /// A warp waits at a barrier that states its number of threads.
  void count_threads() { counts_threads_ = true; }
  /// That are awaited at a barrier; 0: all, or nobody waits.
  uint32_t threads_at(uint32_t barrier) const;

private:
  void look_at_barrier(uint32_t barrier);
  uint32_t lanes_at(Warp &warp, uint32_t barrier) const;
  void give_result(const Instruction &instruction, Fragment &fragment, uint32_t votes, uint32_t waiting) const;

  uint64_t serial_;
  LaunchState &launch_;
  Block &block_;
  std::vector<Warp *> warps_;
  std::array<uint32_t, 16> arrivals_{};
  bool counts_threads_ = false;
};

/// Runs all of it; nothing if all ended as it should.
std::optional<Report> launch(const Module &module, const Function &kernel, DeviceMemory &memory, DeviceHeap &heap,
                             const Dispatch &dispatch, const Schedule &schedule);

} // namespace emulator::executor::ptx
