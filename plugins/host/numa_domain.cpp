// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/numa_domain.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/openmp_function.h"

namespace omptarget::host {

namespace {

/// Returns whether an OMPT tool is there. The OpenMP runtime asks for the number of devices while it starts the tool,
/// with a lock held that its functions for places take.
bool has_tool() {
  Dl_info tool, runtime;
  auto *const starts_tool = openmp_function<void()>("ompt_start_tool");
  auto *const has_places = openmp_function<void()>("omp_get_num_places");
  return std::getenv("OMP_TOOL_LIBRARIES") ||
         (starts_tool && dladdr(reinterpret_cast<const void *>(starts_tool), &tool) != 0 &&
          dladdr(reinterpret_cast<const void *>(has_places), &runtime) != 0 && tool.dli_fbase != runtime.dli_fbase);
}

/// The CPUs of OpenMP's places (OpenMP 5.2, section 18.3): the calling thread may be bound to one of them.
void add_places(std::vector<int> &cpus) {
  const auto count_places = openmp_function<int()>("omp_get_num_places");
  const auto count_of_place = openmp_function<int(int)>("omp_get_place_num_procs");
  const auto read_place = openmp_function<void(int, int *)>("omp_get_place_proc_ids");
  if (!count_places || !count_of_place || !read_place || has_tool())
    return;
  for (int place = 0, count = count_places(); place < count; ++place) {
    std::vector<int> more(static_cast<size_t>(std::max(count_of_place(place), 0)));
    read_place(place, more.data());
    cpus.insert(cpus.end(), more.begin(), more.end());
  }
}

} // namespace

std::vector<int> allowed_cpus() {
  std::vector<int> cpus = cpus_of_thread(getpid());
  add_places(cpus);
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

Status bind_to_domain(void *memory, size_t size, const NumaDomain &domain) {
  constexpr size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  const auto number = static_cast<size_t>(domain.number);
  std::vector<unsigned long> mask(number / kBits + 1);
  mask[number / kBits] = 1ul << (number % kBits);
  // The kernel reads one bit less than it is given.
  if (syscall(SYS_mbind, memory, size, MPOL_PREFERRED, mask.data(), mask.size() * kBits + 1, 0) == 0)
    return Status::ok();
  return Status::error(format("memory cannot be bound to NUMA domain %d: %s", domain.number, std::strerror(errno)));
}

} // namespace omptarget::host
