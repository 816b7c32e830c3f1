// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lanes, warps and blocks wait for each other with: barriers of blocks, operations of several lanes, races between barriers.

#include <algorithm>

#include "operations.h"
#include "warp.h"

namespace sim::executor::ptx {

void Warp::wait_at_barrier(const Instruction &instruction, uint32_t barrier, uint32_t threads, uint32_t votes) {
  isolate();
  if (barrier >= 16)
    return fail(FaultKind::kProgram, "barrier " + std::to_string(barrier) + "; there are 16");
  now_.wait = Fragment::Wait::kBarrier;
  now_.barrier = barrier;
  now_.threads = threads;
  now_.votes = votes & now_.mask;
  now_.at = &instruction;
  is_changed_ = true;
}

void Warp::release(Fragment &fragment) {
  fragment.wait = Fragment::Wait::kNone;
  ++barriers;
  if (state == WaveState::kBlocked)
    state = WaveState::kReady;
}

std::string Warp::waits_for() const {
  for (const Fragment &one : fragments_)
    if (one.wait == Fragment::Wait::kLanes) {
      uint32_t there = 0;
      for (const Fragment &other : fragments_)
        there |= other.at == one.at && other.wait == one.wait ? other.mask : 0;
      return std::string(one.at->text) + " of lanes " + name_lanes(there) + " names lanes " +
             name_lanes(one.members & live_ & ~there) + ", which do not come";
    }
  std::string text = "a barrier that not all threads reach";
  for (const Fragment &one : fragments_)
    if (one.wait == Fragment::Wait::kBarrier)
      text += ": lanes " + name_lanes(one.mask) + " wait at barrier " + std::to_string(one.barrier) + " (" +
              std::string(one.at->text) + "), of the warp's " + name_lanes(live_);
  return text;
}

bool Warp::assemble(const Instruction &instruction, const Operand &operand) {
  isolate();
  const uint64_t *const masks = source(operand, 5);
  const unsigned first = static_cast<unsigned>(__builtin_ctz(now_.mask));
  const uint32_t named = static_cast<uint32_t>(masks[first]);
  uint32_t others = 0;
  for_lanes(now_.mask, [&](unsigned lane) {
    others |= static_cast<uint32_t>(static_cast<uint32_t>(masks[lane]) != named) << lane;
  });
  if (others != 0)
    part(others, now_.place - 1, now_.place);
  if (now_.mask & ~named) {
    fail(FaultKind::kProgram,
         "lanes " + name_lanes(now_.mask & ~named) + " take part in what is for lanes " + name_lanes(named),
         __builtin_ctz(now_.mask & ~named));
    return false;
  }
  const bool is_anywhere = instruction.variant == kAnyPlace;
  uint32_t there = now_.mask;
  members_ = named & live_;
  active_ = now_.mask;
  party_.clear();
  for (size_t i = 0; there != members_ && i < fragments_.size(); ++i) {
    const Fragment &one = fragments_[i];
    if (one.wait == Fragment::Wait::kLanes && one.members == named &&
        (one.at == &instruction || (is_anywhere && one.at->variant == kAnyPlace))) {
      there |= one.mask;
      party_.push_back(i);
    }
  }
  if (there == members_)
    return true;
  if (is_lockstep()) {
    fail(FaultKind::kProgram, std::string(instruction.text) + " of lanes " + name_lanes(there) + " names lanes " +
                                  name_lanes(members_ & ~there) +
                                  ", which have gone elsewhere: before sm_70 all come as one");
    return false;
  }
  now_.wait = Fragment::Wait::kLanes;
  now_.at = &instruction;
  now_.members = named;
  --now_.place;
  is_changed_ = true;
  if (is_anywhere && !has_runnable()) // lanes that wait to meet are not hindered
    release_joins(now_.join);
  return false;
}

Row Warp::collect(const Operand &operand) {
  Row result;
  const uint64_t *row = source(operand, 4);
  std::copy(row, row + kLanes, result.begin());
  for (const size_t i : party_) {
    std::swap(now_.frame, fragments_[i].frame);
    row = source(operand, 4);
    for_lanes(fragments_[i].mask, [&](unsigned lane) { result[lane] = row[lane]; });
    std::swap(now_.frame, fragments_[i].frame);
  }
  return result;
}

void Warp::deliver(const Operand &operand, const Row &values) {
  uint64_t *row = destination(operand);
  for_lanes(now_.mask, [&](unsigned lane) { row[lane] = values[lane]; });
  for (const size_t i : party_) {
    std::swap(now_.frame, fragments_[i].frame);
    row = destination(operand);
    for_lanes(fragments_[i].mask, [&](unsigned lane) { row[lane] = values[lane]; });
    std::swap(now_.frame, fragments_[i].frame);
  }
}

void Warp::dismiss() {
  for (const size_t i : party_) {
    fragments_[i].wait = Fragment::Wait::kNone;
    ++fragments_[i].place;
  }
  party_.clear();
}

void BlockState::look_at_barriers() {
  for (uint32_t barrier = 0; barrier < arrivals_.size(); ++barrier)
    look_at_barrier(barrier);
}

// A warp counts as a whole when none of its lanes can go on; a barrier for all counts lanes.
void BlockState::look_at_barrier(uint32_t barrier) {
  uint32_t waiting = 0, live = 0, warps = arrivals_[barrier], threads = 0, votes = 0;
  for (Warp *warp : warps_) {
    uint32_t lanes = 0;
    for (const Fragment &one : warp->fragments())
      if (one.wait == Fragment::Wait::kBarrier && one.barrier == barrier) {
        lanes |= one.mask;
        threads = std::max(threads, one.threads);
        votes += static_cast<uint32_t>(__builtin_popcount(one.votes));
      }
    if (warp->is_lockstep() && lanes != 0)
      lanes = warp->live();
    waiting += static_cast<uint32_t>(__builtin_popcount(lanes));
    live += static_cast<uint32_t>(__builtin_popcount(warp->live()));
    warps += lanes != 0 && !warp->has_runnable();
  }
  const uint32_t wanted = launch_.schedule.waits_for_ended ? static_cast<uint32_t>(count(block_.threads)) : live;
  if (waiting == 0 || (threads == 0 ? waiting < wanted : uint64_t{warps} * kLanes < threads))
    return;
  arrivals_[barrier] = 0;
  if (block_.uses)
    block_.uses->forget();
  for (Warp *warp : warps_)
    for (Fragment &one : warp->fragments())
      if (one.wait == Fragment::Wait::kBarrier && one.barrier == barrier) {
        give_result(*one.at, one, votes, waiting);
        warp->release(one);
      }
}

void BlockState::give_result(const Instruction &instruction, Fragment &fragment, uint32_t votes,
                             uint32_t waiting) const {
  if (instruction.variant < kReducesCount || instruction.operands[0].kind != Operand::Kind::kRegister)
    return;
  const uint64_t value = instruction.variant == kReducesCount ? votes
                         : instruction.variant == kReducesAnd ? votes == waiting
                                                              : votes != 0;
  uint64_t *const row = &fragment.frame->registers[size_t{instruction.operands[0].index} * kLanes];
  for_lanes(fragment.mask, [&](unsigned lane) { row[lane] = value; });
}

} // namespace sim::executor::ptx
