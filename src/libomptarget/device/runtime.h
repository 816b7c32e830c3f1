// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of the process: modules, plugins and devices. Registering does almost nothing; plugins are loaded and
// devices numbered at the first need.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <pthread.h>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/loader_lock.h"
#include "base/status.h"
#include "device/device.h"
#include "device/module_registry.h"
#include "plugin/device_numbering.h"
#include "plugin/plugin_search.h"

namespace omptarget {

/// Any thread.
class Runtime {
public:
  /// The one of this process; never destroyed.
  static Runtime &get() {
    Runtime *const made = if_made();
    return made ? *made : make();
  }
  /// The same, or null if nobody has asked for it.
  static Runtime *if_made() { return the_one_.load(std::memory_order_acquire); }

  Status register_library(const __tgt_bin_desc *descriptor);
  /// Takes the module apart on all devices; when the program is ending, the devices keep what they have of it.
  void unregister_library(const __tgt_bin_desc *descriptor);
  /// The modules that are registered.
  ModuleRegistry &modules() { return modules_; }

  /// Number of devices that take images of this program; loads plugins at the first call. 0 when offloading is
  /// disabled. Devices that have ended keep their numbers.
  int32_t number_of_devices();

  /// The same without looking for more.
  int32_t number_of_devices_so_far() const { return device_count_.load(std::memory_order_acquire); }

  /// Sets LIBOMPTARGET_INFO, here and in the plugins.
  void set_info(uint32_t mask);

  /// Loads plugins and initialises all their devices, whether images need them or not (tools).
  Status initialise_all();

  /// The device, ready for use, or null if the number is out of range, or the device has ended, or this very thread
  /// is making it ready: then the host does its work.
  Result<DeviceUse> device(DeviceId id);
  /// The device of that number if it has ended.
  Device *ended_device(int32_t number) const {
    Device *const device = known_device(number);
    return device && device->has_ended() ? device : nullptr;
  }

  /// The device of that number without making it ready; null if out of range.
  Device *known_device(int32_t number) const;

  /// The device of that number if nothing is left to do before it is used, but for counting the use (DeviceUse).
  /// Null: device() knows more.
  Device *prepared_device(int64_t number) const {
    const auto count = static_cast<uint64_t>(device_count_.load(std::memory_order_acquire));
    if (static_cast<uint64_t>(number) >= count)
      return nullptr;
    Device *const device = devices_[number].load(std::memory_order_relaxed);
    if (!device)
      __builtin_unreachable();
    return device->is_prepared(modules_.generation()) ? device : nullptr;
  }

  /// Returns whether a failure ends the process: OMP_TARGET_OFFLOAD=MANDATORY was given. False in threads that the
  /// program has left behind when this library is finalised: they do not decide how the process ends.
  bool is_mandatory() const {
    return offload_.load(std::memory_order_relaxed) == kMandatory &&
           (!has_ended() || pthread_equal(ending_thread_, pthread_self()));
  }
  /// Returns whether offloading is switched off.
  bool is_disabled() const { return offload_.load(std::memory_order_relaxed) == kDisabled; }

  /// Returns whether everything has ended: from now on all happens on the host.
  bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }
  /// Ends all devices that have not ended, and writes reports. Nothing but the end of this library calls it.
  void end();

  /// Returns lines on found and needed devices, for messages about a missing one.
  std::vector<std::string> explain_devices();

  /// Finishes the work that constructs have left on a device with nowait, before it ends. Adds its failures.
  using Drain = void (*)(Device &device, std::vector<std::string> &failures);
  static void set_drain(Drain function);
  /// Connects an OMPT tool, once, unless the program is ending. libomp has started.
  static void connect_tool();

private:
  static constexpr int kUnread = 0, kDisabled = 1, kDefault = 2, kMandatory = 3;

  Runtime() = default;
  static Runtime &make();
  int read_policy();
  void enumerate(bool even_without_modules);
  PluginNeed need_of(const std::vector<std::shared_ptr<OffloadLibrary>> &libraries);
  void use_plugins(const PluginNeed &need);
  void match(const std::shared_ptr<OffloadLibrary> &library);
  void use(const Plugin &plugin);
  void number_devices();
  void report_unmatched(const std::shared_ptr<OffloadLibrary> &library);
  Result<DeviceUse> make_ready(Device &device, DeviceUse use);
  Status prepare(Device &device);
  /// A device of the plugin has been initialised: its driver runs from now on, if it has one.
  static void note_initialised(const Plugin &plugin);
  static void end_at_exit(const Plugin &plugin);
  void end_plugin(const Plugin &plugin);
  static bool ends_with_process(const OffloadLibrary &library);
  void note_end_by_module(OffloadLibrary &library);
  /// Takes apart what was closed after exit had finalised it, of which nothing tells.
  void forget_vanished(const void *newcomer = nullptr);
  void remove(const std::shared_ptr<OffloadLibrary> &library);
  /// Ends the plugins that do not last, as far as they have devices from this number on.
  void end_drivers(int32_t first);
  void report_end_to_tool();
  std::vector<Device *> devices_of(const Plugin &plugin) const;
  static void before_fork();
  static void after_fork_in_parent();
  static void give_back_after_fork(int32_t phase);
  static void after_fork_in_child();

  static constinit std::atomic<Runtime *> the_one_;

  ModuleRegistry modules_;
  std::atomic<uint32_t> matched_generation_{0}; // of the modules that enumerate() has dealt with
  std::atomic<int> offload_{kUnread};
  std::atomic<bool> has_ended_{false};
  std::atomic<bool> may_vanish_{false}; ///< some module may
  pthread_t ending_thread_{};           // written before has_ended_

  LoaderLock enumeration_mutex_; // one thread loads plugins and numbers devices; the others need the result
  bool has_loaded_plugins_ = false;
  PluginSet plugins_;
  std::vector<const Plugin *> used_plugins_;
  size_t numbered_plugins_ = 0; // so many of them
  DeviceNumbering numbering_;
  std::atomic<int32_t> device_count_{0};
  std::atomic<Device *> devices_[kMaxDevices] = {}; // written before device_count_; never destroyed
};

} // namespace omptarget
