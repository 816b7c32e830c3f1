// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns of fragments, operands, branches, calls, and where lanes meet.

#include "warp.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "builtins.h"
#include "frames.h"

namespace emulator::executor::ptx {

namespace {
// So often lanes may look for what others do while those wait for them: then those go on.
constexpr uint64_t kPatience = 4096;
} // namespace

Warp::Warp(LaunchState &launch, BlockState &block, unsigned index, uint32_t lanes)
    : launch_(launch), block_(block), random_(launch.schedule.seed * 1000003 + block.serial() * 64 + index),
      live_(lanes), log_(launch.unwritten) {
  first_thread = index * kLanes;
  shared_window_ = to_generic(Space::kShared, 0, 0);
  local_window_ = to_generic(Space::kLocal, 0, 0);
  const Extent &threads = launch.dispatch.threads, &blocks = launch.dispatch.blocks, &own = block.block().index;
  const auto set = [this](Special special, uint64_t value) { specials_[static_cast<size_t>(special)].fill(value); };
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const uint32_t thread = first_thread + lane;
    const auto at = [&](Special special) -> uint64_t & { return specials_[static_cast<size_t>(special)][lane]; };
    at(Special::kTidX) = thread % threads[0];
    at(Special::kTidY) = thread / threads[0] % threads[1];
    at(Special::kTidZ) = thread / threads[0] / threads[1];
    at(Special::kLane) = lane;
    at(Special::kLanesEqual) = 1u << lane;
    at(Special::kLanesBelow) = (1u << lane) - 1;
    at(Special::kLanesUpTo) = (2ull << lane) - 1;
    at(Special::kLanesAbove) = static_cast<uint32_t>(~((2ull << lane) - 1));
    at(Special::kLanesFrom) = static_cast<uint32_t>(~((1u << lane) - 1));
  }
  for (unsigned i = 0; i < 3; ++i) {
    set(static_cast<Special>(static_cast<unsigned>(Special::kNtidX) + i), threads[i]);
    set(static_cast<Special>(static_cast<unsigned>(Special::kCtaidX) + i), own[i]);
    set(static_cast<Special>(static_cast<unsigned>(Special::kNctaidX) + i), blocks[i]);
  }
  set(Special::kWarp, index);
  set(Special::kWarps, (count(threads) + kLanes - 1) / kLanes);
  set(Special::kWarpSize, kLanes);
  set(Special::kSharedTotal, block.block().shared.size());
  set(Special::kSharedDynamic, launch.dispatch.dynamic_shared);
  set(Special::kSms, 4);
  set(Special::kSm, block.serial() % 4);
  grow_stack(launch.kernel.stack_bytes);
  auto frame = std::make_shared<Frame>();
  frame->function = &launch.kernel;
  frame->counted = launch.kernel.frame_bytes;
  frame->registers.assign(size_t{launch.kernel.registers} * kLanes, random_.next());
  fragments_.push_back({std::move(frame), 0, lanes, nullptr});
  block_.add(this);
  begin_compiled();
  if (launch.weak)
    launch.weak->begin(view, block.block().view);
}

// Returns the address of the fault, or of the first fragment's step or wait.
uint64_t Warp::code_address() const {
  if (state == WaveState::kFaulted || fragments_.empty())
    return fault_at_;
  const Fragment &one = fragments_[0];
  const Function &function = *one.frame->function;
  if (one.wait != Fragment::Wait::kNone)
    return function.code_address + static_cast<uint64_t>(one.at - function.code.data());
  return one.place == kReturn ? 0 : function.code_address + one.place;
}

// Below sm_70 a warp of which a part waits at a barrier waits as a whole.
bool Warp::has_runnable() const {
  bool result = false;
  for (const Fragment &one : fragments_) {
    if (one.wait == Fragment::Wait::kBarrier && !launch_.has_own_places())
      return false;
    result |= one.wait == Fragment::Wait::kNone;
  }
  return result;
}

