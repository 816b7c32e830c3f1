// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts on the loader's choices.

#include <unistd.h>

#include "base/format.h"
#include "base/machine.h"
#include "plugin/own_folder.h"
#include "tools/info/library_search.h"

namespace omptarget::info_tool {

std::string reason_text(const LibraryChoice &choice) {
  switch (choice.found_by) {
  case FoundBy::kNothing: return "no folder that the loader looks in has it";
  case FoundBy::kPath: return choice.asked_by + " names this path";
  case FoundBy::kLoaded: return "it is loaded already when " + choice.asked_by + " asks for it";
  case FoundBy::kRpath:
    return format("DT_RPATH of %s names %s; the loader looks there before LD_LIBRARY_PATH", choice.holder.c_str(),
                  choice.folder.c_str());
  case FoundBy::kLibraryPath: return "LD_LIBRARY_PATH names " + choice.folder;
  case FoundBy::kRunpath:
    return format("DT_RUNPATH of %s names %s; the loader looks there after LD_LIBRARY_PATH", choice.holder.c_str(),
                  choice.folder.c_str());
  case FoundBy::kCache: return "the loader's cache /etc/ld.so.cache has it";
  case FoundBy::kDefaultFolder: return choice.folder + " is a default folder of the loader";
  }
  return {};
}

std::vector<std::string> advice_for(const LibraryChoice &choice, const std::string &program,
                                    const std::string &own_folder) {
  if (choice.is_omptarget && choice.defect.empty())
    return {};
  const char *const own = own_folder.c_str();
  const char *const holder = choice.holder.c_str(), *const list = choice.holder_list.c_str();
  switch (choice.found_by) {
  case FoundBy::kRpath:
    return {"LD_LIBRARY_PATH has no effect on DT_RPATH; link with -Wl,--enable-new-dtags, which makes it DT_RUNPATH",
            format("or change it: patchelf --force-rpath --set-rpath '%s:%s' %s", own, list, holder),
            format("or, for one run: %s --inhibit-rpath '%s' --library-path '%s:%s' %s", kMachine.dynamic_linker,
                   choice.is_program_holder ? "" : holder, own, list, program.c_str())};
  case FoundBy::kPath:
    return {format("patchelf --replace-needed %s %s/%s %s", choice.name.c_str(), own,
                   choice.is_libgomp ? "libgomp.so.1" : "libomptarget.so", choice.asked_by.c_str())};
  case FoundBy::kLoaded:
    return {"find out what loads " + choice.file +
            " before: LD_PRELOAD, or a library that needs it under another name"};
  case FoundBy::kLibraryPath: return {format("put %s first in LD_LIBRARY_PATH", own)};
  case FoundBy::kNothing:
  case FoundBy::kRunpath:
  case FoundBy::kCache:
  case FoundBy::kDefaultFolder: break;
  }
  if (choice.ignores_library_path)
    return {format("LD_LIBRARY_PATH has no effect on a set-user-ID or set-group-ID program; link it with -Wl,-rpath,%s",
                   own)};
  return {format("set LD_LIBRARY_PATH=%s", own)};
}

std::string folder_for(const LibraryChoice &choice, const std::string &own_folder) {
  return choice.is_libgomp ? own_folder + "/gomp" : own_folder;
}

std::string own_library_folder() {
  std::string folder = own_folder(); // of programs; the one around it has lib
  folder.erase(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
  for (const std::string &candidate : {folder + "/lib", folder}) // installed, and as built
    if (::access((candidate + "/libomptarget.so").c_str(), F_OK) == 0)
      return candidate;
  return folder + "/lib";
}

std::string choices_text(const std::string &path, const LibraryChoices &found) {
  std::string text;
  const std::string own_folder = own_library_folder();
  for (const LibraryChoice &choice : found.choices) {
    text += format("  %s asks for %s%s\n", choice.asked_by == path ? "it" : choice.asked_by.c_str(),
                   choice.name.c_str(), found.is_program ? "" : ", loaded by a program that names no folders");
    if (choice.file.empty())
      text += "    gets none\n";
    else if (!choice.defect.empty())
      text += format("    the loader stops at %s: %s\n", choice.file.c_str(), choice.defect.c_str());
    else
      text += format("    gets %s, which is %somptarget\n", choice.file.c_str(), choice.is_omptarget ? "" : "not ");
    text += "    why: " + reason_text(choice) + "\n";
    const std::vector<std::string> advice = advice_for(choice, path, folder_for(choice, own_folder));
    for (size_t i = 0; i < advice.size(); ++i)
      text += (i == 0 ? "    to get omptarget: " : "      ") + advice[i] + "\n";
  }
  for (const MissingLibrary &missing : found.missing) {
    text += format("  %s asks for %s\n    gets none: no folder that the loader looks in has it, and so %s\n",
                   missing.asked_by == path ? "it" : missing.asked_by.c_str(), missing.name.c_str(),
                   found.is_program ? "the program does not start" : "the library cannot be loaded");
    if (missing.name.starts_with("libomp.so"))
      text += "    to get it: install LLVM's OpenMP runtime (libomp5-N), or add its folder to LD_LIBRARY_PATH\n";
  }
  return text;
}

} // namespace omptarget::info_tool
