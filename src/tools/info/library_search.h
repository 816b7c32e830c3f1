// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file the dynamic loader takes for each name of libomptarget that a program or its libraries need, and why.
// Follows glibc's ld.so: names already loaded, DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache, default folders.
// Runs nothing and loads nothing. It does not see libraries that a program opens itself (dlopen), or
// that an auditing library chooses (LD_AUDIT).
#pragma once

#include <string>
#include <vector>

#include "tools/info/loader_cache.h"

namespace omptarget::info_tool {

/// The loader's settings beside the files.
struct LoaderSetting {
  std::string library_path; ///< LD_LIBRARY_PATH
  std::vector<std::string> preloaded;
  std::vector<std::string> default_folders;
  LoaderCache cache;
  std::string lib_folder; ///< what $LIB stands for
  std::string platform;   ///< what $PLATFORM stands for

  /// That of a program that is started now with this process's environment.
  static LoaderSetting of_this_process();
};

/// Why the loader takes a file.
enum class FoundBy {
  kNothing, ///< it finds none
  kPath,    ///< what asks for it gives its path
  kLoaded,  ///< it is there already
  kRpath,
  kLibraryPath,
  kRunpath,
  kCache,
  kDefaultFolder,
};

struct LibraryChoice {
  std::string name;     ///< "libomptarget.so.19.1"
  std::string asked_by; ///< the file that needs it
  FoundBy found_by = FoundBy::kNothing;
  std::string file;               ///< empty if none
  std::string folder;             ///< the one that was named, after substitution
  std::string holder;             ///< the file that names the folder in DT_RPATH or DT_RUNPATH
  std::string holder_list;        ///< all that it names there
  bool is_program_holder = false; ///< holder is the program
  std::string defect;             ///< why the loader stops at the file, or empty
  bool is_omptarget = false;
  bool is_libgomp = false;           ///< the name is that of GCC's runtime
  bool ignores_library_path = false; ///< the program is privileged
};

/// A library beside libomptarget that is nowhere.
struct MissingLibrary {
  std::string name;
  std::string asked_by;
};

struct LibraryChoices {
  bool is_program = false; ///< false: it is a library, looked at as if a program without folders of its own loaded it
  std::vector<LibraryChoice> choices;
  std::vector<MissingLibrary> missing;
};

/// The choices for every name of libomptarget and for libgomp, in the loader's order; one per name and file. Empty if
/// nothing asks for one. A file that cannot be read as a program or library gives none.
LibraryChoices choose_libraries(const std::string &path, const LoaderSetting &setting);

/// "LD_LIBRARY_PATH names /opt/lib"
std::string reason_text(const LibraryChoice &choice);
/// Returns ways to get omptarget instead, one each; empty if it is chosen. own_folder: where omptarget lies.
std::vector<std::string> advice_for(const LibraryChoice &choice, const std::string &program,
                                    const std::string &own_folder);

/// The folder of omptarget's library for that choice, below that of libomptarget.so.
std::string folder_for(const LibraryChoice &choice, const std::string &own_folder);

/// Where the libomptarget.so of this tool's installation lies.
std::string own_library_folder();

/// The choices, as lines of a report about the file.
std::string choices_text(const std::string &path, const LibraryChoices &choices);

} // namespace omptarget::info_tool
