// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin_loader.h"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>

#include "base/address.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "plugin/host_functions.h"
#include "plugin/loaded_object.h"
#include "plugin/plugin_file.h"
#include "plugin/plugin_functions.h"

namespace omptarget {

bool can_queue_work(const PluginFunctions &functions) {
  switch (functions.generation) {
  case PluginGeneration::kTable:
  case PluginGeneration::kBinary: return false;
  case PluginGeneration::kRegion:
    return functions.synchronize && functions.data_submit_async && functions.data_retrieve_async &&
           functions.run_target_region_async && functions.run_target_team_region_async;
  case PluginGeneration::kLaunch:
  case PluginGeneration::kCurrent:
    return functions.synchronize && functions.data_submit_async && functions.data_retrieve_async;
  }
  return false;
}

bool has_all_events(const PluginFunctions &functions) {
  return can_queue_work(functions) && functions.create_event && functions.record_event && functions.wait_event &&
         functions.sync_event && functions.destroy_event;
}

bool has_all_timing(const PluginFunctions &functions) {
  return can_queue_work(functions) && functions.start_timing && functions.stop_timing && functions.read_timing;
}

std::string last_error_text(const PluginFunctions &functions) {
  char words[1024] = "";
  if (!functions.last_error || functions.last_error(words, sizeof words) == 0)
    return {};
  words[sizeof words - 1] = '\0';
  return words;
}

namespace {

std::string after_colon(const std::string &words) { return words.empty() ? words : ": " + words; }

const char *dl_error() {
  const char *text = dlerror();
  return text ? text : "unknown error";
}

/// Finds functions in one opened plugin, and only those that are its own.
class FunctionFinder {
public:
  FunctionFinder(const LoadedObject &plugin, const std::string &name) : plugin_(plugin), name_(name) {}

  template <typename Function> void fill(Function &slot, const char *function) const {
    std::string owner;
    slot = reinterpret_cast<Function>(plugin_.find(function, &owner));
    if (!owner.empty())
      OMPTARGET_TRACE(Topic::kPlugin, "plugin %s: %s belongs to %s, not to the plugin, and is not used", name_.c_str(),
                      function, owner.c_str());
  }

private:
  const LoadedObject &plugin_;
  const std::string &name_;
};

void fill_functions(const FunctionFinder &finder, PluginFunctions &functions) {
#define PLUGIN_REQUIRED(name, check) finder.fill(functions.name, "__tgt_rtl_" #name);
#define PLUGIN_OPTIONAL(name, check, without) finder.fill(functions.name, "__tgt_rtl_" #name);
#define PLUGIN_OLDER(name, check, ...) finder.fill(functions.name, "__tgt_rtl_" #name);
#include "plugin/plugin_functions.def"
}

PluginGeneration generation_of(const PluginFunctions &functions) {
  if (functions.abi)
    return PluginGeneration::kCurrent;
  if (functions.get_function && functions.get_global)
    return PluginGeneration::kBinary;
  if (!functions.launch_kernel)
    return PluginGeneration::kRegion;
  if (functions.data_notify_mapped || functions.set_device_offset || functions.initialize_record_replay)
    return PluginGeneration::kTable;
  return PluginGeneration::kLaunch;
}

const char *text_of(PluginGeneration generation) {
  switch (generation) {
  case PluginGeneration::kRegion: return "that of LLVM 14 and 15";
  case PluginGeneration::kLaunch: return "that of LLVM 16";
  case PluginGeneration::kTable: return "that of LLVM 17";
  case PluginGeneration::kBinary: return "that of LLVM 18";
  case PluginGeneration::kCurrent: return "omptarget's own";
  }
  return "?";
}

/// The file was checked already; this catches what only the loaded object shows, such as a file changed in between.
Status check_required(const PluginFunctions &functions) {
  const bool launches = functions.launch_kernel || (functions.run_target_region && functions.run_target_team_region);
  const struct {
    const char *name;
    bool is_there;
  } required[] = {
#define PLUGIN_REQUIRED(name, check) {#name, functions.name != nullptr},
#include "plugin/plugin_functions.def"
      {"launch_kernel", launches}};
  for (const auto &function : required)
    if (!function.is_there)
      return Status::error(format("lacks the required function __tgt_rtl_%s of its own", function.name));
  return Status::ok();
}

Status ask_abi(PluginFunctions &functions) {
  if (!functions.abi)
    return Status::ok();
  __tgt_rtl_abi_info info{sizeof info, 0, 0};
  if (const int32_t result = functions.abi(&info); result != 0)
    return Status::error(format("__tgt_rtl_abi returns %d instead of 0", result));
  if (info.version == 0 || info.version > OMPTARGET_PLUGIN_ABI_VERSION)
    return Status::error(format("__tgt_rtl_abi says that it was built for version %u of the plugin ABI; this library "
                                "knows version %u",
                                info.version, OMPTARGET_PLUGIN_ABI_VERSION));
  if (!functions.launch_kernel)
    return Status::error("lacks the required function __tgt_rtl_launch_kernel; a plugin with __tgt_rtl_abi needs it");
  functions.features = info.features;
  functions.launches_as_is = (info.features & OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT) != 0;
  return Status::ok();
}

/// While a plugin is initialised it is held open this many times, so that closing its own handle does not unload code
/// that is running.
constexpr int kHolds = 4;

Status hold(const std::string &path, void *handle) {
  for (int i = 1; i < kHolds; ++i)
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != handle)
      return Status::error("cannot be opened a second time");
  return Status::ok();
}

/// Gives the holds back and finds out whether the plugin took one too; then it is gone. From here on it is open for
/// ever: a plugin's driver may have left threads, exit handlers and pointers behind.
Status check_still_open(void *handle, const std::string &path) {
  bool is_open = true;
  for (int i = 1; i < kHolds && is_open; ++i)
    is_open = dlclose(handle) == 0;
  if (is_open && dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD | RTLD_NODELETE) == handle)
    return Status::ok();
  return Status::error("closed its own handle in __tgt_rtl_init_plugin or __tgt_rtl_number_of_devices");
}

