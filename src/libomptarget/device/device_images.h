// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The images on one device, with their kernels, globals and indirect functions. Device decides when to load.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/guarded.h"
#include "base/loader_lock.h"
#include "base/pointer_table.h"
#include "device/kernel.h"
#include "device/module_registry.h"
#include "image/image_copy.h"
#include "image/image_signs.h"
#include "image/offload_library.h"
#include "indirect/function_table.h"
#include "jit/compiled_head.h"
#include "mapping/host_data_to_target_map.h"
#include "plugin/plugin_device.h"

namespace omptarget {

namespace jit {
class LaunchNotes;
struct LaunchCase;
} // namespace jit

/// Not moved: threads read kernels while others load.
class DeviceImages {
public:
  /// The modules are those whose images it loads; their globals are entered into the map; the lock is the device's
  /// lock of loading. All three outlive it.
  DeviceImages(ModuleRegistry &modules, DeviceId id, const PluginDevice &device, HostDataToTargetMap &map,
               LoaderLock &lock)
      : modules_(modules), id_(id), device_(device), map_(map), lock_(lock) {}
  DeviceImages(const DeviceImages &) = delete;
  DeviceImages &operator=(const DeviceImages &) = delete;

  // Any thread.

  /// The kernel that the host knows by this address, or null if it is not loaded here. Takes no lock.
  const Kernel *kernel(const void *host_id) const { return kernels_.find(reinterpret_cast<uintptr_t>(host_id)); }
  /// Returns whether the image of some module is not here: none fits the device, or loading it failed.
  bool lacks_images() const { return lacks_images_.load(std::memory_order_relaxed); }
  /// Fails if a variable of a module lies there whose image could not be loaded or, if needs_all, does not fit.
  Status check_variables(HostPtr begin, int64_t size, bool needs_all);
  /// The path of the module that holds this code, if it is such a one; otherwise empty.
  std::string unfit_module_of(const void *code);
  std::mutex &mutex_for_fork() { return seen_.mutex_for_fork(); }

  // The thread that holds the lock, which is open while a plugin that allows it loads or unloads an image.

  /// Loads the fitting image of each module that has not been seen, publishes indirect functions, and runs
  /// constructors. Failures are reported, and kept for failure_of(). uses_zero_copy: whether the device uses the host's
  /// memory in place.
  void load_new(const std::vector<std::shared_ptr<OffloadLibrary>> &libraries, bool uses_zero_copy);
  /// Forgets the module. Unless the device has ended, what it has loaded is taken apart: destructors, kernels,
  /// globals, functions.
  void unload(const OffloadLibrary &library, bool has_ended);
  /// Nothing of the module's own memory is read any more; what it has loaded stays. Its destructors run before, if
  /// wanted.
  void end_module_use(const OffloadLibrary &library, bool runs_destructors);
  /// Runs the destructors of all images, what was constructed last first, and keeps notes of launches.
  void finish();
  /// Why the module's image is not loaded, or empty if nothing failed.
  std::string failure_of(const OffloadLibrary &library);
  /// Tells tools that all images go.
  void report_unloaded() const;

private:
  struct Loaded {
    std::shared_ptr<OffloadLibrary> library;
    ImageCopy image;
    __tgt_target_table *table;
    ImageSigns signs;
    uint64_t number = 0;                       ///< of the image on this device, for tools
    std::vector<FunctionPair> functions{};     ///< ascending by host_ptr, each once; only where images are separate
    std::shared_ptr<jit::LaunchNotes> notes{}; ///< null if there are no variants of kernels
    std::vector<std::shared_ptr<KernelVariants>> variants{};
    std::vector<std::pair<HostPtr, std::unique_ptr<Kernel>>> kernels{};
    std::vector<HostPtr> variables{};   ///< those of its globals that are in the map
    std::vector<Kernel> constructors{}; ///< that have not run yet
    std::vector<Kernel> destructors{};
    const void *code = nullptr; ///< an address inside of the image, if it is code of this process
  };
  /// A module that has been seen: whether an image of it fits, if it has kernels.
  struct Seen {
    enum class Image : uint8_t { kFits, kDoesNotFit, kNotNeeded };
    std::shared_ptr<OffloadLibrary> library;
    Image image;
    std::string failure{}; ///< why the image that fits is not loaded
    /// Returns whether a variable of the module cannot be on the device.
    bool lacks_image(bool needs_all) const { return !failure.empty() || (needs_all && image != Image::kFits); }
  };

  const Plugin &plugin() const { return device_.plugin(); }
  void load(const std::shared_ptr<OffloadLibrary> &library);
  void note_seen(const std::shared_ptr<OffloadLibrary> &library, bool fits);
  void note_failure(const OffloadLibrary &library, const std::string &reason);
  jit::Taken taken(ImageCopy &image) const;
  std::optional<ImageCopy> choose_image(const std::shared_ptr<OffloadLibrary> &library) const;
  Status load_image(const std::shared_ptr<OffloadLibrary> &library, ImageCopy image);
  Status compile(ImageCopy &image, std::shared_ptr<jit::LaunchNotes> &notes, std::vector<jit::LaunchCase> &cases) const;
  Result<__tgt_target_table *> load_binary(const OffloadLibrary &library, __tgt_device_image &record);
  void unload_binary(__tgt_target_table *table);
  Status resolve(Loaded &loaded, const Entry &entry, const __tgt_offload_entry &target);
  void add_kernel(Loaded &loaded, const Entry &entry, void *handle);
  void add_variants(Loaded &loaded, const std::vector<jit::LaunchCase> &cases) const;
  bool points_to_host(const Entry &entry) const;
  Status add_variable(Loaded &loaded, const Entry &entry, DevicePtr target);
  Status collect_functions(Loaded &loaded);
  Status separate_functions(Loaded &loaded, std::vector<FunctionPair> pairs);
  void report_conflicts(std::span<const FunctionConflict> conflicts) const;
  void register_code(Loaded &loaded);
  void publish_functions();
  bool has_indirect_functions() const;
  Status run(const Kernel &kernel);
  Status run_constructors(Loaded &loaded);
  void run_constructors();
  void run_destructors(Loaded &loaded);
  void finish(Loaded &loaded);
  void take_apart(Loaded &loaded);
  void destroy(Loaded &loaded);
  void take_over(const Loaded &gone);
  bool is_seen(const OffloadLibrary &library);
  bool has_loaded(const OffloadLibrary &library) const;

  ModuleRegistry &modules_;
  const DeviceId id_;
  const PluginDevice device_;
  HostDataToTargetMap &map_;
  LoaderLock &lock_;
  PointerTable<const Kernel> kernels_;
  std::atomic<bool> lacks_images_{false};
  Guarded<std::vector<Seen>> seen_;
  bool uses_zero_copy_ = false;
  std::vector<std::unique_ptr<Loaded>> loaded_;
  uint64_t last_number_ = 0;
  FunctionTable functions_; ///< the indirect functions of all that is loaded
  bool functions_changed_ = false;
};

} // namespace omptarget
