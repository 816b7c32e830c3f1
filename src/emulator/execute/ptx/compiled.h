// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of the host for parts of functions that run often. Registers stay in memory, where the interpreter has them, so
// that either goes on where the other stopped. A part has the block that has run often and those around it that run. It
// may begin at each of them. It stops before an instruction that is only interpreted, where lanes part or meet, and
// where the turn is over.
#pragma once

#include <memory>

#include "../compiled_starts.h"
#include "../host_code.h"
#include "module.h"

namespace emulator::executor::ptx {

class Warp;

/// The state that compiled code reads and writes beside registers and memory. translate.cpp knows its layout.
struct CompiledState {
  enum class Outcome : uint32_t { kGoesOn, kParts, kFailed };
  int64_t left = 0;                   ///< instructions that the turn may still execute
  uint32_t is_long = 0;               ///< the turn ends where a block begins
  uint32_t place = 0;                 ///< where it begins, and where these lanes go on; kParts: the branch
  Outcome outcome = Outcome::kGoesOn; ///< kParts: some of the lanes take a branch
  uint32_t active = 0;                ///< those that do
  uint32_t join = 0;                  ///< where these lanes wait for others
  uint32_t counts_looks = 0;          ///< lanes wait for others: run_fragment counts looks at what these do
  uint32_t has_met = 0;               ///< set when lanes have met
  uint64_t stack_base = 0;            ///< the frame's part of each lane's stack
  const uint64_t *specials = nullptr; ///< rows
  const Row *shared_addresses = nullptr;
  uint8_t *shared = nullptr;
  uint64_t shared_size = 0;
  uint8_t *stack = nullptr;
  uint64_t stack_size = 0;
  const uint8_t *arguments = nullptr;
  uint64_t arguments_size = 0;
  uint64_t shared_window = 0, local_window = 0; ///< generic addresses of the block's shared memory, of lane 0's stack
  ReachedMemory *reached = nullptr;             ///< by number of the access
  Warp *warp = nullptr;
};
using CompiledCode = void (*)(CompiledState *, uint64_t *registers, uint32_t mask);

/// A part of a function, and one of the places where it may begin.
struct CompiledPart {
  CompiledCode code = nullptr; ///< null: the first instruction is only interpreted
  uint32_t length = 0;         ///< instructions of the block that begins there
  uint32_t accesses = 0;       ///< the number of accesses of the module up to its last
};

/// The compiled parts of a function. Any thread.
class CompiledFunction {
public:
  explicit CompiledFunction(const Function &function);
  ~CompiledFunction();
  CompiledFunction(const CompiledFunction &) = delete;
  CompiledFunction &operator=(const CompiledFunction &) = delete;

  /// The part that begins here, for all lanes or for some; null until it was asked for so often.
  const CompiledPart *find(uint32_t place, bool is_full, uint32_t after) {
    return starts_.find(place, is_full, after, [&] { compile(place, is_full, after); });
  }

private:
  void compile(uint32_t place, bool is_full, uint32_t after);

  const Function &function_;
  CompiledStarts<CompiledPart> starts_; ///< by place
  std::unique_ptr<class Liveness> liveness_;
};

/// An access of compiled code that its own checks do not let pass: carried out as the interpreter does, with its
/// faults. values: a row for each element. Returns whether the lanes go on.
bool access_slowly(CompiledState *state, uint32_t place, uint32_t access, uint32_t mask, const uint64_t *addresses,
                   uint64_t *values);

} // namespace emulator::executor::ptx
