// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a file that the dynamic loader reads before it maps it: needed libraries and named folders. Reads a
// few parts of the file, each of bounded size, so that large libraries cost little and damaged ones nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace omptarget::info_tool {

struct DynamicFile {
  std::string path;
  uint64_t filesystem = 0; ///< with inode: which file it is, whatever its name
  uint64_t inode = 0;
  std::string soname;
  std::vector<std::string> needed;
  std::optional<std::string> rpath;
  std::optional<std::string> runpath;
  bool is_program = false;      ///< names a dynamic loader
  bool has_no_defaults = false; ///< DF_1_NODEFLIB: neither default folders nor what the cache has of them
  bool is_privileged = false;   ///< set-user-ID or set-group-ID
  bool is_omptarget = false;    ///< has the name of a function that only omptarget exports
};

enum class DynamicState {
  kUsable,
  kAbsent,       ///< no such file, or it may not be read: the loader looks on
  kOtherMachine, ///< for another machine or class: the loader looks on
  kDamaged,      ///< the loader would stop here
};

/// Reads the file at path. defect says why it is damaged.
DynamicState read_dynamic_file(const std::string &path, DynamicFile &file, std::string &defect);

} // namespace omptarget::info_tool
