// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch.h.

#include "launch.h"

#include <algorithm>
#include <cstdlib>

#include "warp.h"

namespace emulator::executor::ptx {

namespace {

bool is_set(const char *variable) {
  const char *text = std::getenv(variable);
  return text && *text == '1';
}

struct PtxBlock final : Block {
  std::unique_ptr<BlockState> state;
};

class Blocks final : public BlockSource {
public:
  explicit Blocks(LaunchState launch) : launch_(std::move(launch)), garbage_(launch_.schedule.seed) {
    launch_.clock = &executed;
  }
  Blocks(const Blocks &first, uint32_t number)
      : launch_(first.launch_), garbage_(launch_.schedule.seed + (uint64_t{number} << 32)) {}

  std::unique_ptr<BlockSource> make_another(uint32_t number) override {
    return std::make_unique<Blocks>(*this, number);
  }
  std::unique_ptr<Block> make_block(const Extent &index) override {
    auto block = std::make_unique<PtxBlock>();
    block->index = index;
    block->threads = launch_.dispatch.threads;
    block->make_shared(launch_.kernel.dynamic_at + launch_.dispatch.dynamic_shared);
    for (uint8_t &byte : block->shared)
      byte = static_cast<uint8_t>(garbage_.next());
    block->fresh = std::make_unique<FreshBytes>(block->shared.data(), block->shared.size());
    if (launch_.schedule.finds_races)
      block->uses = std::make_unique<SharedUses>(block->shared.size(), kLanes);
    block->global_uses = launch_.schedule.global_uses;
    const Extent &all = launch_.dispatch.blocks;
    const uint64_t number = index[0] + all[0] * (index[1] + uint64_t{all[1]} * index[2]);
    block->state = std::make_unique<BlockState>(launch_, *block, number + 1);
    const uint64_t threads = count(block->threads);
    for (uint64_t first = 0; first < threads; first += kLanes) {
      const uint32_t lanes = threads - first >= kLanes ? kAllLanes : (1u << (threads - first)) - 1;
      block->waves.push_back(
          std::make_unique<Warp>(launch_, *block->state, static_cast<unsigned>(first / kLanes), lanes));
    }
    return block;
  }

private:
  LaunchState launch_;
  Random garbage_;
};

} // namespace

std::optional<Report> launch(const Module &module, const Function &kernel, DeviceMemory &memory, DeviceHeap &heap,
                             const Dispatch &dispatch, const Schedule &schedule) {
  Schedule own = schedule;
  LaunchState state{module, kernel, dispatch, own, MemoryView(memory), heap};
  state.shared_addresses = module.shared_addresses(kernel);
  // Drivers give a kernel what it is known to need, whatever the limit says.
  state.stack_limit = std::max(dispatch.stack_limit, kernel.is_undetermined ? 0 : kernel.stack_need);
  if (schedule.is_weak)
    state.weak = std::make_shared<WeakMemory>(schedule.seed);
  state.is_traced = is_set("SIM_EXECUTOR_TRACE");
  // Checks that look at single instructions need the interpreter.
  state.looks_closely = schedule.looks_closely();
  own.has_long_turns = !schedule.has_own_quantum && !state.looks_closely;
  state.compiles = schedule.compile_after != Schedule::kNever && !state.looks_closely && !state.is_traced &&
                   !schedule.breakpoint.is_set && can_compile();
  if (state.looks_closely || state.is_traced || schedule.breakpoint.is_set)
    own.cores = 1;
  Blocks blocks(std::move(state));
  return run_grid(dispatch.blocks, blocks, own);
}

} // namespace emulator::executor::ptx
