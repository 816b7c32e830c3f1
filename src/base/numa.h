// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NUMA domains of this machine as the kernel describes them: their CPUs, their memory, how far they are from each
// other.
#pragma once

#include <climits>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/status.h"

namespace omptarget {

/// Where the kernel describes them.
inline constexpr const char *kNumaFolder = "/sys/devices/system/node";

/// A part of the machine whose CPUs have memory of their own.
struct NumaDomain {
  int number;            ///< the kernel's
  std::vector<int> cpus; ///< those that were asked for, ascending; not empty
  bool has_memory;       ///< otherwise its CPUs use that of others
};

/// The numbers in a text such as "0-3,8", ascending; nothing if the text is no such list.
std::vector<int> read_number_list(std::string_view text);

/// The first line of a file of the kernel; empty if it cannot be read.
std::string read_first_line(const std::string &name);

/// The CPUs that a thread may run on, ascending; nothing if that cannot be known.
std::vector<int> cpus_of_thread(pid_t thread);

/// The CPUs that some thread of this process may run on, ascending. Nothing if they cannot be known.
std::vector<int> cpus_of_process();

/// Lets a thread run on these CPUs only, ascending and not empty. Returns 0 or an error number.
int run_on_cpus(pthread_t thread, const std::vector<int> &cpus);

/// The domains with at least one of these CPUs, in the kernel's order. Without any it is an error.
Result<std::vector<NumaDomain>> read_numa_domains(const std::string &folder, const std::vector<int> &cpus);

inline constexpr int kUnknownDistance = INT_MAX;
/// How far one domain's memory is from another's CPUs, in the kernel's measure, where 10 is its own.
int numa_distance(const std::string &folder, int from, int to);

/// The domain that a PCI device ("0000:3b:00.0") is near to; -1 if that is not told.
int numa_domain_of_pci(const std::string &address);

} // namespace omptarget
