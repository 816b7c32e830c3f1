// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of omptarget-info, as text and as JSON.
#pragma once

#include <span>
#include <string>

#include "tools/info/library_search.h"
#include "tools/info/machine.h"
#include "tools/info/module_file.h"

namespace omptarget::info_tool {

/// A file that was asked for: read, or why not.
struct FileReport {
  std::string path;
  ModuleFile module;
  LibraryChoices libraries;
  std::string failure; ///< empty if it was read
};

/// files empty: the machine itself is described.
std::string report_as_text(const Machine &machine, std::span<const FileReport> files);
std::string report_as_json(const Machine &machine, std::span<const FileReport> files);

/// "kernel saxpy(int), line 8" for an entry's name; demangled, without the numbers of the file.
std::string readable_entry(const FileEntry &entry);

} // namespace omptarget::info_tool
