// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel of PTX text on a small piece of memory, interpreted or compiled.
#pragma once

#include <cstring>

#include "emulator/execute/ptx/launch.h"

namespace emulator::executor::ptx {

/// The results, and the module's variables.
class Memory final : public DeviceMemory, public DeviceHeap {
public:
  std::optional<MemoryRange> find(uint64_t address) override {
    const uint64_t begin = reinterpret_cast<uint64_t>(results);
    if (address >= begin && address < begin + sizeof(results))
      return MemoryRange{begin, begin + sizeof(results), true};
    return module ? module->find_memory(address) : std::nullopt;
  }
  uint64_t generation() override { return 1; }
  uint64_t allocate(uint64_t) override { return 0; }
  bool release(uint64_t) override { return false; }
  const Module *module = nullptr;
  alignas(256) uint64_t results[8][kLanes] = {};
};

/// Runs the kernel, whose one parameter is the address of the results. compile_after: kNever, or 0 for all at once.
inline std::optional<Report> run(const Module &module, const std::string &kernel, Memory &memory, uint64_t seed = 1,
                                 uint32_t compile_after = Schedule::kNever, uint32_t threads = kLanes,
                                 uint32_t quantum = 64, uint64_t budget = 1000000) {
  Dispatch dispatch;
  dispatch.blocks = {1, 1, 1};
  dispatch.threads = {threads, 1, 1};
  dispatch.arguments.resize(8);
  const uint64_t address = reinterpret_cast<uint64_t>(memory.results);
  std::memcpy(dispatch.arguments.data(), &address, 8);
  memory.module = &module;
  Schedule schedule;
  schedule.seed = seed;
  schedule.budget = budget;
  schedule.compile_after = compile_after;
  schedule.quantum = quantum;
  return launch(module, *module.find_function(kernel), memory, memory, dispatch, schedule);
}

} // namespace emulator::executor::ptx
