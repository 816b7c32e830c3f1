// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The NUMA domains of this machine, as far as this process may use their CPUs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace omptarget::host {

/// A part of the machine whose CPUs have memory of their own.
struct NumaDomain {
  int number;            ///< the kernel's
  std::vector<int> cpus; ///< those that the process may use, ascending; not empty
  bool has_memory;       ///< otherwise its CPUs use that of others
};

/// The numbers in a text such as "0-3,8", ascending; nothing if the text is no such list.
std::vector<int> read_number_list(std::string_view text);

/// The CPUs that this process may use: those of its first thread, and the places that the OpenMP runtime of the host
/// took from it when it bound that thread.
std::vector<int> allowed_cpus();

/// The domains with at least one allowed CPU, in the kernel's order. The folder is that of the kernel's description of
/// nodes; without one it is an error.
Result<std::vector<NumaDomain>> read_numa_domains(const std::string &folder, const std::vector<int> &allowed);

/// Pages of the range are taken from the domain when they are touched first; from another one if it has none left.
Status bind_to_domain(void *memory, size_t size, const NumaDomain &domain);

} // namespace omptarget::host
