// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races between operations of a device: kernels and copies that use the same memory and of which none need wait for the
// other. They are found although the operations ran one after the other. Shared by the stand-ins of all drivers.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "races.h"

namespace emulator::executor {

/// An order of operations (a stream, a queue), as its driver names it.
using Chain = const void *;
/// The number of operations of some chains that come before.
using Clock = std::unordered_map<Chain, uint64_t>;

/// An operation that was queued. Its number counts the operations of the chain from 1.
struct Operation {
  Chain chain = nullptr;
  uint64_t number = 0;
  Clock before;
  bool is_behind(const Operation &other) const {
    const auto found = before.find(other.chain);
    return found != before.end() && found->second >= other.number;
  }
};
using SharedOperation = std::shared_ptr<const Operation>;

/// The memory that an operation has used: a kernel its words, a copy a range.
struct OperationUse {
  std::string name; ///< "kernel f", "a copy of 8 bytes to the device"
  std::shared_ptr<const GlobalUses> words;
  uint64_t address = 0, size = 0;
  bool writes = false;
};

struct Overlap {
  std::string name, other_name;
  GlobalUses::Conflict conflict; ///< of the first, and of the other; a copy's use has no code
};

/// An operation that the host has waited for comes before all that is queued later, by whatever thread. So nothing is
/// named that threads of the host order among themselves. Any thread.
class Overlaps {
public:
  /// Null if races on global memory are not looked for.
  static Overlaps *find();

  /// The next operation of the chain is queued. It need not use memory. Each is ended.
  SharedOperation queue(Chain chain, uint64_t number);
  /// Operations that are queued to the chain from now on wait for this one of another chain, and for all before it.
  void wait(Chain chain, Chain other, uint64_t number);
  /// The host knows that the operation is complete.
  void learn(Chain chain, uint64_t number);
  /// The operation is complete. Returns what its uses have to do with those of operations that have ended.
  std::vector<Overlap> end(const SharedOperation &operation, std::vector<OperationUse> uses);

private:
  struct Ended {
    SharedOperation operation;
    std::vector<OperationUse> uses;
  };
  struct Order {
    Clock last;                       ///< what the next operation comes behind
    std::map<uint64_t, Clock> before; ///< of operations that the host does not know to be complete
  };
  Clock clock_of(Chain chain, uint64_t number) const;
  void forget_ended();

  std::mutex mutex_;
  std::unordered_map<Chain, Order> chains_;
  Clock host_;
  std::set<SharedOperation> queued_; ///< that have not ended
  std::list<Ended> ended_;           ///< that some operation may race with
};

} // namespace emulator::executor
