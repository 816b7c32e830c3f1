// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A code object as a driver loads it: segments, relocations, kernel descriptors, code that is decoded when it first
// runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "../memory.h"
#include "common/elf_image.h"
#include "debug_info.h"
#include "instruction.h"
#include "wave.h"

namespace emulator::executor::amdgpu {

/// The 64 bytes that say how a kernel wants to be started.
struct KernelDescriptor {
  uint32_t group_size, private_size, kernarg_size;
  uint8_t reserved0[4];
  int64_t entry_offset; ///< distance from the descriptor to the code
  uint8_t reserved1[20];
  uint32_t resources3, resources1, resources2;
  uint16_t properties, preload;
  uint8_t reserved2[4];
};
static_assert(sizeof(KernelDescriptor) == 64);

/// The processor of a target as "gfx90a:xnack-"; none if the executor does not model it.
std::optional<Processor> find_processor(const std::string &target);

/// Loaded code and data. Any thread.
class CodeObject {
public:
  /// Null, and a text that says why.
  static std::unique_ptr<CodeObject> load(const std::string &bytes, const Processor &processor, std::string &error);
  ~CodeObject();

  const Processor &processor() const { return processor_; }
  /// The address of a symbol; 0 if there is none.
  uint64_t address_of(const std::string &symbol) const;
  /// Null if there is no such kernel, or its descriptor lies outside.
  const KernelDescriptor *find_descriptor(const std::string &kernel) const;
  /// The segment that holds the address.
  std::optional<MemoryRange> find(uint64_t address) const;
  bool has_code(uint64_t address) const;
  /// The instruction that begins there, or null and the reason.
  const Instruction *at(uint64_t address, std::string &reason);
  /// The compiled parts of the code around an address; null if there is no code.
  CompiledSegment *compiled_at(uint64_t address) const {
    Words *const words = find_words(address);
    return words ? &words->compiled : nullptr;
  }
  /// "function, file.c:12", as far as symbols and line tables tell.
  std::string describe(uint64_t address);
  /// Returns the source line of the loaded address; nothing where there is no debug information.
  SourceLine line_at(uint64_t address);
  std::vector<SourceVariable> variables_at(uint64_t address);

private:
  struct Segment {
    uint64_t begin, end;
    bool may_write, is_code;
  };
  struct Words { ///< the instruction at each word of a code segment
    Words(const Processor &processor, uint64_t address, size_t count)
        : begin(address), end(address + count * 4), instructions(count), is_inner(count),
          compiled(processor, begin, end) {}
    uint64_t begin, end;
    std::vector<std::atomic<const Instruction *>> instructions;
    std::vector<uint8_t> is_inner; ///< not the first word of an instruction that was decoded
    CompiledSegment compiled;
  };

  CodeObject(const std::string &bytes, const Processor &processor) : bytes_(bytes), processor_(processor) {}
  bool load_segments(std::string &error);
  bool relocate(std::string &error);
  Words *find_words(uint64_t address) const;
  const Instruction *decode(Words &words, uint64_t address, std::string &reason);

  const std::string bytes_;
  const Processor processor_;
  omptarget::ElfImage elf_;
  uint8_t *memory_ = nullptr;
  uint64_t size_ = 0, lowest_ = 0;
  std::vector<Segment> segments_;
  std::vector<std::unique_ptr<Words>> words_;
  std::mutex mutex_;       ///< guards decoding and debug information
  DebugInfo *debug_info(); ///< null if there is none
  std::unique_ptr<DebugInfo> debug_info_;
  bool has_read_debug_info_ = false;
  std::unique_ptr<Decoder> decoder_;
  std::vector<std::unique_ptr<Instruction>> instructions_;
};

} // namespace emulator::executor::amdgpu
