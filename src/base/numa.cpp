// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/numa.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <iterator>
#include <memory>
#include <sched.h>
#include <set>

namespace omptarget {

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

/// An empty set of CPUs with the numbers below room, which cpu_set_t may be too small for. Without memory the process
/// ends as for any other object.
class CpuMask {
public:
  explicit CpuMask(int room) : words_(CPU_ALLOC_SIZE(room) / sizeof(unsigned long)) {}
  cpu_set_t *set() { return reinterpret_cast<cpu_set_t *>(words_.data()); }
  size_t bytes() const { return words_.size() * sizeof(unsigned long); }

private:
  std::vector<unsigned long> words_;
};

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

std::string read_first_line(const std::string &name) {
  const std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(name.c_str(), "re"), std::fclose);
  std::string line;
  if (!file)
    return line;
  for (int c = std::fgetc(file.get()); c != EOF && c != '\n' && line.size() < 1u << 20; c = std::fgetc(file.get()))
    line.push_back(static_cast<char>(c));
  return line;
}

/// The thread's mask may be larger than cpu_set_t.
std::vector<int> cpus_of_thread(pid_t thread) {
  for (int room = CPU_SETSIZE; room <= kMostNumbers; room *= 2) {
    CpuMask mask(room);
    if (sched_getaffinity(thread, mask.bytes(), mask.set()) != 0) {
      if (errno == EINVAL)
        continue; // the kernel's masks are longer
      break;
    }
    std::vector<int> cpus;
    for (int cpu = 0; cpu < room; ++cpu)
      if (CPU_ISSET_S(cpu, mask.bytes(), mask.set()))
        cpus.push_back(cpu);
    return cpus;
  }
  return {};
}

std::vector<int> cpus_of_process() {
  std::set<int> cpus;
  const std::unique_ptr<DIR, int (*)(DIR *)> threads(opendir("/proc/self/task"), closedir);
  if (!threads)
    return {};
  while (const dirent *const thread = readdir(threads.get()))
    if (const int number = std::atoi(thread->d_name); number > 0) {
      const std::vector<int> own = cpus_of_thread(number);
      cpus.insert(own.begin(), own.end());
    }
  return {cpus.begin(), cpus.end()};
}

int run_on_cpus(pthread_t thread, const std::vector<int> &cpus) {
  CpuMask mask(cpus.back() + 1);
  for (const int cpu : cpus)
    CPU_SET_S(cpu, mask.bytes(), mask.set());
  return pthread_setaffinity_np(thread, mask.bytes(), mask.set());
}

Result<std::vector<NumaDomain>> read_numa_domains(const std::string &folder, const std::vector<int> &wanted) {
  const std::vector<int> with_memory = read_number_list(read_first_line(folder + "/has_memory"));
  std::vector<NumaDomain> domains;
  for (const int number : read_number_list(read_first_line(folder + "/online"))) {
    const std::vector<int> cpus =
        read_number_list(read_first_line(format("%s/node%d/cpulist", folder.c_str(), number)));
    NumaDomain domain{number, {}, std::binary_search(with_memory.begin(), with_memory.end(), number)};
    std::set_intersection(cpus.begin(), cpus.end(), wanted.begin(), wanted.end(), std::back_inserter(domain.cpus));
    if (!domain.cpus.empty())
      domains.push_back(std::move(domain));
  }
  if (domains.empty())
    return Status::error(format("%s names no NUMA domain with a CPU that this process may use", folder.c_str()));
  return domains;
}

int numa_distance(const std::string &folder, int from, int to) {
  const std::vector<int> online = read_number_list(read_first_line(folder + "/online"));
  const std::string line = read_first_line(format("%s/node%d/distance", folder.c_str(), from));
  const char *next = line.c_str();
  for (const int number : online) { // a distance for each, in that order
    char *end = nullptr;
    const long distance = std::strtol(next, &end, 10);
    if (end == next || distance <= 0 || distance >= kUnknownDistance)
      break;
    if (number == to)
      return static_cast<int>(distance);
    next = end;
  }
  return kUnknownDistance;
}

int numa_domain_of_pci(const std::string &address) {
  std::string line = read_first_line("/sys/bus/pci/devices/" + address + "/numa_node");
  // The parts of a GPU may have function numbers that the kernel does not list.
  if (const size_t dot = address.rfind('.'); line.empty() && dot != std::string::npos)
    line = read_first_line("/sys/bus/pci/devices/" + address.substr(0, dot) + ".0/numa_node");
  const std::vector<int> numbers = read_number_list(line);
  return numbers.size() == 1 ? numbers[0] : -1;
}

} // namespace omptarget
