// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch.h. The order of registers is that of LLVM's AMDGPUUsage, "Initial Kernel Execution State".

#include "launch.h"

#include <algorithm>
#include <cstdlib>

namespace emulator::executor::amdgpu {

namespace {

// Bits of a descriptor's properties.
enum Property : uint16_t {
  kPrivateBuffer = 1 << 0,
  kDispatchPointer = 1 << 1,
  kQueuePointer = 1 << 2,
  kArguments = 1 << 3,
  kDispatchId = 1 << 4,
  kFlatScratch = 1 << 5,
  kPrivateSize = 1 << 6,
  kWave32 = 1 << 10,
};
constexpr uint64_t kPacketSize = 64;
constexpr uint64_t kPrivateBase = 0x7F0000000000; ///< of all waves, in descriptors; nothing is there
constexpr uint32_t kPrivateOfWave = 0x100000;

// The device's memory and the packet, which is the driver's.
class LaunchMemory final : public DeviceMemory {
public:
  LaunchMemory(DeviceMemory &memory, uint64_t packet) : memory_(memory), packet_(packet) {}
  std::optional<MemoryRange> find(uint64_t address) override {
    if (packet_ != 0 && address >= packet_ && address < packet_ + kPacketSize)
      return MemoryRange{packet_, packet_ + kPacketSize, false};
    return memory_.find(address);
  }
  uint64_t generation() override { return memory_.generation(); }
  std::string near(uint64_t address) override { return memory_.near(address); }

private:
  DeviceMemory &memory_;
  uint64_t packet_;
};

class AmdBlocks final : public BlockSource {
public:
  AmdBlocks(const LaunchContext &context, const KernelDescriptor &descriptor, const Dispatch &dispatch,
            const Schedule &schedule)
      : context_(context), view_(*context.memory), descriptor_(descriptor), dispatch_(dispatch),
        finds_races_(schedule.finds_races), global_uses_(schedule.global_uses), seed_(schedule.seed),
        random_(seed_ ^ 0xB10C) {
    own_memory();
  }
  AmdBlocks(const AmdBlocks &first, uint32_t number)
      : context_(first.context_), view_(first.view_), descriptor_(first.descriptor_), dispatch_(first.dispatch_),
        finds_races_(first.finds_races_), global_uses_(first.global_uses_), seed_(first.seed_),
        random_((seed_ ^ 0xB10C) + (uint64_t{number} << 32)) {
    own_memory();
  }

  std::unique_ptr<BlockSource> make_another(uint32_t number) override {
    return std::make_unique<AmdBlocks>(*this, number);
  }

  std::unique_ptr<Block> make_block(const Extent &index) override {
    auto block = std::make_unique<Block>();
    block->index = index;
    block->view.shares_cache = context_.processor.is_gfx9;
    for (size_t i = 0; i < 3; ++i) // the last block may be smaller
      block->threads[i] = std::min(dispatch_.threads[i], dispatch_.grid[i] - index[i] * dispatch_.threads[i]);
    block->make_shared(dispatch_.group_size);
    for (uint8_t &byte : block->shared)
      byte = static_cast<uint8_t>(random_.next() | 0x81);
    block->fresh = std::make_unique<FreshBytes>(block->shared.data(), block->shared.size());
    if (finds_races_)
      block->uses = std::make_unique<SharedUses>(block->shared.size(), context_.processor.lanes);
    block->global_uses = global_uses_;
    const auto threads = static_cast<uint32_t>(count(block->threads));
    for (uint32_t first = 0; first < threads; first += context_.processor.lanes) {
      auto wave = std::make_unique<AmdWave>(context_, *block, random_);
      wave->first_thread = first;
      start(*wave, *block, first / context_.processor.lanes, threads);
      block->waves.push_back(std::move(wave));
    }
    return block;
  }

private:
  // Makes the memory that the blocks have reached that of one thread.
  void own_memory() {
    context_.memory = &view_;
    if (!context_.compiled)
      return;
    compiled_ = *context_.compiled;
    context_.compiled = &compiled_;
  }
  void start(AmdWave &wave, const Block &block, uint32_t number, uint32_t threads) {
    wave.set_pc(reinterpret_cast<uint64_t>(&descriptor_) + static_cast<uint64_t>(descriptor_.entry_offset));
    const uint32_t lanes = std::min(context_.processor.lanes, threads - wave.first_thread);
    wave.set_scalar64(kExec, lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1);
    set_scalars(wave, block, number);
    for (uint32_t lane = 0; lane < lanes; ++lane) { // the three in one register, 10 bits each
      const uint32_t thread = wave.first_thread + lane;
      const uint32_t x = thread % block.threads[0], y = thread / block.threads[0] % block.threads[1],
                     z = thread / block.threads[0] / block.threads[1];
      wave.vector(0)[lane] = x | y << 10 | z << 20;
    }
  }

