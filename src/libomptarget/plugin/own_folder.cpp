// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/own_folder.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace omptarget {

namespace {

// Written once, by remember_folders(), while the dynamic loader has its lock. Lines of the C library's longest path.
constinit char own_file[PATH_MAX] = {};
constinit char working_folder[PATH_MAX] = {};

/// The name of the object that holds this code as the dynamic loader has it; the program's own one is what the kernel
/// says, since argv[0] is anybody's choice.
const char *name_of_object() {
  Dl_info facts{};
  link_map *map = nullptr;
  if (dladdr1(reinterpret_cast<const void *>(&own_folder), &facts, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) ==
          0 ||
      !map || !map->l_name)
    return nullptr;
  if (*map->l_name)
    return map->l_name;
  // Without /proc, what the kernel was asked to start; in a privileged process that is anybody's choice, too.
  const auto *const started = reinterpret_cast<const char *>(::getauxval(AT_EXECFN));
  return ::access("/proc/self/exe", F_OK) == 0 || !started || ::getauxval(AT_SECURE) != 0 ? "/proc/self/exe" : started;
}

/// The only work at load time: afterwards a relative name leads elsewhere once the program changes its folder.
[[gnu::constructor]] void remember_folders() {
  const char *const name = name_of_object();
  // A name without a slash is no path: it was not opened as one.
  if (!name || !std::strchr(name, '/') || !::realpath(name, own_file))
    own_file[0] = '\0';
  if (!::getcwd(working_folder, sizeof working_folder) || working_folder[0] != '/')
    working_folder[0] = '\0';
}

} // namespace

const std::string &own_folder() {
  static const auto *const folder = [] {
    std::string path = own_file;
    if (const size_t slash = path.rfind('/'); slash != std::string::npos)
      path.erase(slash == 0 ? 1 : slash);
    return new std::string(path);
  }();
  return *folder;
}

std::string path_at_load(const std::string &path) {
  if (path.starts_with('/'))
    return path;
  return working_folder[0] == '/' ? std::string(working_folder) + "/" + path : std::string();
}

} // namespace omptarget
