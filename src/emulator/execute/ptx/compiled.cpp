// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compiled.h.

#include "compiled.h"

#include "access_lanes.h"
#include "liveness.h"

#if OMPTARGET_EXECUTOR_COMPILES
#include <algorithm>

#include "translate.h"
#endif

namespace emulator::executor::ptx {

#if OMPTARGET_EXECUTOR_COMPILES

void CompiledFunction::compile(uint32_t place, bool is_full, uint32_t after) {
  if (!liveness_)
    liveness_ = std::make_unique<Liveness>(function_);
  const auto is_wanted = [&](uint32_t at) { return starts_.is_wanted(at, is_full, after); };
  Translation translation{.lengths = {{place, 0}}, .starts = {}};
  const HostCode code = compile_for_host(function_.name, [&](llvm::Module &module, uint32_t &accesses) {
    translation = translate(function_, *liveness_, place, is_full, is_wanted, accesses, module);
    return std::any_of(translation.lengths.begin(), translation.lengths.end(),
                       [](const auto &one) { return one.second != 0; });
  });
  for (const uint32_t start : translation.starts)
    if (start < function_.code.size())
      starts_.add(start);
  for (const auto &[at, length] : translation.lengths)
    starts_.publish(at, is_full,
                    {.code = length == 0 ? nullptr : reinterpret_cast<CompiledCode>(code.code),
                     .length = length,
                     .accesses = code.accesses});
}

#else

void CompiledFunction::compile(uint32_t place, bool is_full, uint32_t) { starts_.publish(place, is_full, {}); }

#endif

CompiledFunction::CompiledFunction(const Function &function) : function_(function), starts_(function.code.size()) {
  for (const BasicBlock &block : FlowGraph(function).blocks)
    starts_.add(block.begin);
}
CompiledFunction::~CompiledFunction() = default;

bool access_slowly(CompiledState *state, uint32_t place, uint32_t access, uint32_t mask, const uint64_t *addresses,
                   uint64_t *values) {
  return state->warp->access_slowly(place, state->reached[access], mask, addresses, values);
}

// As run_fragment does one instruction; then what it has reached is what compiled code looks at first.
bool Warp::access_slowly(uint32_t place, ReachedMemory &reached, uint32_t mask, const uint64_t *addresses,
                         uint64_t *values) {
  const Instruction &instruction = now_.frame->function->code[place];
  at_ = &instruction;
  active_ = mask;
  now_.place = place + 1;
  uint64_t *const rows[4] = {values, values + kLanes, values + size_t{2} * kLanes, values + size_t{3} * kLanes};
  if (is_opcode(instruction, "st"))
    store_lanes(*this, instruction, addresses, rows);
  else
    load_lanes(*this, instruction, addresses, rows);
  if (has_failed())
    return false;
  const bool is_global =
      instruction.space == Space::kGlobal || instruction.space == Space::kConst || instruction.space == Space::kGeneric;
  if (mask == 0 || !is_global)
    return true;
  const uint64_t size = uint64_t{size_of(instruction.type)} * instruction.width;
  if (const MemoryRange *const range = launch_.memory.reached(addresses[__builtin_ctz(mask)], size))
    reached = {range->begin, range->end - range->begin};
  return true;
}

// The part of the function that begins here runs, if there is one and the turn is long enough. Returns how many
// instructions it took.
uint64_t Warp::run_compiled(int64_t most) {
  Frame &frame = *now_.frame;
  const Function &function = *frame.function;
  if (!frame.compiled) {
    std::call_once(function.compiles, [&] { function.compiled = std::make_shared<CompiledFunction>(function); });
    frame.compiled = function.compiled.get();
  }
  const CompiledPart *const part =
      frame.compiled->find(now_.place, now_.mask == kAllLanes, launch_.schedule.compile_after);
  if (!part || (!is_long_turn_ && part->length > most))
    return 0;
  if (part->accesses > launch_.reached.size())
    launch_.reached.resize(part->accesses);
  state_.left = most;
  state_.is_long = is_long_turn_;
  state_.join = now_.join && now_.join->frame == now_.frame ? now_.join->place : kReturn;
  state_.place = now_.place;
  state_.counts_looks = launch_.has_own_places() && !joins_.empty();
  state_.has_met = 0;
  state_.stack_base = frame.stack;
  state_.stack = stack_.data();
  state_.stack_size = stack_size_;
  state_.reached = launch_.reached.data();
  part->code(&state_, frame.registers.data(), now_.mask);
  if (state_.has_met != 0)
    polls_ = 0;
  if (state_.outcome == CompiledState::Outcome::kGoesOn) {
    now_.place = state_.place;
  } else if (state_.outcome == CompiledState::Outcome::kParts) {
    const Instruction &instruction = function.code[state_.place];
    at_ = &instruction;
    active_ = state_.active;
    now_.place = state_.place + 1;
    branch(instruction.target, instruction.meet);
  }
  return static_cast<uint64_t>(most - state_.left);
}

// The fields that stay as long as the warp.
void Warp::begin_compiled() {
  Block &block = block_.block();
  state_.specials = specials_[0].data();
  state_.shared_addresses = launch_.shared_addresses.data();
  state_.shared = block.shared.data();
  state_.shared_size = block.shared.size();
  state_.arguments = launch_.dispatch.arguments.data();
  state_.arguments_size = launch_.dispatch.arguments.size();
  state_.shared_window = shared_window_;
  state_.local_window = local_window_;
  state_.warp = this;
}

} // namespace emulator::executor::ptx
