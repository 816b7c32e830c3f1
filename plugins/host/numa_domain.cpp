// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/numa_domain.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <linux/mempolicy.h>
#include <memory>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace omptarget::host {

namespace {

/// More CPUs or domains than that no machine has; a list that names them is damaged.
constexpr int kMostNumbers = 1 << 16;

/// A number at the start of the text, which loses it; -1 if there is none.
int take_number(std::string_view &text) {
  int64_t number = -1;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    number = std::max<int64_t>(number, 0) * 10 + (text[0] - '0');
    if (number >= kMostNumbers)
      return -1;
    text.remove_prefix(1);
  }
  return static_cast<int>(number);
}

bool take_character(std::string_view &text, char character) {
  if (text.empty() || text[0] != character)
    return false;
  text.remove_prefix(1);
  return true;
}

/// The first line of a file of the kernel; empty if it cannot be read.
std::string first_line(const std::string &name) {
  const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(name.c_str(), "re"), std::fclose);
  std::string line;
  if (!file)
    return line;
  for (int c = std::fgetc(file.get()); c != EOF && c != '\n' && line.size() < 1u << 20; c = std::fgetc(file.get()))
    line.push_back(static_cast<char>(c));
  return line;
}

/// The CPUs of the thread's mask, which may be larger than cpu_set_t.
std::vector<int> cpus_of_thread(pid_t thread) {
  for (int room = CPU_SETSIZE; room <= kMostNumbers; room *= 2) {
    const size_t bytes = CPU_ALLOC_SIZE(room);
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> set(CPU_ALLOC(room), [](cpu_set_t *s) { CPU_FREE(s); });
    CPU_ZERO_S(bytes, set.get());
    if (sched_getaffinity(thread, bytes, set.get()) != 0) {
      if (errno == EINVAL)
        continue; // the kernel's masks are longer
      break;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < room; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set.get()))
        cpus.push_back(cpu);
    return cpus;
  }
  return {};
}

template <typename Function> Function *openmp_function(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

/// The CPUs of OpenMP's places (OpenMP 5.2, section 18.3).
void add_places(std::vector<int> &cpus) {
  const auto count_places = openmp_function<int()>("omp_get_num_places");
  const auto count_of_place = openmp_function<int(int)>("omp_get_place_num_procs");
  const auto read_place = openmp_function<void(int, int *)>("omp_get_place_proc_ids");
  if (!count_places || !count_of_place || !read_place)
    return;
  for (int place = 0, count = count_places(); place < count; ++place) {
    std::vector<int> more(static_cast<size_t>(std::max(count_of_place(place), 0)));
    read_place(place, more.data());
    cpus.insert(cpus.end(), more.begin(), more.end());
  }
}

} // namespace

std::vector<int> read_number_list(std::string_view text) {
  std::vector<int> numbers;
  if (text.empty())
    return numbers;
  do {
    const int first = take_number(text);
    const int last = take_character(text, '-') ? take_number(text) : first;
    if (first < 0 || last < first)
      return {};
    for (int number = first; number <= last; ++number)
      numbers.push_back(number);
  } while (take_character(text, ','));
  if (!text.empty())
    return {};
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::vector<int> allowed_cpus() {
  std::vector<int> cpus = cpus_of_thread(getpid());
  add_places(cpus);
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

Result<std::vector<NumaDomain>> read_numa_domains(const std::string &folder, const std::vector<int> &allowed) {
  const std::vector<int> with_memory = read_number_list(first_line(folder + "/has_memory"));
  std::vector<NumaDomain> domains;
  for (const int number : read_number_list(first_line(folder + "/online"))) {
    const std::vector<int> cpus = read_number_list(first_line(format("%s/node%d/cpulist", folder.c_str(), number)));
    NumaDomain domain{number, {}, std::binary_search(with_memory.begin(), with_memory.end(), number)};
    std::set_intersection(cpus.begin(), cpus.end(), allowed.begin(), allowed.end(), std::back_inserter(domain.cpus));
    if (!domain.cpus.empty())
      domains.push_back(std::move(domain));
  }
  if (domains.empty())
    return Status::error(
        format("%s names no NUMA domain with a CPU that this process may use", folder.c_str()));
  return domains;
}

Status bind_to_domain(void *memory, size_t size, const NumaDomain &domain) {
  constexpr size_t kBits = sizeof(unsigned long) * CHAR_BIT;
  const auto number = static_cast<size_t>(domain.number);
  std::vector<unsigned long> mask(number / kBits + 1);
  mask[number / kBits] = 1ul << (number % kBits);
  // The kernel reads one bit less than it is told.
  if (syscall(SYS_mbind, memory, size, MPOL_PREFERRED, mask.data(), mask.size() * kBits + 1, 0) == 0)
    return Status::ok();
  return Status::error(format("memory cannot be bound to NUMA domain %d: %s", domain.number, std::strerror(errno)));
}

} // namespace omptarget::host
