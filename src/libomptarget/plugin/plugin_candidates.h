// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files are to be tried as plugins, and in which order. Reads folders, opens no file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plugin/plugin_search.h"

namespace omptarget {

/// A file that has the name of a plugin. LLVM 16 delivers some plugins twice, as <name>.nextgen and <name>; both are of
/// one kind, and the second is used only if the first cannot be.
struct PluginCandidate {
  std::string name; ///< "cuda" of libomptarget.rtl.cuda.so, "cuda.nextgen" of libomptarget.rtl.cuda.nextgen.so
  std::string path;
  size_t folder = 0;        ///< its place among the folders that are searched
  std::string kind() const; ///< the name without ".nextgen"
};

/// The name in a file name "libomptarget.rtl.<name>.so", or empty.
std::string_view plugin_name_of(std::string_view file_name);

/// The parts of a list, without empty ones and surrounding blanks.
std::vector<std::string> split_list(std::string_view list, char separator);

/// The plugins in the folders. Folders that cannot be read are added to rejections. In no particular order.
std::vector<PluginCandidate> find_candidates(const std::vector<std::string> &folders,
                                             std::vector<PluginRejection> &rejections);

/// Orders and restricts; of one kind, earlier folders come first. selection: names, or kinds where nothing has that
/// name, in order; empty for the default order: cuda, amdgpu, all others by name, x86_64. Names of the selection that
/// no candidate has are put into missing.
std::vector<PluginCandidate> order_candidates(std::vector<PluginCandidate> candidates,
                                              const std::vector<std::string> &selection,
                                              std::vector<std::string> &missing);

} // namespace omptarget
