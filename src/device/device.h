// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device: what is loaded on it, its kernels and its present data.
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
#include "base/pointer_table.h"
#include "device/module_registry.h"
#include "image/image_copy.h"
#include "image/image_signs.h"
#include "image/kernel_forms.h"
#include "image/offload_library.h"
#include "indirect/function_table.h"
#include "mapping/host_data_to_target_map.h"
#include "observe/device_events.h"
#include "plugin/plugin_device.h"

namespace omptarget {

/// A kernel as it is loaded on one device.
struct Kernel {
  void *handle; ///< the plugin's
  const char *name;
  ParameterForms forms{};            ///< what it wants, by the form of the launch's argument block
  const ImageSigns *signs = nullptr; ///< what forms was found from; lives as long as the kernel
};

/// Any thread. Becomes usable lazily: Runtime::device() before anything else in a construct or API call.
class Device {
public:
  /// The modules are those whose images it loads, and which say what the program requires; they outlive it.
  Device(ModuleRegistry &modules, DeviceId id, const Plugin &plugin, int32_t local_id)
      : modules_(modules), id_(id), plugin_device_(plugin, local_id), lasts_(plugin.lasts()) {}
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  DeviceId id() const { return id_; }
  /// What carries work out: the plugin, and its own number of the device.
  const PluginDevice &plugin_device() const { return plugin_device_; }
  const Plugin &plugin() const { return plugin_device_.plugin(); }
  int32_t local_id() const { return plugin_device_.id(); }

  HostDataToTargetMap &map() { return map_; }

  /// The kernel that the host knows by this address, or null if it is not loaded here.
  const Kernel *kernel(const void *host_id) const { return kernels_.find(reinterpret_cast<uintptr_t>(host_id)); }

  /// Whether its plugin works until the process is gone; otherwise its uses are counted (DeviceUse).
  bool lasts() const { return lasts_; }

  /// Whether nothing is left to be done before it is used; generation is the registry's. Otherwise one thread, which holds
  /// Loading, initialises the device at its first use and loads the images of modules that came since.
  bool is_prepared(uint32_t generation) const {
    return prepared_generation_.load(std::memory_order_acquire) == generation;
  }
  class Loading;
  /// Not for a device that has ended or is initialised already. The plugin is asked once.
  Status initialise(const Loading &);
  /// After initialise(). What cannot be loaded is kept for load_failure(). Runs the constructors of images.
  void load_images(const Loading &);
  /// Whether this thread is making the device ready: code of an image or of a plugin has come back here.
  bool is_loading_here() const { return load_mutex_.is_held_here(); }
  /// Whether data that are not present are used in place, although unified shared memory was not asked for (an APU).
  bool uses_zero_copy() const { return uses_zero_copy_.load(std::memory_order_relaxed); }
  /// Whether data that are not present are used in place.
  bool uses_host_memory() const { return modules_.requires_unified_shared_memory() || uses_zero_copy(); }
  bool is_initialised() const { return is_initialised_.load(std::memory_order_acquire); }

  /// Takes apart what the module had loaded: destructors, kernels, globals, functions. Never waits for a load under way,
  /// since that may wait for the dynamic loader's lock, which a thread that closes a module holds: then the loading thread
  /// does it as soon as it can.
  void unload(std::shared_ptr<OffloadLibrary> library);
  /// The module is unregistered because the program ends. Where the device outlives that, the destructors that have entries run;
  /// everything else stays as it is, but nothing of the module's own memory is read any more.
  void part_with(const OffloadLibrary &library);

  /// Why the module's image is not loaded here, or empty if nothing failed.
  std::string load_failure(const OffloadLibrary &library);

  /// Whether some module has kernels, but no image that fits this device.
  bool has_unfit_modules() const { return has_unfit_modules_.load(std::memory_order_relaxed); }
  /// The path of the module that holds this code, if it is such a one; otherwise empty. Any thread.
  std::string unfit_module_of(const void *code);

