// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are run once for each team. clang's kernels for CPUs make their teams themselves; flang's are made as
// those for GPUs, and the device RTL that they are linked with (device-rtl/host) leaves its mark in their image.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/address_range.h"
#include "base/status.h"
#include "host/launch.h"

namespace omptarget::host {

/// The image's device RTL exports this symbol if the kernels are of that kind.
inline constexpr const char *kTeamsMark = "__omptarget_kernel_per_team";

namespace teams_internal {
extern std::atomic<uint32_t> images; ///< with kernels of that kind
bool is_known(const void *kernel);
} // namespace teams_internal

/// The addresses are those of such an image, until it is forgotten. Any thread.
void add_kernels_per_team(AddressRange image);
void forget_kernels_per_team(AddressRange image);

/// Returns whether the kernel is run once for each team. Any thread.
inline bool runs_once_per_team(const void *kernel) {
  return teams_internal::images.load(std::memory_order_relaxed) != 0 && teams_internal::is_known(kernel);
}

/// Calls the kernel in each of so many teams, which are those of the OpenMP runtime of the host (OpenMP 5.2, 10.2).
/// thread_limit: 0 for none. Returns when all are done. Any thread.
Status call_in_teams(void *kernel, const KernelArguments &arguments, uint32_t teams, uint32_t thread_limit);

} // namespace omptarget::host
