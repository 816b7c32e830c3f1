// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device: what is loaded on it, its kernels and its present data.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/fork_mutex.h"
#include "base/guarded.h"
#include "base/pointer_table.h"
#include "image/image_copy.h"
#include "image/image_signs.h"
#include "image/kernel_forms.h"
#include "image/offload_library.h"
#include "indirect/function_table.h"
#include "mapping/host_data_to_target_map.h"
#include "plugin/plugin.h"

namespace omptarget {

/// A kernel as it is loaded on one device.
struct Kernel {
  void *handle; ///< the plugin's
  const char *name;
  ParameterForms forms{};            ///< what it wants, by the form of the launch's argument block
  const ImageSigns *signs = nullptr; ///< what forms was found from; lives as long as the kernel
};

/// Any thread. Becomes usable lazily: prepare() before anything else in a construct or API call.
class Device {
public:
  Device(DeviceId id, const Plugin &plugin, int32_t local_id) : id_(id), plugin_(plugin), local_id_(local_id) {}
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  DeviceId id() const { return id_; }
  const Plugin &plugin() const { return plugin_; }
  int32_t local_id() const { return local_id_; } ///< the plugin's number of it

  HostDataToTargetMap &map() { return map_; }

  /// The kernel that the host knows by this address, or null if it is not loaded here.
  const Kernel *kernel(const void *host_id) const { return kernels_.find(reinterpret_cast<uintptr_t>(host_id)); }

  /// Initialises the device at its first use and loads the images of modules that came since. Quick if there is nothing
  /// to do: generation is the registry's.
  Status prepare(uint32_t generation) {
    if (prepared_generation_.load(std::memory_order_acquire) == generation) [[likely]]
      return Status::ok();
    return catch_up();
  }
  /// Whether data that are not present are used in place, although unified shared memory was not asked for (an APU).
  bool uses_zero_copy() const { return uses_zero_copy_.load(std::memory_order_relaxed); }
  bool is_initialised() const { return is_initialised_.load(std::memory_order_acquire); }

  /// Takes apart what the module had loaded: destructors, kernels, globals, functions. Never waits for a load under way,
  /// since that may wait for the dynamic loader's lock, which a thread that closes a module holds: then the loading thread
  /// does it as soon as it can.
  void unload(std::shared_ptr<OffloadLibrary> library);

  /// Why the module's image is not loaded here, or empty if nothing failed.
  std::string load_failure(const OffloadLibrary &library);

  /// Runs the destructors of everything that is loaded, and tells tools: the program ends.
  void end();

  /// Around a fork: the lock of loading first, for all devices, the others last.
  void before_fork_of_loader() { load_mutex_.before_fork(); }
  void after_fork_of_loader() { load_mutex_.after_fork(); }
  void before_fork() {
    pending_unloads_.mutex_for_fork().lock();
    map_.before_fork();
  }
  void after_fork() {
    map_.after_fork();
    pending_unloads_.mutex_for_fork().unlock();
  }

private:
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

  Status catch_up();
  Status initialise();
  void load(const std::shared_ptr<OffloadLibrary> &library);
  std::optional<ImageCopy> choose_image(const std::shared_ptr<OffloadLibrary> &library) const;
  Status load_image(const std::shared_ptr<OffloadLibrary> &library, ImageCopy image);
  void unload_pending();
  void unload_pending_if_free();
  void unload_now(const OffloadLibrary &library);
  Status resolve(Loaded &loaded, const Entry &entry, const __tgt_offload_entry &target);
  void add_kernel(Loaded &loaded, const Entry &entry, void *handle);
  Status add_variable(Loaded &loaded, const Entry &entry, DevicePtr target);
  Status collect_functions(const Loaded &loaded);
  void register_code(Loaded &loaded);
  void publish_functions();
  bool has_indirect_functions() const;
  Status run(const Kernel &kernel);
  void run_constructors();
  void destroy(Loaded &loaded);
  void take_over(const Loaded &gone);
  bool knows(const OffloadLibrary &library) const;

  const DeviceId id_;
  const Plugin &plugin_;
  const int32_t local_id_;
  HostDataToTargetMap map_;
  PointerTable<const Kernel> kernels_;

  std::atomic<uint32_t> prepared_generation_{UINT32_MAX};
  std::atomic<bool> is_initialised_{false};
  std::atomic<bool> uses_zero_copy_{false}; // set before is_initialised_
  ForkMutex load_mutex_; // serialises initialising, loading and unloading; held while the plugin does them
  Guarded<std::vector<std::shared_ptr<OffloadLibrary>>> pending_unloads_;
  std::vector<std::unique_ptr<Loaded>> loaded_;
  std::vector<Failed> failed_;
  uint64_t last_number_ = 0;
  std::string initialisation_failure_;
  FunctionTable functions_; ///< the indirect functions of all that is loaded
  bool functions_changed_ = false;
};

} // namespace omptarget
