// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of the host for parts of AMD's code that run often. Registers stay in memory, where the interpreter has them, so
// that either goes on where the other stopped. A part has the block that has run often and those around it that run. It
// may begin at each of them. It stops before barriers, calls and ends, and where the turn is over.
#pragma once

#include <vector>

#include "../compiled_starts.h"
#include "../host_code.h"
#include "instruction.h"

namespace emulator::executor::amdgpu {

class AmdWave;
class CodeSpace;

/// The state that compiled code reads and writes beside registers and memory. translate.cpp knows its layout.
struct CompiledState {
  int64_t left = 0;            ///< instructions that the turn may still execute
  uint64_t place = 0;          ///< where the wave goes on
  uint64_t last = 0;           ///< the instruction before
  uint32_t entry = 0;          ///< where the part begins
  uint32_t is_long = 0;        ///< the turn ends behind a branch
  uint32_t is_over = 0;        ///< set when it does
  uint32_t scc = 0;            ///< 0 or 1
  uint32_t *scalars = nullptr; ///< registers
  uint32_t *vectors = nullptr;
  uint8_t *shared = nullptr;
  uint64_t shared_size = 0;
  uint8_t *stack = nullptr;         ///< private memory of all lanes
  uint64_t stack_size = 0;          ///< of each lane
  uint64_t scratch_base = 0;        ///< address in the descriptor of private memory
  ReachedMemory *reached = nullptr; ///< by number of the access
  AmdWave *wave = nullptr;
};
using CompiledCode = void (*)(CompiledState *);

/// A part, and one of the places where it may begin.
struct CompiledPart {
  CompiledCode code = nullptr; ///< null: the first instruction is only interpreted
  uint32_t entry = 0;          ///< number of the place
  uint32_t length = 0;         ///< instructions of the block that begins there
  uint32_t accesses = 0;       ///< the number of accesses up to its last
  RegisterCounts touched;      ///< by the whole part
};

/// The compiled parts of a segment of code. Any thread.
class CompiledSegment {
public:
  CompiledSegment(const Processor &processor, uint64_t begin, uint64_t end)
      : processor_(processor), begin_(begin), end_(end), starts_((end - begin + 3) / 4) {}

  bool has(uint64_t address) const { return address >= begin_ && address < end_; }
  /// A part may begin at this address.
  void add_start(uint64_t address) {
    if (has(address))
      starts_.add(word_of(address));
  }
  /// The part that begins here, for all lanes or for some; null until it was asked for so often.
  const CompiledPart *find(uint64_t address, bool is_full, uint32_t after, CodeSpace &code) {
    return starts_.find(word_of(address), is_full, after, [&] { compile(address, is_full, after, code); });
  }

private:
  size_t word_of(uint64_t address) const { return (address - begin_) / 4; }
  void compile(uint64_t address, bool is_full, uint32_t after, CodeSpace &code);

  const Processor processor_;
  const uint64_t begin_, end_;
  CompiledStarts<CompiledPart> starts_; ///< by word
};

/// The state that the waves of a launch share if code is compiled.
struct CompiledLaunch {
  uint32_t after = 0;                 ///< runs
  std::vector<ReachedMemory> reached; ///< by compiled code
  uint64_t interpreted = 0;           ///< instructions that compiled code has called the interpreter for
};

/// Carries out an instruction of compiled code as the interpreter does. access: its number, or kNoAccess. Returns
/// whether the wave goes on.
inline constexpr uint32_t kNoAccess = ~0u;
bool interpret_one(CompiledState *state, const Instruction *instruction, uint64_t address, uint32_t access);

} // namespace emulator::executor::amdgpu
