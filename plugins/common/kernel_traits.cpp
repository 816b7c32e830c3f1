// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/kernel_traits.h"

#include <cstring>

namespace omptarget {

namespace {

// The part of the record that is read; two device pointers follow.
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
static_assert(sizeof(KernelEnvironment) == 28, "layout of the kernel environment of clang 17 to 22");

bool is_exec_mode(uint8_t value) { return value <= 3 || value == 6; }

Status no_exec_mode(const std::string &kernel, uint8_t value) {
  return Status::error(format("kernel %s: %u is no execution mode (0 to 3 or 6)", kernel.c_str(), value));
}

} // namespace

const char *name_of(ExecMode mode) {
  switch (mode) {
  case ExecMode::kBare:
    return "BARE";
  case ExecMode::kGeneric:
    return "Generic";
  case ExecMode::kSpmd:
    return "SPMD";
  case ExecMode::kGenericSpmd:
    return "Generic-SPMD";
  case ExecMode::kSpmdNoLoop:
    return "SPMD-No-Loop";
  }
  return "unknown";
}

ExecMode KernelTraits::mode_for(uint32_t arguments_version) const {
  if (source != Source::kNone)
    return exec_mode;
  return arguments_version >= 3 ? ExecMode::kBare : ExecMode::kSpmd;
}

Result<KernelTraits> read_kernel_traits(const std::string &kernel, const SymbolReader &read) {
  KernelTraits traits;
  unsigned char bytes[kKernelEnvironmentSize];
  OMPTARGET_TRY_ASSIGN(const bool has_environment, read(kernel + "_kernel_environment", bytes, sizeof(bytes)));
  if (has_environment) {
    KernelEnvironment environment;
    std::memcpy(&environment, bytes, sizeof(environment));
    if (!is_exec_mode(environment.exec_mode))
      return no_exec_mode(kernel, environment.exec_mode);
    if (environment.reduction_data_size < 0 || environment.reduction_buffer_length < 0)
      return Status::error(format("kernel %s: a reduction buffer of %d records of %d bytes", kernel.c_str(),
                                  environment.reduction_buffer_length, environment.reduction_data_size));
    traits.source = KernelTraits::Source::kEnvironment;
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
  OMPTARGET_TRY_ASSIGN(const bool has_mode, read(kernel + "_exec_mode", &mode, sizeof(mode)));
  if (!has_mode)
    return traits;
  if (!is_exec_mode(mode))
    return no_exec_mode(kernel, mode);
  traits.source = KernelTraits::Source::kExecModeByte;
  traits.exec_mode = static_cast<ExecMode>(mode);
  return traits;
}

} // namespace omptarget
