// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "device/runtime.h"

#include <algorithm>
#include <cstdlib>
#include <pthread.h>
#include <utility>

#include "base/log.h"
#include "base/page_access.h"
#include "base/settings.h"
#include "base/uncancelled.h"
#include "device/interop.h"
#include "device/libomp.h"
#include "device/mapping_contents.h"
#include "device/process_exit.h"
#include "device/shared_blocks.h"
#include "image/gcc_variables.h"
#include "image/image_facts.h"
#include "image/plugin_need.h"
#include "indirect/caller_registry.h"
#include "jit/compiled_head.h"
#include "observe/checks.h"
#include "observe/device_events.h"
#include "observe/info.h"
#include "ompt/ompt.h"

namespace omptarget {

constinit std::atomic<Runtime *> Runtime::the_one_{nullptr};

Runtime &Runtime::make() {
  static Runtime *const runtime = [] {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    return new Runtime;
  }();
  the_one_.store(runtime, std::memory_order_release);
  return *runtime;
}

Status Runtime::register_library(const __tgt_bin_desc *descriptor) {
  forget_vanished(descriptor);
  writable_pages.forget_all(); // its constants may lie where other memory was
  readable_pages.forget_all();
  return modules_.add(descriptor);
}

void Runtime::unregister_library(const __tgt_bin_desc *descriptor) {
  const std::shared_ptr<OffloadLibrary> library = modules_.find(descriptor);
  if (!library)
    return;
  // A module that ends with the process stays in the registry: a device may still need its image, even for the first
  // time.
  const bool is_end = ends_with_process(*library);
  OMPTARGET_TRACE(Topic::kRegistration, "unregistering %s%s", library->path.c_str(),
                  is_end ? ", since the program ends" : "");
  observe::forget_names(library->range.begin, library->range.end);
  if (!is_end)
    return remove(library);
  note_end_by_module(*library);
  for (int32_t i = 0; Device *const device = known_device(i); ++i)
    device->end_module_use(*library);
}

int Runtime::read_policy() {
  int policy = offload_.load(std::memory_order_relaxed);
  if (policy != kUnread)
    return policy;
  switch (libomp::target_offload()) {
  case libomp::Offload::kDisabled: policy = kDisabled; break;
  case libomp::Offload::kMandatory: policy = kMandatory; break;
  case libomp::Offload::kDefault: policy = kDefault; break;
  }
  offload_.store(policy, std::memory_order_relaxed);
  return policy;
}

int32_t Runtime::number_of_devices() {
  if (matched_generation_.load(std::memory_order_acquire) != modules_.generation() ||
      offload_.load(std::memory_order_relaxed) == kUnread)
    enumerate(false);
  return device_count_.load(std::memory_order_acquire);
}

void Runtime::set_info(uint32_t mask) {
  set_info_mask(mask);
  std::lock_guard enumeration(enumeration_mutex_);
  for (const Plugin *plugin : used_plugins_)
    (void)plugin->set_info_flag(mask);
}

Status Runtime::initialise_all() {
  enumerate(true);
  {
    std::lock_guard enumeration(enumeration_mutex_);
    for (const auto &plugin : plugins_.plugins)
      use(*plugin);
    number_devices();
  }
  for (int32_t i = 0; i < number_of_devices(); ++i)
    if (auto device = this->device(static_cast<DeviceId>(i)); !device)
      return device.take_status();
  return Status::ok();
}

Result<DeviceUse> Runtime::device(DeviceId id) {
  if (raw(id) < 0 || raw(id) >= number_of_devices())
    return DeviceUse();
  Device &device = *devices_[raw(id)].load(std::memory_order_relaxed);
  DeviceUse use(device);
  if (use && device.is_prepared(modules_.generation()))
    return use;
  return make_ready(device, std::move(use));
}

Result<DeviceUse> Runtime::make_ready(Device &device, DeviceUse use) {
  if (!use || device.has_ended() || device.is_loading_here())
    return DeviceUse();
  OMPTARGET_TRY(prepare(device));
  if (device.has_ended())
    return DeviceUse();
  return use;
}

Status Runtime::prepare(Device &device) {
  forget_vanished();
  const Device::Loading loading(device);
  if (device.is_prepared(modules_.generation()) || device.has_ended())
    return Status::ok();
  const bool is_first = !device.is_initialised();
  if (is_first) {
    // Only now: earlier libomp itself may be asking for devices, while it is not ready to know of a tool.
    connect_tool();
    OMPTARGET_TRY(device.initialise(loading));
    note_initialised(device.plugin());
  }
  device.load_images(loading);
  // A plugin may register an exit handler at its first image, which closes the images (LLVM 16's does).
  if (is_first && !device.lasts())
    end_at_exit(device.plugin());
  return Status::ok();
}

Device *Runtime::known_device(int32_t number) const {
  const bool is_known = number >= 0 && number < device_count_.load(std::memory_order_acquire);
  return is_known ? devices_[number].load(std::memory_order_relaxed) : nullptr;
}

void Runtime::enumerate(bool even_without_modules) {
  if (has_ended() || enumeration_mutex_.is_held_here())
    return; // code of a plugin has come back here, or the end has
  const Uncancelled uncancelled;
  const int policy = read_policy(); // before the lock: starts libomp, which may ask for the number of devices
  forget_vanished();
  std::lock_guard enumeration(enumeration_mutex_);
  const uint32_t target = modules_.generation();
  const bool has_all = has_loaded_plugins_ && !(even_without_modules && plugins_.lacks(PluginNeed::all()));
  if (matched_generation_.load(std::memory_order_relaxed) == target && has_all)
    return;
  if (target == 0 && !even_without_modules)
    return; // no module offloads
  if (policy == kDisabled) {
    OMPTARGET_TRACE(Topic::kDevice, "offloading is disabled: no plugin is loaded");
    has_loaded_plugins_ = true;
    matched_generation_.store(target, std::memory_order_release);
    return;
  }
  // The lock is given back while plugins are loaded, not between taking a module and being through with it.
  std::vector<std::shared_ptr<OffloadLibrary>> libraries = modules_.new_libraries();
  const bool is_end = is_process_exiting();
  const int32_t known = device_count_.load(std::memory_order_relaxed);
  use_plugins(is_end ? PluginNeed() : even_without_modules ? PluginNeed::all() : need_of(libraries));
  for (const auto &library : modules_.take(libraries))
    match(library);
  number_devices();
  if (is_end)
    end_drivers(known); // none starts that late: the host does the work of such devices
  matched_generation_.store(target, std::memory_order_release);
}

PluginNeed Runtime::need_of(const std::vector<std::shared_ptr<OffloadLibrary>> &libraries) {
  PluginNeed need;
  for (const auto &library : libraries)
    for (size_t i = 0; i < library->images.size(); ++i)
      if (const std::optional<ImageFacts> facts = modules_.facts_of(library, i))
        need.add(plugin_need_of(*facts));
  return need;
}

/// Names of all plugins that were found, used or not.
static std::vector<std::string> plugin_names(const PluginSet &set) {
  std::vector<std::string> names;
  for (const auto &plugin : set.plugins)
    names.push_back(plugin->name());
  for (const PluginSet::Waiting &waiting : set.waiting)
    names.push_back(waiting.name);
  return names;
}

static void warn_about_settings(const PluginSet &set) {
  warn_about_unknown_settings(plugin_names(set));
  const bool has_amd = std::any_of(set.plugins.begin(), set.plugins.end(),
                                   [](const auto &plugin) { return plugin->name() == "amdgpu"; });
  if (!has_amd && setting_integer(SettingId::kKernelTrace) > 0)
    warn_about_setting(SettingId::kKernelTrace, "it has an effect on AMD's GPUs only, and the program uses none; "
                                                "LIBOMPTARGET_INFO=16 prints a line for each kernel of any device");
}

/// Loads the plugins that are needed and are not there yet. Should another thread not come back from doing so, this
/// one does it, too, and the first of them to be done counts.
void Runtime::use_plugins(const PluginNeed &need) {
  const auto is_done = [&] { return has_loaded_plugins_ && !plugins_.lacks(need); };
  if (is_done() || (enumeration_mutex_.wait_for_others(&plugins_) && is_done()))
    return;
  const bool is_first = !has_loaded_plugins_;
  if (is_first) {
    warn_about_second_library();
    trace_settings();
  }
  PluginSet set;
  const std::vector<PluginSet::Waiting> waiting = plugins_.waiting;
  {
    const LoaderLock::Open open(enumeration_mutex_, &plugins_);
    set = is_first ? load_plugins(need) : load_waiting(waiting, need);
  }
  if (is_first)
    warn_about_settings(set);
  if (is_done()) {
    OMPTARGET_TRACE(Topic::kPlugin, "another thread has loaded the plugins meanwhile");
    return;
  }
  std::vector<const Plugin *> loaded;
  loaded.reserve(set.plugins.size());
  for (const auto &plugin : set.plugins)
    loaded.push_back(plugin.get());
  plugins_.add(std::move(set));
  has_loaded_plugins_ = true;
  for (const auto &plugin : plugins_.plugins)
    if (!plugin->lasts() && std::find(loaded.begin(), loaded.end(), plugin.get()) != loaded.end())
      end_at_exit(*plugin);
}

void Runtime::match(const std::shared_ptr<OffloadLibrary> &library) {
  bool has_match = false;
  for (size_t i = 0; i < library->images.size(); ++i) {
    if (!library->images[i].defect.empty()) {
      print_message(
          format("image %zu of %s is damaged: %s", i, library->path.c_str(), library->images[i].defect.c_str()));
      continue;
    }
    std::optional<ImageCopy> image = modules_.copy_image(library, i);
    if (!image)
      return; // the module has gone
    for (const auto &plugin : plugins_.plugins) {
      const auto accepts = [&](const __tgt_device_image &record) {
        return plugin->accepts(record, image->arch().c_str());
      };
      if (jit::how_taken(image->record(), plugin->device_arch(0), accepts) == jit::Taken::kNot)
        continue;
      OMPTARGET_TRACE(Topic::kImage, "image %zu of %s (%s) is taken by plugin %s", i, library->path.c_str(),
                      image_facts(image->bytes()).architecture.c_str(), plugin->name().c_str());
      has_match = true;
      use(*plugin);
      break;
    }
  }
  if (!has_match && !library->images.empty())
    report_unmatched(library);
}

/// "gfx90a, gfx1100": each architecture of a plugin's devices once; empty if the plugin tells none.
static std::string architectures_of(const Plugin &plugin) {
  std::vector<std::string> seen;
  std::string text;
  for (int32_t device = 0; device < plugin.number_of_devices(); ++device)
    if (std::string arch = plugin.device_arch(device);
        !arch.empty() && std::find(seen.begin(), seen.end(), arch) == seen.end()) {
      text += (text.empty() ? "" : ", ") + arch;
      seen.push_back(std::move(arch));
    }
  return text;
}

void Runtime::report_unmatched(const std::shared_ptr<OffloadLibrary> &library) {
  std::string architectures;
  for (size_t i = 0; i < library->images.size(); ++i)
    architectures += (architectures.empty() ? "" : ", ") + modules_.architecture_of(library, i);
  std::string plugins;
  for (const auto &plugin : plugins_.plugins) {
    const std::string found = architectures_of(*plugin);
    plugins +=
        (plugins.empty() ? "; plugins here: " : ", ") + plugin->name() + (found.empty() ? "" : " (" + found + ")");
  }
  OMPTARGET_TRACE(Topic::kImage, "no device for the images of %s: %s%s", library->path.c_str(), architectures.c_str(),
                  plugins.c_str());
  if (info_mask() == 0)
    return;
  print_version_once();
  print_message(format("No images found compatible with the installed hardware. Found %zu image(s): (%s)%s",
                       library->images.size(), architectures.c_str(), plugins.c_str()));
}

void Runtime::use(const Plugin &plugin) {
  if (std::find(used_plugins_.begin(), used_plugins_.end(), &plugin) == used_plugins_.end())
    used_plugins_.push_back(&plugin);
}

/// Gives numbers to the devices of the plugins that have come into use.
void Runtime::number_devices() {
  const std::vector<const Plugin *> plugins(used_plugins_.begin() + static_cast<ptrdiff_t>(numbered_plugins_),
                                            used_plugins_.end());
  if (plugins.empty())
    return;
  numbered_plugins_ = used_plugins_.size();
  std::vector<const Plugin *> silent;
  for (const Plugin *plugin : plugins)
    if (!plugin->set_info_flag(info_mask()))
      silent.push_back(plugin);
  const Plugin *previous = nullptr;
  int32_t number = device_count_.load(std::memory_order_relaxed);
  for (const auto &[plugin, local] : numbering_.add(plugins)) {
    if (number == kMaxDevices)
      break;
    if (plugin != previous)
      plugin->set_device_offset(std::max(number - local, 0));
    plugin->set_device_number(local, number);
    if (std::find(silent.begin(), silent.end(), plugin) != silent.end())
      observe::note_silent_plugin(static_cast<DeviceId>(number));
    OMPTARGET_TRACE(Topic::kDevice, "device %d is device %d of plugin %s", number, local, plugin->name().c_str());
    devices_[number].store(new Device(modules_, static_cast<DeviceId>(number), *plugin, local),
                           std::memory_order_relaxed);
    previous = plugin;
    ++number;
  }
  device_count_.store(number, std::memory_order_release);
}

std::vector<std::string> Runtime::explain_devices() {
  std::vector<std::string> lines;
  for (const auto &library : modules_.libraries())
    for (size_t i = 0; i < library->images.size(); ++i)
      lines.push_back(format("needed: image %zu of %s: %s", i, library->path.c_str(),
                             modules_.architecture_of(library, i).c_str()));
  if (lines.empty())
    lines.emplace_back(
        "needed: no module with device code is registered; is this a nowait construct that was not finished "
        "when main returned?");
  std::lock_guard enumeration(enumeration_mutex_);
  for (const auto &plugin : plugins_.plugins) {
    const std::string architectures = architectures_of(*plugin);
    lines.push_back(format("found: plugin %s (%s) with %d device(s)", plugin->name().c_str(), plugin->path().c_str(),
                           plugin->number_of_devices()) +
                    (architectures.empty() ? "" : ": " + architectures));
  }
  if (std::string left_out = numbering_.explain(); !left_out.empty())
    lines.push_back(std::move(left_out));
  for (const PluginSet::Waiting &waiting : plugins_.waiting)
    lines.push_back(
        format("not asked: plugin %s (%s): no image is for it", waiting.name.c_str(), waiting.path.c_str()));
  for (const PluginRejection &rejection : plugins_.rejections)
    lines.push_back(format("not used: %s: %s", rejection.path.c_str(), rejection.reason.c_str()));
  return lines;
}

void Runtime::connect_tool() {
  if (!get().has_ended())
    observe::connect_tool([] { return get().number_of_devices_so_far(); }, [] { get().report_end_to_tool(); });
}

/// libomp ends, and with it the tool: devices that live longer end for it now.
void Runtime::report_end_to_tool() {
  for (int32_t i = 0; Device *const device = known_device(i); ++i)
    device->report_end();
}

// A fork while another thread changes a table must not leave the child with a lock that nobody gives back. Locks are
// taken in the order in which they nest: starting libomp, loading, numbering, registry, the rest.
void Runtime::before_fork() {
  libomp::before_fork();
  Runtime &runtime = get();
  int32_t locked = 0;
  for (bool is_complete = false; !is_complete;) {
    const int32_t count = runtime.device_count_.load(std::memory_order_acquire);
    for (; locked < count; ++locked)
      runtime.devices_[locked].load(std::memory_order_relaxed)->before_fork_of_loader();
    runtime.enumeration_mutex_.before_fork();
    is_complete = runtime.device_count_.load(std::memory_order_acquire) == count;
    if (!is_complete)
      runtime.enumeration_mutex_.after_fork(); // devices came meanwhile
  }
  runtime.modules_.mutex_for_fork().lock();
  caller_registry_mutex_for_fork().lock();
  module_list_mutex_for_fork().lock();
  gcc_variables_mutex_for_fork().lock();
  for (int32_t i = 0; i < locked; ++i)
    runtime.devices_[i].load(std::memory_order_relaxed)->before_fork();
  mapping_contents_mutex_for_fork().lock();
  shared_blocks_mutex_for_fork().lock();
  interop_mutex_for_fork().lock();
  observe::findings_mutex_for_fork().lock();
  // Plugins last: their locks are taken by threads that hold ours.
  for (const auto &plugin : runtime.plugins_.plugins)
    plugin->fork_phase(OMPTARGET_FORK_BEFORE);
}

void Runtime::after_fork_in_child() {
  libomp::forget_other_threads();
  get().enumeration_mutex_.forget_others();
  for (int32_t i = 0; Device *const device = get().known_device(i); ++i)
    device->forget_other_users();
  give_back_after_fork(OMPTARGET_FORK_CHILD);
  for (int32_t i = 0; Device *const device = get().known_device(i); ++i)
    device->map().forget_other_threads();
  forget_interop_work();
}

void Runtime::after_fork_in_parent() { give_back_after_fork(OMPTARGET_FORK_PARENT); }

void Runtime::give_back_after_fork(int32_t phase) {
  Runtime &runtime = get();
  for (const auto &plugin : runtime.plugins_.plugins)
    plugin->fork_phase(phase);
  observe::findings_mutex_for_fork().unlock();
  interop_mutex_for_fork().unlock();
  shared_blocks_mutex_for_fork().unlock();
  mapping_contents_mutex_for_fork().unlock();
  const int32_t count = runtime.device_count_.load(std::memory_order_acquire);
  for (int32_t i = 0; i < count; ++i)
    runtime.devices_[i].load(std::memory_order_relaxed)->after_fork();
  gcc_variables_mutex_for_fork().unlock();
  module_list_mutex_for_fork().unlock();
  caller_registry_mutex_for_fork().unlock();
  runtime.modules_.mutex_for_fork().unlock();
  runtime.enumeration_mutex_.after_fork();
  for (int32_t i = 0; i < count; ++i)
    runtime.devices_[i].load(std::memory_order_relaxed)->after_fork_of_loader();
  libomp::after_fork();
}

} // namespace omptarget
