// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dynamic loader's cache, which ldconfig writes: the file of each library that lies in a folder of /etc/ld.so.conf.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace omptarget::info_tool {

/// The folders below a library folder that the loader tries first on this CPU, the most special one first.
std::vector<std::string> folders_of_this_cpu();

class LoaderCache {
public:
  /// Reads the cache. Empty if there is none, or it is damaged: the loader does without as well.
  static LoaderCache read(const std::string &path);

  /// The file that the cache has for the name on this CPU, or an empty text.
  std::string find(const std::string &name) const;

private:
  std::map<std::string, std::vector<std::string>> files_; ///< in the order of the cache
};

} // namespace omptarget::info_tool
