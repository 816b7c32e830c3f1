// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/info/library_search.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"
#include "base/machine.h"
#include "tools/info/dynamic_file.h"

namespace omptarget::info_tool {

namespace {

constexpr size_t kMaxObjects = 4096;
constexpr size_t kMaxFolders = 4096;
constexpr std::string_view kName = "libomptarget.so", kGccName = "libgomp.so.1";

bool is_folder(const std::string &path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

/// The parts of a list as the loader reads it: an empty one is the current folder.
std::vector<std::string> folders_of(std::string_view list, std::string_view separators) {
  std::vector<std::string> folders;
  while (folders.size() < kMaxFolders) {
    const size_t length = std::min(list.find_first_of(separators), list.size());
    std::string folder(list.substr(0, length));
    while (folder.size() > 1 && folder.back() == '/')
      folder.pop_back();
    folders.push_back(folder.empty() ? "." : folder);
    if (length == list.size())
      break;
    list.remove_prefix(length + 1);
  }
  return folders;
}

std::string folder_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// The folder of a library, for $ORIGIN: absolute, its links as they are.
std::string absolute_folder_of(const std::string &path) {
  char current[PATH_MAX];
  if (path.front() == '/' || !::getcwd(current, sizeof current))
    return folder_of(path);
  return format("%s/%s", current, folder_of(path).c_str());
}

bool is_libomptarget(const std::string &needed) {
  return std::string_view(needed).substr(needed.rfind('/') + 1).starts_with(kName);
}

bool is_libgomp(const std::string &needed) {
  return std::string_view(needed).substr(needed.rfind('/') + 1) == kGccName;
}

/// The loader's work at the start of one program.
class Loader {
public:
  explicit Loader(const LoaderSetting &setting) : setting_(setting) {}

  LibraryChoices run(const std::string &path) {
    Object program;
    std::string defect;
    if (read_dynamic_file(path, program.file, defect) != DynamicState::kUsable)
      return {};
    LibraryChoices result{program.file.is_program, {}, {}};
    // The loader asks the kernel where the program is, which resolves links; a library's folder keeps its links.
    char real[PATH_MAX];
    program.origin = folder_of(::realpath(path.c_str(), real) ? real : path);
    is_privileged_ = program.file.is_privileged;
    objects_.push_back(std::move(program));
    if (!is_privileged_)
      for (const std::string &name : setting_.preloaded)
        need(name, 0);
    for (size_t i = 0; i < objects_.size(); ++i) {
      const std::vector<std::string> needed = objects_[i].file.needed;
      for (const std::string &name : needed)
        need(name, i);
    }
    result.choices = std::move(choices_);
    result.missing = std::move(missing_);
    return result;
  }

private:
  struct Object {
    DynamicFile file;
    std::string origin;
    std::vector<std::string> names; ///< by which it was asked for
    size_t loader = 0;              ///< which object asked first; the program itself has its own number
  };

  std::string substituted(const std::string &text, const Object &object) const {
    std::string result = text;
    const std::pair<const char *, const std::string *> values[] = {
        {"ORIGIN", &object.origin}, {"LIB", &setting_.lib_folder}, {"PLATFORM", &setting_.platform}};
    for (size_t at = result.find('$'); at != std::string::npos; at = result.find('$', at + 1))
      for (const auto &[name, value] : values) {
        const std::string braced = format("${%s}", name), plain = format("$%s", name);
        const bool is_braced = result.compare(at, braced.size(), braced) == 0;
        if (!is_braced && result.compare(at, plain.size(), plain) != 0)
          continue;
        const size_t length = is_braced ? braced.size() : plain.size();
        const char next = at + length < result.size() ? result[at + length] : '/';
        if (!is_braced && (std::isalnum(static_cast<unsigned char>(next)) || next == '_'))
          continue;
        result.replace(at, length, *value);
        at += value->size() - 1;
        break;
      }
    return result;
  }

  /// Returns whether the folder, or its part for this CPU, has a file of that name for this machine.
  bool find_in(const std::string &folder, const std::string &name, LibraryChoice &choice) {
    for (const std::string &part : cpu_folders_) {
      const std::string of_cpu = format("%s/%s", folder.c_str(), part.c_str());
      if (is_folder(of_cpu) && take(format("%s/%s", of_cpu.c_str(), name.c_str()), choice))
        return choice.folder = folder, true;
    }
    if (!take(folder + "/" + name, choice))
      return false;
    choice.folder = folder;
    return true;
  }

  /// Returns whether the loader takes the file, or stops at it.
  bool take(const std::string &path, LibraryChoice &choice) {
    found_ = {};
    std::string defect;
    const DynamicState state = read_dynamic_file(path, found_.file, defect);
    if (state == DynamicState::kAbsent || state == DynamicState::kOtherMachine)
      return false;
    choice.file = path;
    choice.defect = defect;
    choice.is_omptarget = found_.file.is_omptarget;
    found_.origin = absolute_folder_of(path);
    return true;
  }

  bool find_in_list(const std::string &list, size_t holder, const std::string &name, LibraryChoice &choice) {
    for (const std::string &folder : folders_of(list, ":"))
      if (find_in(substituted(folder, objects_[holder]), name, choice)) {
        choice.holder = objects_[holder].file.path;
        choice.holder_list = list;
        choice.is_program_holder = holder == 0;
        return true;
      }
    return false;
  }

  /// DT_RPATH of the object that asks, of the one that loaded that, and so on, and of the program.
  bool find_by_rpath(size_t asking, const std::string &name, LibraryChoice &choice) {
    if (objects_[asking].file.runpath)
      return false;
    for (size_t i = asking;; i = objects_[i].loader) {
      const DynamicFile &file = objects_[i].file;
      if (file.rpath && !file.rpath->empty() && !file.runpath && find_in_list(*file.rpath, i, name, choice))
        return true;
      if (objects_[i].loader == i)
        return false;
    }
  }

  FoundBy search(size_t asking, const std::string &name, LibraryChoice &choice) {
    if (find_by_rpath(asking, name, choice))
      return FoundBy::kRpath;
    if (!is_privileged_ && !setting_.library_path.empty())
      for (const std::string &folder : folders_of(setting_.library_path, ":;"))
        if (find_in(substituted(folder, objects_[0]), name, choice))
          return FoundBy::kLibraryPath;
    const DynamicFile &file = objects_[asking].file;
    if (file.runpath && !file.runpath->empty() && find_in_list(*file.runpath, asking, name, choice))
      return FoundBy::kRunpath;
    const auto is_default = [&](const std::string &path) {
      return std::find(setting_.default_folders.begin(), setting_.default_folders.end(), folder_of(path)) !=
             setting_.default_folders.end();
    };
    if (const std::string cached = setting_.cache.find(name);
        !cached.empty() && !(file.has_no_defaults && is_default(cached)) && take(cached, choice))
      return FoundBy::kCache;
    if (!file.has_no_defaults)
      for (const std::string &folder : setting_.default_folders)
        if (find_in(folder, name, choice))
          return FoundBy::kDefaultFolder;
    return FoundBy::kNothing;
  }

  /// The object that goes by this name already.
  const Object *loaded(const std::string &name) const {
    for (const Object &object : objects_)
      if (object.file.soname == name || std::find(object.names.begin(), object.names.end(), name) != object.names.end())
        return &object;
    return nullptr;
  }

  void need(const std::string &needed, size_t asking) {
    const std::string name = substituted(needed, objects_[asking]);
    LibraryChoice choice;
    choice.name = name;
    choice.asked_by = objects_[asking].file.path;
    choice.ignores_library_path = is_privileged_;
    if (const Object *object = loaded(name)) {
      choice.file = object->file.path;
      choice.is_omptarget = object->file.is_omptarget;
      choice.found_by = FoundBy::kLoaded;
    } else {
      if (name.find('/') != std::string::npos)
        choice.found_by = take(name, choice) ? FoundBy::kPath : FoundBy::kNothing;
      else
        choice.found_by = search(asking, name, choice);
      if (choice.found_by != FoundBy::kNothing && choice.defect.empty())
        add_found(name, asking);
    }
    if (is_libomptarget(name) || is_libgomp(name)) {
      choice.is_libgomp = is_libgomp(name);
      if (!is_known(choice))
        choices_.push_back(std::move(choice));
    } else if (choice.found_by == FoundBy::kNothing &&
               std::none_of(missing_.begin(), missing_.end(), [&](const auto &other) { return other.name == name; })) {
      missing_.push_back({name, choice.asked_by});
    }
  }

  /// The file that was found is loaded, or was before under another name.
  void add_found(const std::string &name, size_t asking) {
    for (Object &object : objects_)
      if (object.file.inode == found_.file.inode && object.file.filesystem == found_.file.filesystem) {
        object.names.push_back(name);
        return;
      }
    if (objects_.size() >= kMaxObjects)
      return;
    found_.loader = asking;
    found_.names.push_back(name);
    objects_.push_back(std::move(found_));
  }

  bool is_known(const LibraryChoice &choice) const {
    return std::any_of(choices_.begin(), choices_.end(), [&](const LibraryChoice &other) {
      return other.name == choice.name && other.file == choice.file;
    });
  }

  const LoaderSetting &setting_;
  const std::vector<std::string> cpu_folders_ = folders_of_this_cpu();
  bool is_privileged_ = false;
  std::vector<Object> objects_; ///< the program first
  std::vector<LibraryChoice> choices_;
  std::vector<MissingLibrary> missing_;
  Object found_; ///< the file that take() has read
};

} // namespace

LoaderSetting LoaderSetting::of_this_process() {
  LoaderSetting setting;
  const auto variable = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  setting.library_path = variable("LD_LIBRARY_PATH");
  std::string preloaded = variable("LD_PRELOAD");
  std::ifstream file("/etc/ld.so.preload");
  for (std::string line; preloaded.size() < kMaxFolders && std::getline(file, line);)
    preloaded.append(" ").append(line, 0, line.find('#'));
  for (std::string &name : folders_of(preloaded, ": \t\n"))
    if (name != ".")
      setting.preloaded.push_back(std::move(name));
  const std::string multiarch = std::string("lib/") + kMachine.triple;
  setting.lib_folder = is_folder("/" + multiarch) ? multiarch : "lib64";
  setting.default_folders = {"/" + setting.lib_folder, "/usr/" + setting.lib_folder};
  if (setting.lib_folder == multiarch)
    setting.default_folders.insert(setting.default_folders.end(), {"/lib", "/usr/lib"});
  if (const auto *platform = reinterpret_cast<const char *>(getauxval(AT_PLATFORM)))
    setting.platform = platform;
  setting.cache = LoaderCache::read("/etc/ld.so.cache");
  return setting;
}

LibraryChoices choose_libraries(const std::string &path, const LoaderSetting &setting) {
  return Loader(setting).run(path);
}

} // namespace omptarget::info_tool