  void set_scalars(AmdWave &wave, const Block &block, uint32_t number) {
    unsigned next = 0;
    const auto put64 = [&](uint16_t property, uint64_t value) {
      if (descriptor_.properties & property) {
        wave.set_scalar64(next, value);
        next += 2;
      }
    };
    if (descriptor_.properties & kPrivateBuffer) { // stride and swizzle, the size, the format: not looked at
      wave.set_scalar64(0, kPrivateBase | uint64_t{1} << 63);
      wave.set_scalar64(2, 0x00E0000000FFFFFF);
      next = 4;
    }
    put64(kDispatchPointer, dispatch_.packet);
    put64(kQueuePointer, dispatch_.queue);
    put64(kArguments, dispatch_.arguments);
    put64(kDispatchId, 1);
    put64(kFlatScratch, kPrivateBase);
    if (descriptor_.properties & kPrivateSize)
      wave.set_scalar(next++, dispatch_.private_size);
    next = std::max(next, descriptor_.resources2 >> 1 & 31);
    for (unsigned i = 0; i < 3; ++i)
      if (descriptor_.resources2 >> (7 + i) & 1)
        wave.set_scalar(next++, block.index[i]);
    if (descriptor_.resources2 >> 10 & 1)
      wave.set_scalar(next++, 0);
    const uint32_t moved = (number + 1) * kPrivateOfWave;
    wave.scratch_base = kPrivateBase + moved;
    if ((descriptor_.resources2 & 1) && context_.processor.is_gfx9)
      wave.set_scalar(next++, moved);
  }

  LaunchContext context_;
  MemoryView view_;
  CompiledLaunch compiled_;
  const KernelDescriptor &descriptor_;
  const Dispatch &dispatch_;
  const bool finds_races_;
  const std::shared_ptr<GlobalUses> global_uses_;
  const uint64_t seed_;
  Random random_;
};

// Granules of AMDGPUUsage, "Kernel Descriptor": compute_pgm_rsrc1 and 3. The accumulators of gfx90a are the rest of one file.
RegisterCounts stated_registers(const KernelDescriptor &descriptor, const Processor &processor) {
  const auto vectors = static_cast<uint16_t>(((descriptor.resources1 & 63) + 1) * 8);
  if (!processor.is_gfx9)
    return {vectors, 0, kVcc};
  const auto first_accumulator = std::min(vectors, static_cast<uint16_t>(((descriptor.resources3 & 63) + 1) * 4));
  return {first_accumulator, static_cast<uint16_t>(vectors - first_accumulator),
          static_cast<uint16_t>(((descriptor.resources1 >> 6 & 15) / 2 + 1) * 16)};
}

Report refused(std::string text) { return {{FaultKind::kUnsupported, std::move(text)}, {}, {}, 0}; }

} // namespace

std::optional<Report> launch(CodeObject &object, CodeSpace &code, DeviceMemory &memory, const Dispatch &dispatch,
                             const Schedule &schedule) {
  const KernelDescriptor *descriptor = object.find_descriptor(dispatch.kernel);
  if (!descriptor)
    return refused("there is no descriptor of the kernel");
  const bool is_wave32 = (descriptor->properties & kWave32) != 0;
  if (is_wave32 != (object.processor().lanes == 32))
    return refused("a kernel for waves of another size");
  if (descriptor->preload != 0)
    return refused("a kernel whose arguments come in registers");
  LaunchMemory reachable(memory, dispatch.packet);
  MemoryView view(reachable);
  LaunchContext context;
  context.processor = object.processor();
  context.code = &code;
  context.memory = &view;
  context.private_size = dispatch.private_size;
  context.registers = stated_registers(*descriptor, object.processor());
  context.refuses_absent = schedule.refuses_absent;
  context.breakpoint = schedule.breakpoint.is_set ? &schedule.breakpoint : nullptr;
  context.traces = std::getenv("SIM_EXECUTOR_TRACE") != nullptr;
  Extent blocks;
  for (size_t i = 0; i < 3; ++i)
    blocks[i] = (dispatch.grid[i] + dispatch.threads[i] - 1) / dispatch.threads[i];
  std::unique_ptr<WeakMemory> weak;
  if (schedule.is_weak)
    weak = std::make_unique<WeakMemory>(schedule.seed);
  context.weak = weak.get();
  // Checks that look at single instructions need the interpreter, and short turns.
  Schedule own = schedule;
  own.has_long_turns = !schedule.has_own_quantum && !schedule.looks_closely();
  context.quantum = schedule.quantum;
  context.has_long_turns = own.has_long_turns;
  CompiledLaunch compiled;
  compiled.after = schedule.compile_after;
  if (schedule.looks_closely() || context.traces || context.breakpoint)
    own.cores = 1;
  else if (schedule.compile_after != Schedule::kNever && can_compile())
    context.compiled = &compiled;
  AmdBlocks source(context, *descriptor, dispatch, own);
  return run_grid(blocks, source, own);
}

} // namespace emulator::executor::amdgpu
