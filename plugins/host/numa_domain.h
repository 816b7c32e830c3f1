// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NUMA domains as devices: the CPUs that this process may use, and memory that lies in a domain.
#pragma once

#include <cstddef>
#include <vector>

#include "base/numa.h"
#include "base/status.h"

namespace omptarget::host {

/// The CPUs that this process may use: those of its first thread, and the places that the OpenMP runtime of the host
/// took from it when it bound that thread.
std::vector<int> allowed_cpus();

/// Pages of the range are taken from the domain when they are touched first; from another one if it has none left.
Status bind_to_domain(void *memory, size_t size, const NumaDomain &domain);

} // namespace omptarget::host
