// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See overlaps.h.

#include "overlaps.h"

#include <algorithm>

#include "grid.h"

namespace emulator::executor {

namespace {

void join(Clock &clock, const Clock &other) {
  for (const auto &[chain, number] : other) {
    uint64_t &known = clock[chain];
    known = std::max(known, number);
  }
}

std::optional<GlobalUses::Conflict> conflict(const OperationUse &one, const OperationUse &other) {
  if (one.words && other.words)
    return one.words->conflict(*other.words);
  if (one.words)
    return one.words->conflict(other.address, other.size, other.writes);
  if (other.words) {
    auto found = other.words->conflict(one.address, one.size, one.writes);
    if (found)
      std::swap(found->one, found->other);
    return found;
  }
  const uint64_t begin = std::max(one.address, other.address);
  if ((!one.writes && !other.writes) || begin >= std::min(one.address + one.size, other.address + other.size))
    return std::nullopt;
  return GlobalUses::Conflict{begin, {}, {}};
}

} // namespace

Overlaps *Overlaps::find() {
  static Overlaps *const all = Schedule::from_environment().finds_global_races ? new Overlaps : nullptr;
  return all;
}

SharedOperation Overlaps::queue(Chain chain, uint64_t number) {
  const std::lock_guard lock(mutex_);
  Order &order = chains_[chain];
  join(order.last, host_);
  auto operation = std::make_shared<const Operation>(Operation{chain, number, order.last});
  order.before[number] = order.last;
  order.last[chain] = number;
  queued_.insert(operation);
  return operation;
}

// Operations that the host knows are before everything that is queued later.
Clock Overlaps::clock_of(Chain chain, uint64_t number) const {
  const auto found = chains_.find(chain);
  if (found == chains_.end())
    return {};
  const auto before = found->second.before.find(number);
  if (before == found->second.before.end())
    return {};
  Clock clock = before->second;
  clock[chain] = number;
  return clock;
}

void Overlaps::wait(Chain chain, Chain other, uint64_t number) {
  const std::lock_guard lock(mutex_);
  join(chains_[chain].last, clock_of(other, number));
}

void Overlaps::learn(Chain chain, uint64_t number) {
  const std::lock_guard lock(mutex_);
  join(host_, clock_of(chain, number));
  if (const auto found = chains_.find(chain); found != chains_.end())
    found->second.before.erase(found->second.before.begin(), found->second.before.upper_bound(number));
  forget_ended();
}

void Overlaps::forget_ended() {
  ended_.remove_if([&](const Ended &one) {
    const auto known = host_.find(one.operation->chain);
    return known != host_.end() && known->second >= one.operation->number &&
           std::all_of(queued_.begin(), queued_.end(),
                       [&](const SharedOperation &queued) { return queued->is_behind(*one.operation); });
  });
}

std::vector<Overlap> Overlaps::end(const SharedOperation &operation, std::vector<OperationUse> uses) {
  const std::lock_guard lock(mutex_);
  std::vector<Overlap> found;
  for (const Ended &ended : ended_) {
    if (operation->is_behind(*ended.operation) || ended.operation->is_behind(*operation))
      continue;
    for (const OperationUse &one : uses)
      for (const OperationUse &other : ended.uses)
        if (const auto between = conflict(one, other))
          found.push_back({one.name, other.name, *between});
  }
  queued_.erase(operation);
  if (!uses.empty())
    ended_.push_back({operation, std::move(uses)});
  forget_ended();
  return found;
}

} // namespace emulator::executor
