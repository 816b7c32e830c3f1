// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device: its present data, its images, its users, and its end.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/bounded_call.h"
#include "base/guarded.h"
#include "base/loader_lock.h"
#include "base/uncancelled.h"
#include "device/arrival_events.h"
#include "device/device_images.h"
#include "device/launch_defaults.h"
#include "device/mapping_notes.h"
#include "device/module_registry.h"
#include "image/offload_library.h"
#include "mapping/host_data_to_target_map.h"
#include "observe/device_events.h"
#include "plugin/plugin_device.h"

namespace omptarget {

/// Any thread. Becomes usable lazily: Runtime::device() before anything else in a construct or API call.
class Device {
public:
  /// The modules are those whose images it loads, and which say what the program requires; they outlive it.
  Device(ModuleRegistry &modules, DeviceId id, const Plugin &plugin, int32_t local_id);
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  DeviceId id() const { return id_; }
  /// The plugin, and its own number of the device.
  const PluginDevice &plugin_device() const { return plugin_device_; }
  const Plugin &plugin() const { return plugin_device_.plugin(); }
  int32_t local_id() const { return plugin_device_.id(); }

  HostDataToTargetMap &map() { return map_; }
  ArrivalEvents &arrivals() { return arrivals_; }
  LaunchDefaults &launch_defaults() { return launch_defaults_; }

  /// The plugin's data_alloc. Before it fails, dormant mappings give their storage back, and other threads free what
  /// they are about to free.
  Result<void *> allocate(int64_t size, void *host, int32_t kind);
  /// Frees the storage of dormant mappings that had to go, if there is any.
  void free_evicted() {
    if (map_.dormant().has_evicted())
      free_all_evicted();
  }
  /// Frees the blocks of dormant mappings. Returns whether there was one.
  bool free_dormant();
  /// Frees memory that is kept for later, here and in the plugin. Used memory stays.
  Status trim_memory();

  /// The kernel that the host knows by this address, or null if it is not loaded here.
  const Kernel *kernel(const void *host_id) const { return images_.kernel(host_id); }

  /// Returns whether its plugin works until the process is gone; otherwise its uses are counted (DeviceUse).
  bool lasts() const { return lasts_; }

  /// Returns whether nothing is left to do before it is used; generation is the registry's. Otherwise one
  /// thread, which holds Loading, initialises the device at its first use and loads the images of modules that came
  /// since.
  bool is_prepared(uint32_t generation) const {
    return prepared_generation_.load(std::memory_order_acquire) == generation;
  }
  class Loading;
  /// Not for a device that has ended or is initialised already. The plugin is asked once.
  Status initialise(const Loading &);
  /// Loads images after initialise(), and runs their constructors. Failures are reported, and kept for load_failure().
  void load_images(const Loading &);
  /// Returns whether this thread is making the device ready: code of an image or of a plugin has come back here.
  bool is_loading_here() const { return load_mutex_.is_held_here(); }
  /// Returns whether data that are not present are used in place, although unified shared memory was not asked for: the
  /// plugin says so.
  bool uses_zero_copy() const { return uses_zero_copy_.load(std::memory_order_relaxed); }
  /// Returns whether data that are not present are used in place.
  bool uses_host_memory() const { return modules_.requires_unified_shared_memory() || uses_zero_copy(); }
  /// Returns whether kernels reach memory of the host that was not allocated for them.
  bool reaches_host_memory() const {
    return uses_host_memory() || plugin_device_.host_memory_access() > OMPTARGET_HOST_MEMORY_NOT_REACHED;
  }
  bool is_initialised() const { return is_initialised_.load(std::memory_order_acquire); }

  /// Takes apart what the module had loaded: destructors, kernels, globals, functions. Never waits for a load under
  /// way, since that may wait for the dynamic loader's lock, which a thread that closes a module holds: then the
  /// loading thread does it as soon as it can.
  void unload(std::shared_ptr<OffloadLibrary> library);
  /// The module is unregistered because the program ends. Where the device outlives that, the destructors that have
  /// entries run; everything else stays as it is, but nothing of the module's own memory is read any more.
  void end_module_use(const OffloadLibrary &library);

  /// Why the module's image is not loaded here, or empty if nothing failed.
  std::string load_failure(const OffloadLibrary &library);

  /// Returns whether the image of some module is not here: none fits the device, or loading it failed.
  bool lacks_images() const { return images_.lacks_images(); }
  /// Fails if a variable of a module lies there whose image could not be loaded or, if needs_all, does not fit. Any
  /// thread.
  Status check_variables(HostPtr begin, int64_t size, bool needs_all) {
    return images_.check_variables(begin, size, needs_all);
  }
  /// The path of the module that holds this code, if it is such a one; otherwise empty. Any thread.
  std::string unfit_module_of(const void *code) { return images_.unfit_module_of(code); }

