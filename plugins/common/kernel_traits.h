// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traits of a kernel from its compiler: the kernel environment of clang 18 and later, the byte for the execution mode
// of clang 14 to 17.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"

namespace omptarget {

enum class ExecMode : uint8_t {
  kBare = 0,        ///< the program's own grid, nothing of the device runtime
  kGeneric = 1,     ///< one main thread; a further warp hosts it
  kSpmd = 2,        ///< all threads from the start
  kGenericSpmd = 3, ///< written as generic, converted by the optimiser
  kSpmdNoLoop = 6   ///< SPMD with one iteration per thread: the grid must cover the trip count
};

/// Name of a mode as the information about launches prints it.
const char *name_of(ExecMode mode);

/// Bytes of a kernel environment, which tell its layout: that of clang 18 to 22, and of clang 23.
inline constexpr size_t kKernelEnvironmentSize = 48;
inline constexpr size_t kTrailingEnvironmentSize = 40;

/// Traits that decide how a kernel is launched. Numbers <= 0 are unset.
struct KernelTraits {
  enum class Source { kNone, kExecModeByte, kEnvironment };
  Source source = Source::kNone;
  ExecMode exec_mode = ExecMode::kGeneric;
  int32_t min_threads = 0;
  int32_t max_threads = 0;
  int32_t min_teams = 0;
  int32_t max_teams = 0;
  uint32_t environment_size = 0;        ///< bytes of the kernel environment; 0 if there is none
  uint32_t reduction_data_size = 0;     ///< bytes per team
  uint32_t reduction_buffer_length = 0; ///< records of the buffer; 0: as many as the launch has teams (clang 23)

  /// The mode for a launch with arguments of this version. A kernel that says nothing is bare from version 3 on;
  /// before, it is a constructor or destructor, which must get the one thread that it asks for: SPMD.
  ExecMode mode_for(uint32_t arguments_version) const;
  /// Returns whether the launch brings its own number of records of the buffer for reductions over teams (clang 23).
  bool reduces_by_team() const { return environment_size == kTrailingEnvironmentSize; }
  /// Bytes of the buffer that a launch with so many teams needs for reductions over them; 0 if it needs none.
  uint64_t reduction_buffer_size(uint32_t teams) const {
    return uint64_t{reduction_data_size} * (reduces_by_team() ? teams : reduction_buffer_length);
  }
};

/// Copies the first bytes of a symbol of the image; false if there is no such symbol, or it has fewer bytes.
using SymbolReader = std::function<Result<bool>(const std::string &symbol, void *destination, size_t size)>;

/// The traits of the kernel of that name. Fails if the image says something impossible.
Result<KernelTraits> read_kernel_traits(const std::string &kernel, const SymbolReader &read);

} // namespace omptarget