  /// The end, in this order. close(): from now on the host does the device's work. is_idle(): apart from own_uses nobody uses
  /// it any more. finish(): destructors run and the plugin ends it; false if it could not be done until the deadline.
  /// tell_end(): reports and tools learn of it, once; is_gone(): all that is over.
  void close();
  bool has_ended() const { return is_closed_.load(std::memory_order_acquire); }
  bool is_gone() const { return has_ended() && is_end_told_.load(std::memory_order_relaxed); }
  bool is_idle(int32_t own_uses) const { return users_.load(std::memory_order_seq_cst) <= own_uses; }
  bool finish(Deadline deadline);
  void tell_end();
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
    seen_.mutex_for_fork().lock();
    map_.before_fork();
  }
  void after_fork() {
    map_.after_fork();
    seen_.mutex_for_fork().unlock();
    pending_unloads_.mutex_for_fork().unlock();
  }

private:
  friend class DeviceUse;
  struct Loaded {
    std::shared_ptr<OffloadLibrary> library;
    ImageCopy image;
    __tgt_target_table *table;
    ImageSigns signs;
    uint64_t number = 0; ///< of the image on this device, for tools
    std::vector<std::pair<HostPtr, std::unique_ptr<Kernel>>> kernels{};
    std::vector<HostPtr> variables{}; ///< those of its globals that are in the map
    std::vector<Kernel> constructors{}; ///< that have not run yet
    std::vector<Kernel> destructors{};
    const void *code = nullptr; ///< an address inside of the image, if it is code of this process
  };
  struct Failed {
    std::shared_ptr<OffloadLibrary> library;
    std::string reason;
  };
  /// A module that this device has seen: whether an image of it fits, if it has kernels.
  struct Seen {
    enum class Image : uint8_t { kFits, kDoesNotFit, kNotNeeded };
    std::shared_ptr<OffloadLibrary> library;
    Image image;
  };

  bool begin_use() { return lasts_ || count_use(); }
  void end_use() {
    if (!lasts_)
      uncount_use();
  }
  bool count_use();
  void uncount_use();
  std::optional<observe::DeviceMemory> memory_use() const;
  void load(const std::shared_ptr<OffloadLibrary> &library);
  void note_seen(const std::shared_ptr<OffloadLibrary> &library, bool fits);
  std::optional<ImageCopy> choose_image(const std::shared_ptr<OffloadLibrary> &library) const;
  Status load_image(const std::shared_ptr<OffloadLibrary> &library, ImageCopy image);
  void unload_pending();
  void unload_pending_if_free();
  void unload_now(const OffloadLibrary &library);
  Result<__tgt_target_table *> load_binary(const OffloadLibrary &library, __tgt_device_image &record);
  void unload_binary(__tgt_target_table *table);
  Status resolve(Loaded &loaded, const Entry &entry, const __tgt_offload_entry &target);
  void add_kernel(Loaded &loaded, const Entry &entry, void *handle);
  bool points_to_host(const Entry &entry) const;
  Status add_variable(Loaded &loaded, const Entry &entry, DevicePtr target);
  Status collect_functions(const Loaded &loaded);
  void register_code(Loaded &loaded);
  void publish_functions();
  bool has_indirect_functions() const;
  Status run(const Kernel &kernel);
  void run_constructors();
  void run_destructors(Loaded &loaded);
  void take_apart(Loaded &loaded);
  void destroy(Loaded &loaded);
  void take_over(const Loaded &gone);
  bool knows(const OffloadLibrary &library);
  bool has_loaded(const OffloadLibrary &library) const;

  ModuleRegistry &modules_;
  const DeviceId id_;
  const PluginDevice plugin_device_;
  const bool lasts_; ///< as the plugin says; otherwise users are counted, so that ending can wait for them
  HostDataToTargetMap map_;
  PointerTable<const Kernel> kernels_;

  std::atomic<uint32_t> prepared_generation_{UINT32_MAX};
  std::atomic<bool> is_initialised_{false};
  std::atomic<bool> uses_zero_copy_{false}; // set before is_initialised_
  std::atomic<bool> has_unfit_modules_{false};
  std::atomic<int32_t> users_{0};
  std::atomic<bool> is_closed_{false};
  std::atomic<bool> is_end_told_{false};
  /// Serialises initialising, loading and unloading; held while the plugin does them, if it cannot be called by several threads.
  LoaderLock load_mutex_;
  Guarded<std::vector<std::shared_ptr<OffloadLibrary>>> pending_unloads_;
  Guarded<std::vector<Seen>> seen_;
  std::vector<std::unique_ptr<Loaded>> loaded_;
  std::vector<Failed> failed_;
  uint64_t last_number_ = 0;
  std::string initialisation_failure_;
  FunctionTable functions_; ///< the indirect functions of all that is loaded
  bool functions_changed_ = false;
};

/// Holds the lock of loading. Its end takes apart what was closed meanwhile: the thread that closed it could not wait.
class Device::Loading {
public:
  explicit Loading(Device &device);
  Loading(const Loading &) = delete;
  Loading &operator=(const Loading &) = delete;
  ~Loading();

private:
  Device &device_;
};

/// The device that a construct or routine works on, which does not end meanwhile. Null: the host. Belongs to one thread.
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
