// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_search.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "plugin/own_folder.h"
#include "plugin/plugin_candidates.h"
#include "plugin/plugin_loader.h"

namespace omptarget {

namespace {

void reject(PluginSet &set, const std::string &path, std::string reason) {
  OMPTARGET_TRACE(Topic::kPlugin, "%s is not used: %s", path.c_str(), reason.c_str());
  set.rejections.push_back({path, std::move(reason)});
}

/// LIBOMPTARGET_PLUGIN_PATH, its relative folders as they were meant when the program began.
std::vector<std::string> named_folders(const char *list, PluginSet &set) {
  std::vector<std::string> folders;
  for (const std::string &name : split_list(list, ':')) {
    if (std::string folder = path_at_load(name); !folder.empty())
      folders.push_back(std::move(folder));
    else
      reject(set, shown_value(name), "the folder is relative, and the directory in which the program began is unknown");
  }
  return folders;
}

std::vector<std::string> search_folders(PluginSet &set) {
  std::vector<std::string> folders;
  if (const char *path = setting_text(SettingId::kPluginPath))
    folders = named_folders(path, set);
  else if (const char *variable = setting_row(SettingId::kPluginPath).variable; std::getenv(variable))
    OMPTARGET_TRACE(Topic::kPlugin, "%s is empty, or ignored since the process is privileged", variable);
  if (!own_folder().empty())
    folders.push_back(own_folder());
  else
    OMPTARGET_TRACE(Topic::kPlugin, "the library's own folder could not be told when it was loaded");
  return folders;
}

std::vector<PluginCandidate> select_candidates(PluginSet &set) {
  std::vector<PluginRejection> unreadable;
  std::vector<PluginCandidate> found = find_candidates(search_folders(set), unreadable);
  for (PluginRejection &folder : unreadable)
    reject(set, shown_value(folder.path), std::move(folder.reason));
  const char *selection = setting_text(SettingId::kPlugins);
  std::vector<std::string> missing;
  std::vector<PluginCandidate> ordered =
      order_candidates(std::move(found), split_list(selection ? selection : "", ','), missing);
  for (const std::string &name : missing) {
    reject(set, "libomptarget.rtl." + shown_value(name) + ".so", "LIBOMPTARGET_PLUGINS names it, and no folder has it");
    warn_about_setting(SettingId::kPlugins, format("there is no plugin '%s'", shown_value(name).c_str()));
  }
  return ordered;
}

/// Loads candidates, which come in the order of their places.
class Loading {
public:
  explicit Loading(PluginSet &set) : set_(set) {}

  void add(const PluginSet::Waiting &candidate) {
    const auto opened = opened_.find(candidate.kind);
    if (opened != opened_.end() && opened->second != candidate.folder) {
      OMPTARGET_TRACE(Topic::kPlugin, "%s is hidden by a plugin of that name in an earlier folder",
                      candidate.path.c_str());
      return;
    }
    if (std::any_of(set_.plugins.begin(), set_.plugins.end(),
                    [&](const auto &plugin) { return PluginCandidate{plugin->name(), {}}.kind() == candidate.kind; }))
      return reject(set_, candidate.path, format("%s.nextgen is used instead", candidate.name.c_str()));
    if (const auto bad = bad_.find(candidate.path); bad != bad_.end())
      return note_defect(candidate, bad->second);
    Result<void *> handle = open_plugin(candidate.path);
    if (!handle)
      return note_defect(candidate, handle.status().to_string());
    opened_.emplace(candidate.kind, candidate.folder);
    warn_of_defect(candidate);
    Result<std::unique_ptr<Plugin>> plugin = start_plugin(candidate.name, candidate.path, *handle);
    if (!plugin)
      return reject(set_, candidate.path, plugin.status().to_string());
    set_.plugins.push_back(std::move(plugin.value()));
    set_.places.push_back(candidate.place);
  }

  /// The file is not opened.
  void leave_out(const std::string &path, std::string reason) { bad_.emplace(path, std::move(reason)); }

private:
  void note_defect(const PluginSet::Waiting &candidate, const std::string &reason) {
    defects_.emplace(candidate.kind, std::pair(candidate.folder, candidate.path + ": " + reason));
    reject(set_, candidate.path, reason);
  }
  /// One file in the place of another that was meant: nobody would expect it.
  void warn_of_defect(const PluginSet::Waiting &candidate) const {
    const auto defect = defects_.find(candidate.kind);
    if (defect != defects_.end() && defect->second.first != candidate.folder)
      write_error_line(
          format("omptarget warning: %s; %s is used instead", defect->second.second.c_str(), candidate.path.c_str()));
  }

  PluginSet &set_;
  std::map<std::string, std::string> bad_; ///< by path: why not
  std::map<std::string, size_t> opened_;   ///< by kind: the folder of what could be opened
  std::map<std::string, std::pair<size_t, std::string>>
      defects_; ///< by kind: the folder and what is wrong with the first
};

} // namespace

bool PluginSet::lacks(const PluginNeed &need) const {
  return std::any_of(waiting.begin(), waiting.end(),
                     [&](const Waiting &candidate) { return need.covers(candidate.kind); });
}

PluginSet load_plugins(const PluginNeed &need, std::string (*trial)(const std::string &path)) {
  PluginSet set;
  const bool are_named = setting_is_set(SettingId::kPlugins);
  size_t place = 0;
  Loading loading(set);
  const std::vector<PluginCandidate> candidates = select_candidates(set);
  for (const PluginCandidate &candidate : candidates)
    if (std::string reason = trial ? trial(candidate.path) : ""; !reason.empty())
      loading.leave_out(candidate.path, std::move(reason));
  for (const PluginCandidate &candidate : candidates) {
    PluginSet::Waiting next{candidate.name, candidate.path, candidate.kind(), place++, candidate.folder};
    if (are_named || need.covers(next.kind)) {
      loading.add(next);
      continue;
    }
    OMPTARGET_TRACE(Topic::kPlugin, "plugin %s is not loaded: no image is for it", next.name.c_str());
    set.waiting.push_back(std::move(next));
  }
  return set;
}

PluginSet load_waiting(const std::vector<PluginSet::Waiting> &waiting, const PluginNeed &need) {
  PluginSet set;
  Loading loading(set);
  for (const PluginSet::Waiting &candidate : waiting)
    if (need.covers(candidate.kind))
      loading.add(candidate);
    else
      set.waiting.push_back(candidate);
  return set;
}

void PluginSet::add(PluginSet newer) {
  for (size_t i = 0; i < newer.plugins.size(); ++i) {
    const auto next = std::lower_bound(places.begin(), places.end(), newer.places[i]);
    if (next != places.end() && *next == newer.places[i])
      continue; // another thread has loaded it, too
    plugins.insert(plugins.begin() + (next - places.begin()), std::move(newer.plugins[i]));
    places.insert(next, newer.places[i]);
  }
  for (PluginRejection &rejection : newer.rejections)
    rejections.push_back(std::move(rejection));
  waiting = std::move(newer.waiting);
}

} // namespace omptarget
