// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recorded launch of a kernel, and the file that holds it (docs/use/replay.md has the layout). The library writes
// such files, and omptarget-replay reads them. Knows nothing of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace omptarget::record {

/// A fact for people: the program, the device, the compiler.
struct Fact {
  std::string name;
  std::string value;
};

/// The name of the fact that tells how many words are addresses of the program, if code for the CPU could follow them.
inline constexpr const char *kProgramAddresses = "addresses of the program";

/// An entry of the image's module, as its compiler emitted it.
struct Entry {
  uint64_t address; ///< of the host
  uint64_t size;    ///< bytes; 0 for kernels and functions
  uint32_t flags;   ///< OMPTARGET_ENTRY_*
  std::string name;
};

/// The launch as it was requested. Numbers of teams and threads by dimension; 0: not given.
struct Launch {
  uint64_t kernel = 0;        ///< the address of its entry
  uint32_t block_version = 0; ///< of the argument block; 0: there was none
  uint32_t teams[3] = {};
  uint32_t threads[3] = {};
  uint64_t trip_count = 0;   ///< 0: unknown
  uint64_t flags = 0;        ///< OMPTARGET_KERNEL_*
  uint32_t group_memory = 0; ///< bytes of dynamic shared memory per team
};

enum class ArgumentKind : uint32_t {
  kValue,    ///< passed as it is
  kPointer,  ///< to a place in or beside a block
  kFunction, ///< value is a function of the host, for which the device has one
};

struct Argument {
  ArgumentKind kind;
  uint64_t value;   ///< as the kernel got it; of kFunction the host's
  uint32_t block;   ///< of kPointer: which one
  int64_t offset;   ///< of kPointer: bytes from the block's begin
  std::string name; ///< of the variable, as compilers write it, or empty
};

enum class BlockKind : uint32_t {
  kMapped,    ///< a mapped variable, or a part of one
  kGlobal,    ///< a global variable of the image; host is the address of its entry
  kPrivate,   ///< the firstprivate variables of the launch
  kAllocated, ///< the program has allocated it on its own
};
const char *kind_name(BlockKind kind);

/// Bytes that the kernel has changed.
struct Change {
  uint64_t offset;
  std::span<const std::byte> bytes;
};

/// A range of device memory. No two overlap, but for globals, which lie where the image lies.
struct Block {
  uint64_t device; ///< its address when it was recorded
  uint64_t host;   ///< the address of the host's data; 0: there are none
  uint64_t size;   ///< bytes
  BlockKind kind;
  std::string name;                  ///< of the variable, as compilers write it, or empty
  std::span<const std::byte> before; ///< its bytes before the launch
  std::vector<Change> changes;       ///< ascending; what the launch has changed
};

/// A pointer in a block that holds a device address.
struct Pointer {
  uint32_t block;
  uint64_t offset;       ///< of its 8 bytes in the block
  uint32_t target;       ///< the block that it points to
  int64_t target_offset; ///< bytes from that block's begin
};

/// Spans refer to memory of the owner: the recorder's, or the mapped file's.
struct Recording {
  std::vector<Fact> facts;
  uint64_t requires_mask = 0; ///< OMPTARGET_REQUIRES_* of the program
  std::vector<Entry> entries;
  Launch launch;
  std::vector<Argument> arguments;
  std::vector<Block> blocks;
  std::vector<Pointer> pointers;
  uint64_t unknown_pointers = 0;    ///< words that look like addresses of these blocks; nobody knows what they are
  std::span<const std::byte> image; ///< as its module holds it
  bool has_result = false;          ///< false: the launch has not ended

  const Entry *kernel() const; ///< null in no recording that was read
  std::string_view fact(std::string_view name) const;
};

/// Writes a recording whole, or not at all (replace_result_file). One that was there is replaced.
Status write_recording(const std::string &path, const Recording &recording);

/// Reads the contents of a file, which may be anything. The failure says what is wrong, without the file's name. The
/// result refers to these bytes. All its numbers of blocks, offsets and sizes are in range.
Result<Recording> read_recording(std::string_view contents);

} // namespace omptarget::record
