// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_candidates.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <sys/stat.h>
#include <tuple>

#include "base/format.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/text_output.h"

namespace omptarget {

namespace {

constexpr std::string_view kPrefix = "libomptarget.rtl.";
constexpr std::string_view kSuffix = ".so";
constexpr std::string_view kNextGeneration = ".nextgen";

bool is_next_generation(const PluginCandidate &candidate) { return candidate.kind() != candidate.name; }

/// Folders of plugins are as good as their owners; one that everybody can write is a way into the process.
void warn_if_everybody_writes(DIR *directory, const std::string &folder) {
  struct stat facts{};
  if (::fstat(::dirfd(directory), &facts) == 0 && (facts.st_mode & S_IWOTH) != 0)
    write_error_line(format(
        "omptarget warning: the folder of plugins %s is writable for everyone, and its files run in this process",
        folder.c_str()));
}

/// Names of plugins in one folder, sorted so that nothing depends on the file system's order.
std::vector<std::string> names_in(const std::string &folder, std::vector<PluginRejection> &rejections) {
  std::vector<std::string> names;
  DIR *directory = opendir(folder.c_str());
  if (!directory) {
    rejections.push_back({folder, format("the folder cannot be read: %s", std::strerror(errno))});
    return names;
  }
  warn_if_everybody_writes(directory, folder);
  while (const dirent *entry = readdir(directory))
    if (const std::string_view name = plugin_name_of(entry->d_name); !name.empty())
      names.emplace_back(name);
  closedir(directory);
  std::sort(names.begin(), names.end());
  return names;
}

int default_rank(const std::string &kind) {
  if (kind == "cuda")
    return 0;
  if (kind == "amdgpu")
    return 1;
  return kind == kMachine.name ? 3 : 2;
}

void sort_by_default(std::vector<PluginCandidate> &candidates) {
  const auto key = [](const PluginCandidate &candidate) {
    return std::make_tuple(default_rank(candidate.kind()), candidate.kind(), candidate.folder,
                           !is_next_generation(candidate), candidate.name);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](const PluginCandidate &a, const PluginCandidate &b) { return key(a) < key(b); });
}

/// Returns whether the first folder that has something of that name or kind has a plugin of that name.
bool is_in_first_folder(const std::vector<PluginCandidate> &candidates, const std::string &name) {
  size_t first = SIZE_MAX;
  bool is_named = false;
  for (const PluginCandidate &candidate : candidates) {
    if ((candidate.name != name && candidate.kind() != name) || candidate.folder > first)
      continue;
    is_named = candidate.name == name || (is_named && candidate.folder == first);
    first = candidate.folder;
  }
  return is_named;
}

} // namespace

std::string PluginCandidate::kind() const {
  const std::string_view text = name;
  if (text.size() > kNextGeneration.size() && text.substr(text.size() - kNextGeneration.size()) == kNextGeneration)
    return std::string(text.substr(0, text.size() - kNextGeneration.size()));
  return name;
}

std::string_view plugin_name_of(std::string_view file_name) {
  if (file_name.size() <= kPrefix.size() + kSuffix.size() || file_name.substr(0, kPrefix.size()) != kPrefix ||
      file_name.substr(file_name.size() - kSuffix.size()) != kSuffix)
    return {};
  return file_name.substr(kPrefix.size(), file_name.size() - kPrefix.size() - kSuffix.size());
}

std::vector<std::string> split_list(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const size_t end = list.find(separator);
    std::string_view part = list.substr(0, end);
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ')
      part.remove_suffix(1);
    if (!part.empty())
      parts.emplace_back(part);
  }
  return parts;
}

std::vector<PluginCandidate> find_candidates(const std::vector<std::string> &folders,
                                             std::vector<PluginRejection> &rejections) {
  std::vector<PluginCandidate> candidates;
  for (size_t i = 0; i < folders.size(); ++i) {
    OMPTARGET_TRACE(Topic::kPlugin, "searching %s", folders[i].c_str());
    for (const std::string &name : names_in(folders[i], rejections))
      candidates.push_back({name, std::string(folders[i]).append("/").append(kPrefix).append(name).append(kSuffix), i});
  }
  return candidates;
}

std::vector<PluginCandidate> order_candidates(std::vector<PluginCandidate> candidates,
                                              const std::vector<std::string> &selection,
                                              std::vector<std::string> &missing) {
  sort_by_default(candidates);
  if (selection.empty())
    return candidates;
  std::vector<PluginCandidate> ordered;
  std::vector<bool> is_taken(candidates.size());
  for (const std::string &name : selection) {
    const bool is_exact = is_in_first_folder(candidates, name);
    bool is_found = false;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (is_exact ? candidates[i].name != name : candidates[i].kind() != name)
        continue;
      is_found = true;
      if (!is_taken[i])
        ordered.push_back(candidates[i]);
      is_taken[i] = true;
    }
    if (!is_found)
      missing.push_back(name);
  }
  return ordered;
}

} // namespace omptarget
