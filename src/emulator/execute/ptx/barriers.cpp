// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which lanes, warps and blocks wait for each other: barriers of blocks, operations of several lanes, races
// between barriers.

#include <algorithm>

#include "operations.h"
#include "warp.h"

namespace emulator::executor::ptx {

// Behaviour that hardware does not promise: PTX ISA, "barrier".
std::string Warp::barrier_fault(const Instruction &instruction, uint32_t barrier, uint32_t threads) const {
  if (barrier >= 16)
    return "barrier " + std::to_string(barrier) + "; there are 16";
  if (threads % kLanes != 0)
    return "a barrier of " + std::to_string(threads) + " threads, which is no multiple of a warp's";
  if (const uint32_t others = threads == 0 ? 0 : block_.threads_at(barrier); others != 0 && threads != others)
    return "barrier " + std::to_string(barrier) + " of " + std::to_string(threads) +
           " threads, for which others wait as one of " + std::to_string(others);
  const auto lanes = [this] { return "lanes " + name_lanes(active_) + " of a warp with lanes " + name_lanes(live_); };
  if ((active_ & counted_) != 0)
    return "a barrier for " + lanes() + ": below sm_70 it counts the warp for each part of it";
  for (const Fragment &one : fragments_)
    if (one.wait == Fragment::Wait::kBarrier && one.barrier == barrier && one.at != &instruction &&
        (one.at->is_aligned || instruction.is_aligned))
      return "an aligned barrier for " + lanes() + ", of which lanes " + name_lanes(one.mask) +
             " wait at another instruction (line " + std::to_string(one.at->line) + ")";
  return {};
}

bool Warp::can_wait(const Instruction &instruction, uint32_t barrier, uint32_t threads) {
  const std::string reason = barrier_fault(instruction, barrier, threads);
  if (!reason.empty())
    fail(FaultKind::kProgram, reason, __builtin_ctz(active_));
  else if (!launch_.has_own_places())
    counted_ |= live_ & ~active_;
  return reason.empty();
}

void Warp::wait_at_barrier(const Instruction &instruction, uint32_t barrier, uint32_t threads, uint32_t votes) {
  if (!can_wait(instruction, barrier, threads))
    return;
  if (threads != 0)
    block_.count_threads();
  isolate();
  release_stores(Scope::kTeam);
  now_.wait = Fragment::Wait::kBarrier;
  now_.barrier = barrier;
  now_.threads = threads;
  now_.votes = votes & now_.mask;
  now_.at = &instruction;
  is_changed_ = true;
  if (launch_.has_own_places() && !has_runnable())
    release_returns(now_.join);
}

void Warp::release(Fragment &fragment) {
  acquire_stores(Scope::kTeam);
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

std::string Warp::may_not_end() const {
  if (launch_.has_own_places() || fragments_.size() < 2)
    return {};
  return "; only lanes " + name_lanes(fragments_.back().mask) + " of the warp's " + name_lanes(live_) +
         " go on here. Below sm_70 the others wait until these come to them, so these must not wait for the others";
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
  if (!launch_.has_own_places()) {
    fail(FaultKind::kProgram,
         "lanes " + name_lanes(now_.mask) + " alone take part in what is for lanes " + name_lanes(members_) +
             ": below sm_70 they must be together",
         __builtin_ctz(now_.mask));
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

Row Warp::collect_others(const Operand &operand, UnwrittenMemory::Origin &origin) {
  Row result;
  const auto take = [&](uint32_t lanes) {
    const uint64_t *const row = other_source(operand, 4);
    for_lanes(lanes, [&](unsigned lane) { result[lane] = row[lane]; });
    origin = origin ? origin : origin_of(operand);
  };
  take(kAllLanes);
  for (const size_t i : party_) {
    std::swap(now_.frame, fragments_[i].frame);
    take(fragments_[i].mask);
    std::swap(now_.frame, fragments_[i].frame);
  }
  return result;
}

void Warp::deliver_others(const Operand &operand, const Row &values, UnwrittenMemory::Origin origin) {
  const auto give = [&](uint32_t lanes) {
    for_lanes(lanes, [&](unsigned lane) { set_other(operand, lane, values[lane], origin); });
  };
  give(now_.mask);
  for (const size_t i : party_) {
    std::swap(now_.frame, fragments_[i].frame);
    give(fragments_[i].mask);
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
  // Only a barrier of a stated number of threads does without a warp that goes on.
  if (!counts_threads_)
    for (const Warp *const warp : warps_)
      if (warp->state == WaveState::kReady && warp->live() != 0)
        return;
  uint32_t waited_at = 0;
  for (Warp *const warp : warps_)
    for (const Fragment &one : warp->fragments())
      if (one.wait == Fragment::Wait::kBarrier)
        waited_at |= 1u << one.barrier;
  for (; waited_at != 0; waited_at &= waited_at - 1)
    look_at_barrier(static_cast<uint32_t>(__builtin_ctz(waited_at)));
}

uint32_t BlockState::threads_at(uint32_t barrier) const {
  uint32_t threads = 0;
  for (Warp *warp : warps_)
    for (const Fragment &one : warp->fragments())
      if (one.wait == Fragment::Wait::kBarrier && one.barrier == barrier)
        threads = std::max(threads, one.threads);
  return threads;
}

// Below sm_70 all lanes of the warp, if some wait there.
uint32_t BlockState::lanes_at(Warp &warp, uint32_t barrier) const {
  uint32_t lanes = 0;
  for (const Fragment &one : warp.fragments())
    if (one.wait == Fragment::Wait::kBarrier && one.barrier == barrier)
      lanes |= one.mask;
  return lanes != 0 && !launch_.has_own_places() ? warp.live() : lanes;
}

// A warp is counted when all of its lanes that have not ended wait there; below sm_70 when some do.
void BlockState::look_at_barrier(uint32_t barrier) {
  std::vector<Warp *> there;
  uint32_t waiting = 0, votes = 0;
  for (Warp *const warp : warps_)
    if (const uint32_t lanes = lanes_at(*warp, barrier); lanes != 0 && lanes == warp->live()) {
      there.push_back(warp);
      waiting += static_cast<uint32_t>(__builtin_popcount(lanes));
      for (const Fragment &one : warp->fragments())
        if (one.wait == Fragment::Wait::kBarrier && one.barrier == barrier)
          votes += static_cast<uint32_t>(__builtin_popcount(one.votes));
    }
  // As in grid.cpp: the warp of the main thread is the last, and the workers have left at the begin.
  const bool is_main_alone = std::all_of(warps_.begin(), std::prev(warps_.end()),
                                         [](const Warp *warp) { return warp->live() == 0 && warp->barriers == 0; });
  // As in grid.cpp: one thread is left.
  const bool is_alone = there.size() == 1 && waiting == 1 &&
                        std::all_of(warps_.begin(), warps_.end(),
                                    [&](const Warp *warp) { return warp == there[0] || warp->live() == 0; });
  bool misses_nobody =
      std::all_of(warps_.begin(), warps_.end(), [&](Warp *warp) { return lanes_at(*warp, barrier) == warp->live(); });
  // Lanes that have ended count with their warp.
  if (misses_nobody && launch_.schedule.waits_for_ended && !is_main_alone && !is_alone && there.size() != warps_.size())
    misses_nobody = !there.empty() && launch_.schedule.goes_on &&
                    launch_.schedule.goes_on({FaultKind::kProgram, there[0]->waits_for()}, there[0]->code_address());
  const uint32_t threads = threads_at(barrier);
  if (there.empty() || (threads == 0 ? !misses_nobody : (there.size() + arrivals_[barrier]) * kLanes < threads))
    return;
  arrivals_[barrier] = 0;
  if (block_.uses)
    block_.uses->forget();
  for (Warp *const warp : there)
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
  if (auto &others = fragment.frame->others; !others.empty())
    for_lanes(fragment.mask,
              [&](unsigned lane) { others[size_t{instruction.operands[0].index} * kLanes + lane] = value; });
}

} // namespace emulator::executor::ptx
