// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "host/free_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <sys/resource.h>

#include "base/numa.h"
#include "host/image_check.h"

namespace omptarget::host {

namespace {

std::string read_file(const char *name) {
  std::string text;
  if (std::FILE *const file = std::fopen(name, "re")) {
    char part[4096];
    while (const size_t count = std::fread(part, 1, sizeof part, file))
      text.append(part, count);
    std::fclose(file);
  }
  return text;
}

/// The number that the text begins with, or otherwise.
uint64_t number_in(std::string_view text, uint64_t otherwise) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  uint64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

uint64_t free_on_machine() {
  constexpr std::string_view kField = "MemAvailable:";
  const std::string text = read_file("/proc/meminfo");
  const size_t place = text.find(kField);
  return place == std::string::npos ? UINT64_MAX
                                    : number_in(std::string_view(text).substr(place + kField.size()), 0) * 1024;
}

uint64_t free_below(int limit, uint64_t used) {
  rlimit values{};
  if (getrlimit(static_cast<__rlimit_resource>(limit), &values) != 0 || values.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return values.rlim_cur - std::min<uint64_t>(values.rlim_cur, used);
}

/// Returns what the group and those around it leave.
uint64_t free_in(const std::string &root, std::string path, const char *limit, const char *used) {
  uint64_t least = UINT64_MAX;
  for (;;) {
    const std::string group = root + path + "/";
    const uint64_t most = number_in(read_first_line(group + limit), UINT64_MAX);
    if (most != UINT64_MAX)
      least = std::min(least, most - std::min(most, number_in(read_first_line(group + used), 0)));
    if (path.empty())
      return least;
    path.resize(path.rfind('/'));
  }
}

} // namespace

uint64_t free_in_control_groups(const std::string &groups, const std::string &folder) {
  uint64_t least = UINT64_MAX;
  for (size_t begin = 0; begin < groups.size();) {
    const size_t end = std::min(groups.find('\n', begin), groups.size());
    const std::string line = groups.substr(begin, end - begin);
    begin = end + 1;
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || second + 1 >= line.size() ||
        line[second + 1] != '/')
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.size() == second + 2 ? "" : line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, free_in(folder, path, "memory.max", "memory.current"));
    else if (controllers == "memory")
      least = std::min(least, free_in(folder + "/memory", path, "memory.limit_in_bytes", "memory.usage_in_bytes"));
  }
  return least;
}

uint64_t free_memory() {
  const uint64_t used = number_in(read_file("/proc/self/statm"), 0) * page_size();
  return std::min({free_on_machine(), free_below(RLIMIT_AS, used), free_below(RLIMIT_DATA, used),
                   free_in_control_groups(read_file("/proc/self/cgroup"), "/sys/fs/cgroup")});
}

} // namespace omptarget::host
