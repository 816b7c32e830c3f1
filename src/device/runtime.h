// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process-wide registry: modules, plugins and devices. Registering does almost nothing; plugins are loaded and devices
// numbered at the first need.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "base/fork_mutex.h"
#include "base/guarded.h"
#include "base/status.h"
#include "device/device.h"
#include "image/offload_library.h"
#include "plugin/plugin_search.h"

namespace omptarget {

/// Any thread.
class Runtime {
public:
  /// The one of this process; never destroyed.
  static Runtime &get();

  Status register_library(const __tgt_bin_desc *descriptor);
  /// Takes the module apart on all devices; only forgets it when the program is ending.
  void unregister_library(const __tgt_bin_desc *descriptor);
  /// A requires mask of the module that holds the address (compilers up to 16). Fails if it contradicts another module's.
  Status add_requires(int64_t mask, const void *address);
  /// Union of the masks of all modules.
  uint64_t requires_mask() const { return requires_mask_.load(std::memory_order_relaxed); }
  bool uses_unified_shared_memory() const { return (requires_mask() & OMPTARGET_REQUIRES_UNIFIED_SHARED_MEMORY) != 0; }

  /// Number of devices that take images of this program; loads plugins at the first call. 0 when offloading is disabled
  /// or the program is ending.
  int32_t number_of_devices();

  /// The same without looking for more.
  int32_t number_of_devices_so_far() const { return device_count_.load(std::memory_order_acquire); }

  /// Sets LIBOMPTARGET_INFO, here and in the plugins.
  void set_info(uint32_t mask);

  /// Loads plugins and initialises all their devices, whether images need them or not (tools).
  Status initialise_all();

  /// The device, ready for use, or null if the number is out of range.
  Result<Device *> device(DeviceId id);

  /// A copy of the module's image, or nothing if the module is not registered any more or the image has a defect.
  std::optional<ImageCopy> copy_image(const std::shared_ptr<OffloadLibrary> &library, size_t index);

  /// The module whose entry table has this address, or null.
  std::shared_ptr<OffloadLibrary> library_of(const void *host_id);
  std::vector<std::shared_ptr<OffloadLibrary>> libraries();
  /// The device of that number without making it ready; null if out of range.
  Device *known_device(int32_t number) const;

  /// Whether OMP_TARGET_OFFLOAD=MANDATORY was given; and whether offloading is switched off.
  bool is_mandatory() const { return offload_.load(std::memory_order_relaxed) == kMandatory; }
  bool is_disabled() const { return offload_.load(std::memory_order_relaxed) == kDisabled; }

  /// Whether the exit handler has run: from now on everything happens on the host.
  bool has_ended() const { return has_ended_.load(std::memory_order_acquire); }

  uint32_t generation() const { return generation_.load(std::memory_order_acquire); }

  /// What was found and what was needed, one line each, for messages about a missing device.
  std::vector<std::string> explain_devices();

  /// Registers the exit handler once more: after a driver has been started, so that ours runs before the driver's.
  static void register_exit_handler();
  /// Connects an OMPT tool, once, unless the program is ending. libomp has started.
  static void connect_tool();

private:
  friend class Device;
  static constexpr int32_t kMaxDevices = 4096;
  static constexpr int kUnread = 0, kDisabled = 1, kDefault = 2, kMandatory = 3;

  struct RequiresSource {
    std::string module;
    uint64_t mask;
  };
  struct Registry {
    std::vector<std::shared_ptr<OffloadLibrary>> libraries;
    std::vector<std::shared_ptr<OffloadLibrary>> unmatched; ///< those that enumerate() has not dealt with
    std::vector<RequiresSource> requires_sources;
  };

  Runtime() = default;
  int read_policy();
  void enumerate(bool even_without_modules);
  void match(const std::shared_ptr<OffloadLibrary> &library);
  void use(const Plugin &plugin);
  void report_unmatched(const std::shared_ptr<OffloadLibrary> &library);
  std::string architecture_of(const std::shared_ptr<OffloadLibrary> &library, size_t index);
  Status note_requires(const std::string &module, uint64_t mask);
  void forget_requires(Registry &registry, const std::string &module);
  static void at_exit();
  static void before_fork();
  static void after_fork();

  Guarded<Registry> registry_;
  std::atomic<uint64_t> requires_mask_{0};
  std::atomic<uint32_t> generation_{0}; // number of modules registered so far
  std::atomic<uint32_t> matched_generation_{0}; // those that enumerate() has dealt with
  std::atomic<int> offload_{kUnread};
  std::atomic<bool> has_ended_{false};

  ForkMutex enumeration_mutex_; // one thread loads plugins and numbers devices; the others need the result
  bool has_loaded_plugins_ = false;
  PluginSet plugins_;
  std::vector<const Plugin *> used_plugins_;
  std::atomic<int32_t> device_count_{0};
  std::atomic<Device *> devices_[kMaxDevices] = {}; // written before device_count_; never destroyed
};

} // namespace omptarget
