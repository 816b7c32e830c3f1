// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compiled.h.

#include "compiled.h"

#include "wave.h"

#if OMPTARGET_EXECUTOR_COMPILES
#include <algorithm>

#include "translate.h"
#endif

namespace emulator::executor::amdgpu {

#if OMPTARGET_EXECUTOR_COMPILES

void CompiledSegment::compile(uint64_t address, bool is_full, uint32_t after, CodeSpace &code) {
  const CodeReader reader{
      .processor = processor_,
      .at = [&](uint64_t at) -> const Instruction * {
        std::string reason;
        return has(at) ? code.at(at, reason) : nullptr;
      },
      .is_wanted = [&](uint64_t at, bool of_all) { return has(at) && starts_.is_wanted(word_of(at), of_all, after); },
      .is_start = [&](uint64_t at) { return starts_.is_one(word_of(at)); },
  };
  Translation translation;
  const HostCode host_code = compile_for_host(processor_.name, [&](llvm::Module &module, uint32_t &accesses) {
    translation = translate(reader, address, is_full, accesses, module);
    return std::ranges::any_of(translation.blocks, [](const auto &one) { return one.length != 0; });
  });
  if (translation.blocks.empty()) // the process ends
    translation.blocks.push_back({.address = address, .is_full = is_full});
  for (const uint64_t start : translation.starts)
    add_start(start);
  uint32_t entry = 0;
  for (const Translation::Block &block : translation.blocks)
    starts_.publish(word_of(block.address), block.is_full,
                    {.code = block.length == 0 ? nullptr : reinterpret_cast<CompiledCode>(host_code.code),
                     .entry = entry++,
                     .length = block.length,
                     .accesses = host_code.accesses,
                     .touched = translation.touched});
}

#else

void CompiledSegment::compile(uint64_t address, bool is_full, uint32_t, CodeSpace &) {
  starts_.publish(word_of(address), is_full, {});
}

#endif

bool interpret_one(CompiledState *state, const Instruction *instruction, uint64_t address, uint32_t access) {
  return state->wave->interpret_one(*instruction, address, access == kNoAccess ? nullptr : &state->reached[access]);
}

// Then what it has reached is what compiled code looks at first.
bool AmdWave::interpret_one(const Instruction &instruction, uint64_t address, ReachedMemory *reached) {
  pc_ = address;
  reached_address_ = 0;
  ++context_.compiled->interpreted;
  scc = state_.scc != 0;
  step(instruction);
  state_.scc = scc;
  if (has_failed())
    return false;
  if (reached && reached_address_ >> 32 == kSharedAperture)
    *reached = {uint64_t{kSharedAperture} << 32, block_.shared.size()};
  else if (reached && reached_address_ != 0)
    if (const MemoryRange *const range = context_.memory->reached(reached_address_, 1))
      *reached = {range->begin, range->end - range->begin};
  return true;
}

// The fields that stay as long as the wave.
void AmdWave::begin_compiled() {
  state_.scalars = scalars_.data();
  state_.vectors = vectors_.data();
  state_.shared = block_.shared.data();
  state_.shared_size = block_.shared.size();
  state_.stack = private_.data();
  state_.stack_size = context_.private_size;
  state_.scratch_base = scratch_base;
  state_.wave = this;
}

// The part that begins here runs, if there is one and the turn is long enough. Returns how many instructions it took.
uint64_t AmdWave::run_compiled(int64_t most) {
  if (!segment_ || !segment_->has(pc_)) {
    segment_ = context_.code->compiled_at(pc_);
    if (!segment_)
      return 0;
    segment_->add_start(pc_);
    begin_compiled();
  }
  CompiledLaunch &launch = *context_.compiled;
  const CompiledPart *const part = segment_->find(pc_, exec() == lane_mask(), launch.after, *context_.code);
  if (!part || (!is_long_turn_ && part->length > most))
    return 0;
  const RegisterCounts &own = context_.registers, &touched = part->touched;
  if (touched.vectors > own.vectors || touched.accumulators > own.accumulators || touched.scalars > own.scalars)
    return 0; // the interpreter finds the instruction that does
  if (part->accesses > launch.reached.size())
    launch.reached.resize(part->accesses);
  state_.left = most;
  state_.entry = part->entry;
  state_.is_long = is_long_turn_;
  state_.is_over = 0;
  state_.last = last_pc_;
  state_.scc = scc;
  state_.reached = launch.reached.data();
  part->code(&state_);
  scc = state_.scc != 0;
  if (!has_failed()) {
    pc_ = state_.place;
    last_pc_ = state_.last;
  }
  ended_block_ = state_.is_over != 0;
  return static_cast<uint64_t>(most - state_.left);
}

} // namespace emulator::executor::amdgpu
