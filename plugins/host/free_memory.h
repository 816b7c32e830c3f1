// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory this process could have.
#pragma once

#include <cstdint>
#include <string>

namespace omptarget::host {

/// Returns the bytes that the machine, the control group and the limits of the process leave. Any thread.
uint64_t free_memory();

/// Returns what the control groups of a process leave. groups: the text of /proc/self/cgroup; folder: where they are
/// mounted. UINT64_MAX: there is no limit.
uint64_t free_in_control_groups(const std::string &groups, const std::string &folder);

} // namespace omptarget::host