  /// The end, in this order. close(): from now on the host does the device's work. is_idle(): apart from own_uses
  /// nobody uses it any more. finish(): destructors run and the plugin ends it; false if it could not be done until
  /// the deadline. report_end(): reports and tools learn of it, once; is_gone(): all that is over.
  void close();
  bool has_ended() const { return is_closed_.load(std::memory_order_acquire); }
  bool is_gone() const { return has_ended() && is_end_told_.load(std::memory_order_relaxed); }
  bool is_idle(int32_t own_uses) const { return users_.load(std::memory_order_seq_cst) <= own_uses; }
  bool finish(Deadline deadline);
  void report_end();
  /// How many uses of devices that end early the calling thread is inside of.
  static int32_t own_uses();

  /// Around a fork: the lock of loading first, for all devices, the others last.
  void before_fork_of_loader() { load_mutex_.before_fork(); }
  void after_fork_of_loader();
  /// In the child the other threads are not there.
  void forget_other_users() {
    users_.store(own_uses(), std::memory_order_relaxed);
    load_mutex_.forget_others();
  }
  void before_fork() {
    pending_unloads_.mutex_for_fork().lock();
    images_.mutex_for_fork().lock();
    map_.before_fork();
  }
  void after_fork() {
    map_.after_fork();
    images_.mutex_for_fork().unlock();
    pending_unloads_.mutex_for_fork().unlock();
  }

private:
  friend class DeviceUse;
  bool begin_use() { return lasts_ || count_use(); }
  void end_use() {
    if (!lasts_)
      uncount_use();
  }
  bool count_use();
  bool free_all_evicted();
  void forget_names(const OffloadLibrary &library);
  Result<void *> allocate_again(Status failure, int64_t size, void *host, int32_t kind);
  void uncount_use();
  std::optional<observe::DeviceMemory> memory_use() const;
  void unload_pending();
  void unload_pending_if_free();

  ModuleRegistry &modules_;
  const DeviceId id_;
  const PluginDevice plugin_device_;
  const bool lasts_; ///< as the plugin says; otherwise users are counted, so that ending can wait for them
  HostDataToTargetMap map_;
  ArrivalEvents arrivals_{plugin_device_};
  LaunchDefaults launch_defaults_{id_};

  std::atomic<uint32_t> prepared_generation_{UINT32_MAX};
  std::atomic<bool> is_initialised_{false};
  std::atomic<bool> uses_zero_copy_{false}; // set before is_initialised_
  std::atomic<int32_t> users_{0};
  std::atomic<bool> is_closed_{false};
  std::atomic<bool> is_end_told_{false};
  Guarded<DataNames> names_at_end_; ///< where modules are gone that had them, for notes
  /// Serialises initialising, loading and unloading; held while the plugin does them, if it cannot be called by
  /// several threads.
  LoaderLock load_mutex_;
  Guarded<std::vector<std::shared_ptr<OffloadLibrary>>> pending_unloads_;
  DeviceImages images_{modules_, id_, plugin_device_, map_, load_mutex_};
  std::string initialisation_failure_;
};

/// Holds the lock of loading. Meanwhile the thread cannot be cancelled (pthread_cancel), as nobody would give the lock
/// back. Its end takes apart what was closed meanwhile: the thread that closed it could not wait.
class Device::Loading {
public:
  explicit Loading(Device &device);
  Loading(const Loading &) = delete;
  Loading &operator=(const Loading &) = delete;
  ~Loading();

private:
  const Uncancelled uncancelled_; // until the lock has been given back
  Device &device_;
};

/// The device that a construct or routine works on, which does not end meanwhile. Null: the host. Belongs to one
/// thread.
class DeviceUse {
public:
  DeviceUse() = default;
  /// Null if the device has ended.
  explicit DeviceUse(Device &device) : device_(device.begin_use() ? &device : nullptr) {}
  DeviceUse(DeviceUse &&other) noexcept : device_(std::exchange(other.device_, nullptr)) {}
  DeviceUse &operator=(DeviceUse &&) = delete;
  ~DeviceUse() {
    if (device_)
      device_->end_use();
  }

  explicit operator bool() const { return device_ != nullptr; }
  Device *get() const { return device_; }
  Device &operator*() const { return *device_; }
  Device *operator->() const { return device_; }

private:
  Device *device_ = nullptr;
};

} // namespace omptarget