bool starts_with_number(const char *text) {
  char *end = nullptr;
  errno = 0;
  const long number = std::strtol(text, &end, 10);
  return end != text && errno == 0 && number >= INT_MIN && number <= INT_MAX;
}

/// Plugins of LLVM that use std::stoi take numbers from these settings, and end the process over anything else.
Status check_settings(const std::string &path) {
  if (!plugin_file_needs(path, "_ZSt24__throw_invalid_argumentPKc"))
    return Status::ok();
  for (const SettingId id : {SettingId::kDebug, SettingId::kInfo})
    if (const char *text = setting_text(id); text && !starts_with_number(text)) {
      const char *variable = setting_row(id).variable;
      warn_about_setting(id, format("%s is not used: it would end the process, since plugins of LLVM take only numbers "
                                    "here, not '%s'",
                                    path.c_str(), shown_value(text).c_str()));
      return Status::error(format("would end the process: it takes only numbers from %s, not '%s'", variable,
                                  shown_value(text).c_str()));
    }
  return Status::ok();
}

Result<int32_t> initialise(const PluginFunctions &functions, void *handle, const std::string &path,
                           void (*note)(const char *function)) {
  OMPTARGET_TRY(hold(path, handle));
  if (functions.fork_phase)
    functions.fork_phase(OMPTARGET_FORK_ANNOUNCED);
  if (note)
    note("__tgt_rtl_init_plugin");
  if (functions.init_plugin)
    if (const int32_t result = functions.init_plugin(); result != 0)
      return Status::error(
          format("__tgt_rtl_init_plugin fails with %d%s", result, after_colon(last_error_text(functions)).c_str()));
  if (note)
    note("__tgt_rtl_number_of_devices");
  const int32_t devices = functions.number_of_devices();
  OMPTARGET_TRY(check_still_open(handle, path));
  if (devices < 0 || devices > kMaxDevices)
    return Status::error(format("__tgt_rtl_number_of_devices returns %d; expected 0 to %d", devices, kMaxDevices));
  if (devices == 0)
    return Status::error(kNoDevices + after_colon(last_error_text(functions)));
  if (functions.generation != PluginGeneration::kCurrent)
    OMPTARGET_TRY(check_settings(path));
  if (functions.set_host_call)
    functions.set_host_call(call_host_function);
  return devices;
}

} // namespace

Result<void *> open_plugin(const std::string &path) {
  OMPTARGET_TRY(check_plugin_file(path));
  void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::error(format("cannot be loaded: %s", dl_error()));
  return handle;
}

Result<std::unique_ptr<Plugin>> load_plugin(const std::string &name, const std::string &path) {
  OMPTARGET_TRY_ASSIGN(void *const handle, open_plugin(path));
  return start_plugin(name, path, handle);
}

Result<std::unique_ptr<Plugin>> start_plugin(const std::string &name, const std::string &path, void *handle,
                                             void (*note)(const char *function)) {
  const LoadedObject plugin = LoadedObject::of_handle(handle);
  if (!plugin)
    return Status::error(format("cannot be examined: %s", dl_error()));

  auto functions = std::make_unique<PluginFunctions>();
  const FunctionFinder finder(plugin, name);
  fill_functions(finder, *functions);
  functions->generation = generation_of(*functions);
  if (functions->generation == PluginGeneration::kBinary)
    finder.fill(functions->load_device_binary, "__tgt_rtl_load_binary");
  OMPTARGET_TRY(check_required(*functions));
  if (note)
    note("__tgt_rtl_abi");
  OMPTARGET_TRY(ask_abi(*functions));
  OMPTARGET_TRY_ASSIGN(const int32_t devices, initialise(*functions, handle, path, note));
  OMPTARGET_TRACE(Topic::kPlugin, "plugin %s: loaded %s; its interface is %s, features 0x%llx, %d devices",
                  name.c_str(), path.c_str(), text_of(functions->generation),
                  static_cast<unsigned long long>(functions->features), devices);
  return std::make_unique<Plugin>(name, path, std::move(functions), devices);
}

} // namespace omptarget
