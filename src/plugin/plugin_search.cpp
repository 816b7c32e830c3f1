// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_search.h"

#include <cstdlib>

#include "base/log.h"
#include "base/settings.h"
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
      reject(set, name, "the folder is relative, and where the program began cannot be told");
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
    reject(set, folder.path, std::move(folder.reason));
  const char *selection = setting_text(SettingId::kPlugins);
  std::vector<std::string> missing;
  std::vector<PluginCandidate> ordered =
      order_candidates(std::move(found), split_list(selection ? selection : "", ','), missing);
  for (const std::string &name : missing) {
    reject(set, "libomptarget.rtl." + name + ".so", "LIBOMPTARGET_PLUGINS names it, and no folder has it");
    warn_about_setting(SettingId::kPlugins, format("there is no plugin '%s'", name.c_str()));
  }
  return ordered;
}

} // namespace

PluginSet load_plugins() {
  PluginSet set;
  std::vector<std::string> kinds;
  for (const PluginCandidate &candidate : select_candidates(set)) {
    bool is_served = false;
    for (const std::string &kind : kinds)
      is_served |= kind == candidate.kind();
    if (is_served) {
      reject(set, candidate.path, format("%s.nextgen is used instead", candidate.name.c_str()));
      continue;
    }
    Result<std::unique_ptr<Plugin>> plugin = load_plugin(candidate.name, candidate.path);
    if (!plugin.is_ok()) {
      reject(set, candidate.path, plugin.status().to_string());
      continue;
    }
    kinds.push_back(candidate.kind());
    set.plugins.push_back(std::move(plugin.value()));
  }
  return set;
}

} // namespace omptarget
