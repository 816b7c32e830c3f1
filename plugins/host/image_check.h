// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of an image for the CPU before the dynamic linker sees it: the linker trusts what it
// loads, so that a damaged image would crash the process. Damage inside code and data is not seen. docs/use/security.md
// says what remains.
#pragma once

#include <cstdint>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/status.h"
#include "host/device_functions.h"

namespace omptarget::host {

struct Segment {
  uint64_t address; ///< before relocation
  uint64_t memory_size;
  uint64_t file_offset;
  uint64_t file_size;
  bool is_writable;
  bool is_readable;
  bool is_executable;
};

/// The section with the image's own table of entries.
struct EntrySection {
  uint64_t address = 0; ///< before relocation
  uint64_t size = 0;    ///< bytes; 0 if there is none
  size_t record = 0;    ///< bytes per entry: 32 or 56
};

/// A word that is to hold the address of a function of the OpenMP API that answers for the device
/// (host/device_functions.h).
struct DeviceFunctionUse {
  uint64_t address; ///< before relocation
  DeviceFunction function;
};

/// A call that the image makes by way of a word with the address of the function.
struct ImageCall {
  uint64_t slot;     ///< the word, before relocation
  uint64_t function; ///< before relocation, or kNumThreadsCall
};
inline constexpr uint64_t kNumThreadsCall = ~uint64_t{0}; ///< of libomp's function that takes num_threads

/// A word that is to hold the address of a function of ours (host/block_teams.h).
struct TeamCallUse {
  uint64_t address; ///< before relocation
  const void *function;
};

struct ImageLayout {
  std::vector<Segment> segments; ///< ascending
  EntrySection entries;
  uint64_t dynamic_offset = 0;      ///< in the file
  uint64_t dynamic_address = 0;     ///< before relocation
  uint64_t dynamic_count = 0;       ///< entries, with the ones that end it
  bool is_dynamic_writable = false; ///< as its program header says
  uint64_t thread_size = 0;         ///< bytes of data of which each thread has its own
  uint64_t protected_begin = 0;     ///< start of the memory that becomes read-only after relocation
  uint64_t protected_end = 0;
  /// Where in the file a dynamic entry may be written, or 0: the image is to be given DT_SYMBOLIC, if it has none and
  /// has room.
  uint64_t spare_dynamic_offset = 0;
  std::vector<DeviceFunctionUse> device_functions;
  uint64_t unwind_address = 0; ///< of the table of functions for unwinding
  uint64_t unwind_size = 0;    ///< 0: there is none
  /// Only of images whose teams could be cut, and could notice it.
  std::vector<TeamCallUse> team_calls;
  std::vector<ImageCall> calls;
};

/// Returns the size of a page of this system in bytes: AArch64 has 4,096, 16,384 or 65,536.
inline uint64_t page_size() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

/// Returns whether the bytes could be an image for this plugin: quick, reads the ELF header only.
bool is_image_for_host(std::string_view image);

/// Checks everything that the dynamic linker walks. Failures say what is wrong where.
Result<ImageLayout> check_image(std::string_view image);

/// The part of it about the dynamic section; fills spare_dynamic_offset and device_functions.
Status check_dynamic(std::string_view image, ImageLayout &layout);

} // namespace omptarget::host
