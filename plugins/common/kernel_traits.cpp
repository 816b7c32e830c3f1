// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/kernel_traits.h"

#include <cstddef>
#include <cstring>

#include "generations/generations.h"
#include "generations/names.h"

namespace omptarget {

namespace {

// The part of the record that is read; two device pointers follow. clang 23's ends before the last number.
struct KernelEnvironment {
  uint8_t use_generic_state_machine;
  uint8_t may_use_nested_parallelism;
  uint8_t exec_mode;
  uint8_t padding;
  int32_t min_threads;
  int32_t max_threads;
  int32_t min_teams;
  int32_t max_teams;
  int32_t reduction_data_size;
  int32_t reduction_buffer_length;
};
static_assert(sizeof(KernelEnvironment) == 28, "layout of the kernel environment of clang 18 to 22");
static_assert(kKernelEnvironmentSize == generation_of(18)->environment &&
              kKernelEnvironmentSize == generation_of(22)->environment &&
              kTrailingEnvironmentSize == generation_of(23)->environment);
constexpr size_t kTrailingNumbers = offsetof(KernelEnvironment, reduction_buffer_length);

bool is_exec_mode(uint8_t value) { return value <= 3 || value == 6; }

Status no_exec_mode(const std::string &kernel, uint8_t value) {
  return Status::error(format("kernel %s: %u is no execution mode (0 to 3 or 6)", kernel.c_str(), value));
}

} // namespace

const char *name_of(ExecMode mode) {
  switch (mode) {
  case ExecMode::kBare: return "BARE";
  case ExecMode::kGeneric: return "Generic";
  case ExecMode::kSpmd: return "SPMD";
  case ExecMode::kGenericSpmd: return "Generic-SPMD";
  case ExecMode::kSpmdNoLoop: return "SPMD-No-Loop";
  }
  return "unknown";
}

ExecMode KernelTraits::mode_for(uint32_t arguments_version) const {
  if (source != Source::kNone)
    return exec_mode;
  return arguments_version >= 3 ? ExecMode::kBare : ExecMode::kSpmd;
}

namespace {

Status unknown_environment(const std::string &kernel, const char *size) {
  return Status::error(
      format("%s_kernel_environment has %s bytes; known are %zu (clang 18 to 22) and %zu (clang 23): a "
             "newer omptarget is needed",
             kernel.c_str(), size, kKernelEnvironmentSize, kTrailingEnvironmentSize));
}

/// Bytes of the kernel's environment, which are copied; 0 if it has none. Fails for sizes of no known compiler.
Result<uint32_t> read_environment(const std::string &kernel, const SymbolReader &read, unsigned char *bytes) {
  const std::string symbol = std::string(kernel).append(kEnvironmentSuffix);
  const auto has = [&](size_t size) { return read(symbol, bytes, size); };
  OMPTARGET_TRY_ASSIGN(const bool has_small, has(kTrailingEnvironmentSize));
  if (!has_small) {
    OMPTARGET_TRY_ASSIGN(const bool has_any, has(1));
    return has_any ? Result<uint32_t>(unknown_environment(kernel, "fewer than 40")) : Result<uint32_t>(0u);
  }
  OMPTARGET_TRY_ASSIGN(const bool has_more, has(kTrailingEnvironmentSize + 1));
  if (!has_more)
    return static_cast<uint32_t>(kTrailingEnvironmentSize);
  OMPTARGET_TRY_ASSIGN(const bool has_whole, has(kKernelEnvironmentSize));
  if (!has_whole)
    return unknown_environment(kernel, "41 to 47");
  OMPTARGET_TRY_ASSIGN(const bool has_too_many, has(kKernelEnvironmentSize + 1));
  if (has_too_many)
    return unknown_environment(kernel, "more than 48");
  return static_cast<uint32_t>(kKernelEnvironmentSize);
}

} // namespace

Result<KernelTraits> read_kernel_traits(const std::string &kernel, const SymbolReader &read) {
  KernelTraits traits;
  unsigned char bytes[kKernelEnvironmentSize + 1];
  OMPTARGET_TRY_ASSIGN(const uint32_t size, read_environment(kernel, read, bytes));
  if (size != 0) {
    KernelEnvironment environment{};
    std::memcpy(&environment, bytes, size == kTrailingEnvironmentSize ? kTrailingNumbers : sizeof(environment));
    if (!is_exec_mode(environment.exec_mode))
      return no_exec_mode(kernel, environment.exec_mode);
    if (environment.reduction_data_size < 0 || environment.reduction_buffer_length < 0)
      return Status::error(format("kernel %s: a reduction buffer of %d records of %d bytes", kernel.c_str(),
                                  environment.reduction_buffer_length, environment.reduction_data_size));
    traits.source = KernelTraits::Source::kEnvironment;
    traits.environment_size = size;
    traits.exec_mode = static_cast<ExecMode>(environment.exec_mode);
    traits.min_threads = environment.min_threads;
    traits.max_threads = environment.max_threads;
    traits.min_teams = environment.min_teams;
    traits.max_teams = environment.max_teams;
    traits.reduction_data_size = static_cast<uint32_t>(environment.reduction_data_size);
    traits.reduction_buffer_length = static_cast<uint32_t>(environment.reduction_buffer_length);
    return traits;
  }
  uint8_t mode = 0;
  OMPTARGET_TRY_ASSIGN(const bool has_mode, read(std::string(kernel).append(kModeSuffix), &mode, sizeof(mode)));
  if (!has_mode)
    return traits;
  if (!is_exec_mode(mode))
    return no_exec_mode(kernel, mode);
  traits.source = KernelTraits::Source::kExecModeByte;
  traits.exec_mode = static_cast<ExecMode>(mode);
  return traits;
}

} // namespace omptarget
