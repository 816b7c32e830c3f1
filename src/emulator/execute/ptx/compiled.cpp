// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See compiled.h.

#include "compiled.h"

#include "access_lanes.h"
#include "liveness.h"

#if OMPTARGET_EXECUTOR_COMPILES
#include <cstdio>
#include <cstdlib>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <unistd.h>

#include "host_code.h"
#include "translate.h"
#endif

namespace emulator::executor::ptx {

#if OMPTARGET_EXECUTOR_COMPILES

namespace {

// LLVM's code generator is used by one thread at a time. Accesses have numbers in all modules.
std::mutex &generator_mutex() {
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}
uint32_t accesses = 0;

// At a process's end LLVM's static objects go, while kernels may still run. From then on all is interpreted. Registered
// after each compilation, as that may have made further objects: what is registered last is called first.
bool is_ended = false;
pid_t process = 0; ///< that compiles: a child of a fork runs no kernel, and the lock may be held in it for ever
void end() {
  if (getpid() != process)
    return;
  const std::lock_guard lock(generator_mutex());
  is_ended = true;
}

bool await_end() {
  process = getpid();
  return std::atexit(end) == 0;
}

} // namespace

bool can_compile() {
  const std::lock_guard lock(generator_mutex());
  static const bool can = host_machine() && await_end();
  return can;
}

const CompiledPart *CompiledFunction::compile(uint32_t place, bool is_full) {
  const std::lock_guard lock(mutex_);
  Form &form = starts_[place].forms[is_full];
  if (const CompiledPart *const part = form.part.load())
    return part->code ? part : nullptr;
  if (!liveness_)
    liveness_ = std::make_unique<Liveness>(function_);
  auto part = std::make_unique<CompiledPart>();
  if (const std::lock_guard generator_lock(generator_mutex()); !is_ended) {
    llvm::LLVMContext context;
    llvm::Module module(function_.name, context);
    module.setDataLayout(host_machine()->createDataLayout());
#if LLVM_VERSION_MAJOR >= 21
    module.setTargetTriple(host_machine()->getTargetTriple());
#else
    module.setTargetTriple(host_machine()->getTargetTriple().str());
#endif
    const Translation translation = translate(function_, *liveness_, place, is_full, accesses, module);
    for (const uint32_t start : translation.starts)
      if (start < function_.code.size())
        starts_[start].is_one = true;
    part->length = translation.length;
    part->accesses = accesses;
    if (translation.length != 0) {
      std::string error;
      part->code = reinterpret_cast<CompiledCode>(generate(module, "part", error));
      if (!part->code)
        std::fprintf(stderr, "libcuda stand-in: a part of %s is interpreted: %s\n", function_.name.c_str(),
                     error.c_str());
      std::atexit(end);
    }
  }
  parts_.push_back(std::move(part));
  form.part.store(parts_.back().get(), std::memory_order_release);
  return parts_.back()->code ? parts_.back().get() : nullptr;
}

#else

bool can_compile() { return false; }
const CompiledPart *CompiledFunction::compile(uint32_t, bool) { return nullptr; }

#endif

CompiledFunction::CompiledFunction(const Function &function)
    : function_(function), starts_(std::make_unique<Start[]>(function.code.size())) {
  for (const BasicBlock &block : FlowGraph(function).blocks)
    starts_[block.begin].is_one = true;
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
  uint64_t *const rows[4] = {values, values + kLanes, values + 2 * kLanes, values + 3 * kLanes};
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
    reached = {range->begin, range->end - range->begin - size + 1};
  return true;
}

// The part of the function that begins here runs, if there is one and the turn is long enough. Returns how many
// instructions it took.
uint64_t Warp::run_compiled(uint64_t most) {
  const Function &function = *now_.frame->function;
  std::call_once(function.compiles, [&] { function.compiled = std::make_shared<CompiledFunction>(function); });
  const CompiledPart *const part =
      function.compiled->find(now_.place, now_.mask == kAllLanes, launch_.schedule.compile_after);
  if (!part || part->length > most)
    return 0;
  if (part->accesses > launch_.reached.size())
    launch_.reached.resize(part->accesses);
  Block &block = block_.block();
  CompiledState state;
  state.left = most;
  state.join = now_.join && now_.join->frame == now_.frame ? now_.join->place : kReturn;
  state.stack_base = now_.frame->stack;
  state.specials = specials_[0].data();
  state.shared_addresses = launch_.shared_addresses.data();
  state.shared = block.shared.data();
  state.shared_size = block.shared.size();
  state.stack = stack_.data();
  state.stack_size = stack_size_;
  state.arguments = launch_.dispatch.arguments.data();
  state.arguments_size = launch_.dispatch.arguments.size();
  state.shared_window = shared_window_;
  state.local_window = local_window_;
  state.reached = launch_.reached.data();
  state.warp = this;
  part->code(&state, now_.frame->registers.data(), now_.mask);
  if (state.outcome == CompiledState::Outcome::kGoesOn) {
    now_.place = state.place;
  } else if (state.outcome == CompiledState::Outcome::kParts) {
    const Instruction &instruction = function.code[state.place];
    at_ = &instruction;
    active_ = state.active;
    now_.place = state.place + 1;
    branch(instruction.target, instruction.meet);
  }
  return most - state.left;
}

} // namespace emulator::executor::ptx