// False if none can run.
bool Warp::choose() {
  if (!has_runnable())
    return false;
  uint32_t runnable = 0;
  size_t chosen = 0;
  for (size_t i = 0; i < fragments_.size(); ++i) {
    if (fragments_[i].wait != Fragment::Wait::kNone)
      continue;
    ++runnable;
    if (!launch_.has_own_places() || random_.below(runnable) == 0) // before sm_70 the last
      chosen = i;
  }
  now_ = std::move(fragments_[chosen]);
  fragments_.erase(fragments_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return true;
}

uint64_t Warp::run(uint64_t most) {
  uint64_t executed = 0;
  is_long_turn_ = launch_.schedule.has_long_turns && most > launch_.schedule.quantum;
  while (executed < most && rest == 0 && state == WaveState::kReady) {
    if (choose())
      executed += run_fragment(most - executed);
    else if (live_ == 0)
      state = WaveState::kEnded;
    else
      break;
  }
  if (state == WaveState::kReady && live_ == 0)
    state = WaveState::kEnded;
  if (launch_.weak)
    launch_.weak->advance(executed);
  if (state == WaveState::kEnded || (state == WaveState::kReady && !has_runnable())) {
    if (state == WaveState::kReady)
      state = WaveState::kBlocked;
    block_.look_at_barriers();
  }
  return executed;
}

// A long turn ends only where a block begins: so none is too short for a compiled block.
bool Warp::is_turn_over(uint64_t executed, uint64_t most) const {
  return executed >= most &&
         (!is_long_turn_ || now_.place == kReturn || now_.frame->function->code[now_.place].begins_block);
}

uint64_t Warp::run_fragment(uint64_t most) {
  uint64_t executed = 0;
  is_changed_ = false;
  if (launch_.compiles)
    launch_.look_at_memory();
  while (!is_turn_over(executed, most) && rest == 0 && !is_changed_) {
    if (now_.join && now_.place == now_.join->place && now_.frame == now_.join->frame) {
      arrive();
      if (now_.mask == 0)
        break;
      continue;
    }
    if (now_.place == kReturn) {
      leave_function();
      continue;
    }
    if (launch_.compiles)
      if (const uint64_t ran = run_compiled(static_cast<int64_t>(most - executed))) {
        executed += ran;
        if (has_failed())
          break;
        continue;
      }
    const Instruction &instruction = now_.frame->function->code[now_.place];
    at_ = &instruction;
    active_ = now_.mask;
    unsure_ = 0;
    if (instruction.guard.kind != Operand::Kind::kNone) {
      const uint64_t *const guard = &now_.frame->registers[size_t{instruction.guard.index} * kLanes];
      for_lanes(now_.mask, [&](unsigned lane) {
        if ((guard[lane] != 0) == instruction.guard.is_negated)
          active_ &= ~(1u << lane);
      });
      if (!now_.frame->others.empty())
        look_at_guard(instruction);
    }
    ++now_.place;
    ++executed;
    if (launch_.is_traced)
      trace(instruction);
    if (has_failed())
      break;
    if (active_ != 0 && launch_.schedule.breakpoint.is_set && is_observed(instruction))
      observe(instruction);
    else if (active_ != 0 || unsure_ != 0)
      carry_out(instruction);
    if (instruction.is_polling && launch_.has_own_places() && !joins_.empty() && ++polls_ > kPatience && now_.mask != 0)
      release_joins(now_.join);
  }
  if (now_.mask != 0)
    fragments_.push_back(std::move(now_));
  now_ = {};
  return executed;
}

void Warp::trace(const Instruction &instruction) const {
  const Extent &block = block_.block().index;
  std::fprintf(stderr, "%u,%u,%u %2u %08x %s:%u %.*s\n", block[0], block[1], block[2], first_thread / kLanes, active_,
               now_.frame->function->name.c_str(), instruction.line, static_cast<int>(instruction.text.size()),
               instruction.text.data());
}

void Warp::fail(FaultKind kind, std::string text, int lane, uint64_t address) {
  if (has_failed())
    return; // the first tells
  Wave::fail(kind, std::move(text), lane, address);
  const Frame *frame = now_.frame.get();
  fault_at_ =
      at_ && frame ? frame->function->code_address + static_cast<uint64_t>(at_ - frame->function->code.data()) : 0;
  is_changed_ = true;
}

void Warp::refresh_clock(Special special) {
  const uint64_t now = launch_.clock->load(std::memory_order_relaxed);
  Row &row = specials_[static_cast<size_t>(special)];
  switch (special) {
  case Special::kClock:
  case Special::kTimeLow: row.fill(now & 0xFFFFFFFF); break;
  case Special::kTimeHigh: row.fill(now >> 32); break;
  case Special::kClock64:
  case Special::kTime: row.fill(now); break;
  default: break;
  }
}

const uint64_t *Warp::source(const Operand &operand, unsigned slot) {
  const uint64_t *row = nullptr;
  switch (operand.kind) {
  case Operand::Kind::kRegister: row = &now_.frame->registers[size_t{operand.index} * kLanes]; break;
  case Operand::Kind::kConstant: row = now_.frame->function->module->constant(operand.index).data(); break;
  case Operand::Kind::kShared: row = launch_.shared_addresses[operand.index].data(); break;
  case Operand::Kind::kSpecial:
    refresh_clock(static_cast<Special>(operand.index));
    row = specials_[operand.index].data();
    break;
  case Operand::Kind::kStack: scratch_[slot].fill(now_.frame->stack + operand.index); return scratch_[slot].data();
  default: return sink_.data();
  }
  if (!operand.is_negated)
    return row;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    scratch_[slot][lane] = row[lane] == 0;
  return scratch_[slot].data();
}

uint64_t *Warp::destination(const Operand &operand) {
  return operand.kind == Operand::Kind::kRegister ? &now_.frame->registers[size_t{operand.index} * kLanes]
                                                  : sink_.data();
}

// ---- Lanes that part and meet

// The lanes of now_ wait for each other at this place, unless they do already.
void Warp::expect_at(uint32_t meet) {
  if (now_.join && now_.join->frame == now_.frame && now_.join->place == meet)
    return;
  joins_.push_back(std::make_unique<Join>(Join{now_.frame, meet, now_.mask, 0, now_.join}));
  now_.join = joins_.back().get();
}

// These lanes of now_ go on elsewhere; both wait for each other at meet, unless that is the kernel's end.
void Warp::part(uint32_t lanes, uint32_t place, uint32_t meet) {
  if (meet != kReturn || now_.frame->caller)
    expect_at(meet);
  Fragment other = now_;
  other.mask = lanes;
  other.place = place;
  now_.mask &= ~lanes;
  fragments_.push_back(std::move(other));
  is_changed_ = true;
}

// An instruction that only some lanes carry out, and that does not end at once.
void Warp::isolate() {
  if (active_ != now_.mask)
    part(now_.mask & ~active_, now_.place, now_.place);
}

void Warp::branch(uint32_t target, uint32_t meet) {
  if (active_ == now_.mask) {
    now_.place = target;
    return;
  }
  if (meet != kReturn && (target == meet || now_.place == meet)) { // one of the ways is empty: its lanes arrive
    const uint32_t arrived = target == meet ? active_ : now_.mask & ~active_;
    expect_at(meet);
    now_.join->arrived |= arrived;
    now_.mask &= ~arrived;
    now_.place = target == meet ? now_.place : target;
    polls_ = 0;
    return;
  }
  part(active_, target, meet);
  if (!launch_.has_own_places() && random_.below(2) == 0) // either side may be the first
    std::swap(now_, fragments_.back());
}

void Warp::branch_table(const Instruction &instruction, const uint64_t *index) {
  const auto &targets = now_.frame->function->tables[instruction.table];
  isolate();
  for (uint32_t left = active_; left != 0 && !has_failed();) {
    const unsigned first = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t number = index[first] & 0xFFFFFFFF;
    if (number >= targets.size())
      return fail(FaultKind::kProgram,
                  "a branch to entry " + std::to_string(number) + " of a table with " + std::to_string(targets.size()),
                  static_cast<int>(first));
    uint32_t same = 0;
    for_lanes(left,
              [&](unsigned lane) { same |= static_cast<uint32_t>((index[lane] & 0xFFFFFFFF) == number) << lane; });
    left &= ~same;
    if (left != 0)
      part(same, targets[number], instruction.meet);
    else
      now_.place = targets[number];
  }
}

// The lanes of now_ are where they wait for others. If these are all there, they go on as one.
void Warp::arrive() {
  Join *const join = now_.join;
  join->arrived |= now_.mask;
  now_.mask = 0;
  polls_ = 0;
  if (complete(join)) {
    now_ = std::move(fragments_.back());
    fragments_.pop_back();
  }
}

// Lets the lanes go on that are all there. Returns whether it has added a fragment.
bool Warp::complete(Join *join) {
  while (join && (join->arrived & live_) == (join->expected & live_)) {
    Join *const outer = join->outer;
    Fragment whole{std::move(join->frame), join->place, join->arrived & live_, outer};
    std::erase_if(joins_, [join](const auto &one) { return one.get() == join; });
    counted_ &= ~whole.mask;
    if (whole.mask != 0) {
      fragments_.push_back(std::move(whole));
      return true;
    }
    join = outer;
  }
  return false;
}

bool Warp::release_joins(Join *innermost) {
  polls_ = 0;
  for (Join *join = innermost; join; join = join->outer) {
    if (join->arrived == 0)
      continue;
    fragments_.push_back({join->frame, join->place, join->arrived, join->outer});
    join->expected &= ~join->arrived;
    join->arrived = 0;
    return true;
  }
  return false;
}

// Lanes that have come to a function's end need not wait there for those that a barrier holds. Nobody promises that
// they meet before the function returns.
void Warp::release_returns(Join *innermost) {
  Join *join = innermost;
  while (join && join->arrived == 0)
    join = join->outer;
  if (join && join->place == kReturn)
    release_joins(join);
}

void Warp::leave_function() {
  Frame &frame = *now_.frame;
  while (now_.join && now_.join->frame == now_.frame) { // of lanes that went on without the others
    Join *const join = now_.join;
    now_.join = join->outer;
    join->expected &= ~now_.mask;
    complete(join);
  }
  if (!frame.caller) {
    active_ = now_.mask;
    return exit_lanes();
  }
  for (size_t i = 0; i < frame.call->results.size(); ++i) {
    const Parameter &to = frame.call->results[i], &from = frame.function->results[i];
    for_lanes(now_.mask, [&](unsigned lane) {
      move(stack(lane, frame.caller->stack + to.offset), stack(lane, frame.stack + from.offset), from.size);
    });
  }
  now_.place = frame.return_to;
  now_.frame = std::shared_ptr<Frame>(frame.caller);
}

void Warp::exit_lanes() {
  live_ &= ~active_;
  now_.mask &= ~active_;
  for (Fragment &one : fragments_) { // who waits for lanes looks again
    if (one.wait == Fragment::Wait::kLanes)
      one.wait = Fragment::Wait::kNone;
    one.mask &= live_;
  }
  std::vector<Join *> open;
  open.reserve(joins_.size());
  for (const auto &join : joins_)
    open.push_back(join.get());
  for (Join *join : open)
    for (const auto &one : joins_)
      if (one.get() == join) {
        complete(join);
        break;
      }
  is_changed_ = true;
}

void Warp::call(const Instruction &instruction) {
  const Call &call = now_.frame->function->calls[instruction.table];
  isolate();
  const Function *callee = call.callee;
  if (!callee) {
    const uint64_t *const pointer = source(instruction.operands[0], 0);
    const unsigned first = static_cast<unsigned>(__builtin_ctz(now_.mask));
    uint32_t others = 0;
    for_lanes(now_.mask,
              [&](unsigned lane) { others |= static_cast<uint32_t>(pointer[lane] != pointer[first]) << lane; });
    const uint64_t address = pointer[first];
    if (others != 0) // each function's turn comes
      part(others, now_.place - 1, now_.place);
    callee = Module::find_code(address);
    char text[32];
    std::snprintf(text, sizeof(text), "%#llx", static_cast<unsigned long long>(address));
    if (!callee)
      return fail(FaultKind::kProgram, "a jump to " + std::string(text) + ", where no code is",
                  static_cast<int>(first));
    if (callee->module != &launch_.module)
      return fail(
          FaultKind::kProgram,
          "calls " + callee->name +
              " of another module: a kernel has registers, stack and shared memory for its own module's functions",
          static_cast<int>(first));
    if (!can_call(call, *callee))
      return fail(FaultKind::kProgram, "a call through a pointer to " + callee->name + ", whose parameters are others",
                  static_cast<int>(first));
  }
  active_ = now_.mask;
  if (callee->is_defined)
    enter(*callee, call);
  else
    call_builtin(*this, call);
}

} // namespace emulator::executor::ptx
