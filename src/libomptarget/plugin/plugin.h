// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loaded plugin behind one inner interface, whatever generation of the plugin ABI it was built for: what it lacks
// is replaced by the documented fallback or by a stub that says so. Numbers of devices are the plugin's own here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/status.h"
#include "omptarget/plugin.h"

namespace omptarget {

/// The queue of one construct. Owned by the construct, used by one thread at a time.
struct Queue {
  __tgt_async_info info{};
  /// Returns whether work may be under way; then synchronize() must be called before the queue goes.
  bool is_busy() const { return info.Queue != nullptr; }
};

/// The functions of a plugin, found and adapted. Defined in plugin_functions.h; nobody else needs it.
struct PluginFunctions;

/// How many arguments a launch may have without offsets of its own.
inline constexpr uint32_t kZeroOffsets = 1024;

/// A plugin that was loaded, checked and initialised; lives until the end of the process. All functions may be called
/// by any thread unless the plugin ABI says otherwise. Failures carry the plugin's name and its own words.
class Plugin {
public:
  Plugin(std::string name, std::string path, std::unique_ptr<PluginFunctions> functions, int32_t devices);
  ~Plugin();
  Plugin(const Plugin &) = delete;
  Plugin &operator=(const Plugin &) = delete;

  const std::string &name() const { return name_; } ///< "cuda" of libomptarget.rtl.cuda.so
  const std::string &path() const { return path_; } ///< the file that was opened
  int32_t number_of_devices() const { return number_of_devices_; }

  /// Returns whether work is queued; otherwise every operation is complete on return and queues stay empty.
  bool is_asynchronous() const { return is_asynchronous_; }
  bool has_events() const { return has_events_; }
  /// Returns whether it tells when queued work was done.
  bool has_timing() const { return has_timing_; }
  /// Returns whether data_notify_mapped and data_notify_unmapped do something.
  bool wants_mappings() const { return wants_mappings_; }
  bool has_function_map() const { return has_function_map_; }
  /// Returns whether device code calls functions of its own image only, so that each image has a table.
  bool separates_images() const { return separates_images_; }
  /// Returns whether the caller is the first to ask: the one that reports that the plugin has no function map.
  bool is_first_to_miss_map() const { return !has_missed_map_.exchange(true, std::memory_order_relaxed); }
  /// Returns whether launch_kernel knows of a trailing implicit parameter, and supplies its value.
  bool takes_trailing() const { return takes_trailing_; }
  /// Returns whether it works until the process is gone; otherwise it ends in an exit handler of ours.
  bool lasts() const { return lasts_; }
  /// Returns whether images may be loaded and unloaded by several threads at once, also on one device.
  bool loads_side_by_side() const;
  /// Returns whether init_device may be what starts its driver, or starting it has been done when the plugin was
  /// loaded.
  bool starts_driver_late() const;
  /// Returns whether the caller is the first to ask: the one that ends it.
  bool is_first_to_end() const { return !has_ended_.exchange(true, std::memory_order_acq_rel); }
  /// Returns whether it gives every kernel a leading implicit parameter, whatever the kernel has (LLVM 18).
  bool always_leads() const;
  /// Returns whether images must stay in memory while they are loaded.
  bool keeps_images() const;

  /// Returns whether the plugin could load the image on some device, and on this very device. arch is what the image's
  /// container says, or empty.
  bool accepts(const __tgt_device_image &image, const char *arch) const;
  bool accepts_on_device(int32_t device, const __tgt_device_image &image, const char *arch) const;
  bool supports_empty_images() const;

  Status init_device(int32_t device, int64_t requires_mask) const;
  void deinit_device(int32_t device) const;
  void deinit() const;
  /// OMPTARGET_FORK_*.
  void fork_phase(int32_t phase) const;
  void set_device_offset(int32_t first) const;
  void set_device_number(int32_t device, int32_t number) const;
  void set_host_call(__tgt_host_call call) const;
  /// Returns whether the plugin can be told.
  bool set_info_flag(uint32_t flag) const;

  /// The table has exactly as many entries as the image, in the same order; the plugin owns it.
  Result<__tgt_target_table *> load_binary(int32_t device, __tgt_device_image &image) const;
  void unload_binary(int32_t device, __tgt_target_table *table) const;

  Result<void *> data_alloc(int32_t device, int64_t size, void *host_ptr, int32_t kind) const;
  Status data_delete(int32_t device, void *pointer, int32_t kind) const;
  /// Copies and fills. With a queue they are queued if the plugin is asynchronous; without one they are complete on
  /// return.
  Status data_submit(int32_t device, void *target, const void *host, int64_t size, Queue *queue) const;
  Status data_retrieve(int32_t device, void *host, const void *target, int64_t size, Queue *queue) const;
  Status data_fill(int32_t device, void *target, uint8_t value, int64_t size, Queue *queue) const;
  /// Copies between two devices of this plugin; only if can_exchange().
  bool can_exchange(int32_t source, int32_t destination) const;
  Status data_exchange(int32_t source_device, const void *source, int32_t destination_device, void *destination,
                       int64_t size, Queue *queue) const;

  /// arguments: the final values, without the implicit leading parameter; one free slot must precede them
  /// (arguments[-1] may be written), so that the implicit parameter can be put there for plugins that do not supply
  /// it. args: full block; Version 3 means that the kernel has a leading implicit parameter, 5, for plugins that take
  /// it, that the last argument is the implicit one.
  Status launch_kernel(int32_t device, void *kernel, void **arguments, __tgt_kernel_args &args, Queue *queue) const {
    __tgt_async_info *const info = queue && is_asynchronous_ ? &queue->info : nullptr;
    const int32_t result = launch_as_is_ && args.NumArgs <= kZeroOffsets
                               ? launch_as_is_(device, kernel, arguments, zero_offsets_, &args, info)
                               : launch_adapted(device, kernel, arguments, args, info);
    return result == 0 ? Status::ok() : launch_failure(result, device, kernel, args.NumArgs);
  }

  /// Waits for all work of the queue. Does nothing for a queue that is not busy.
  Status synchronize(int32_t device, Queue &queue) const;
  /// As synchronize, if that would not wait; whether it is complete.
  Result<bool> query(int32_t device, Queue &queue) const;

  Result<void *> create_event(int32_t device) const;
  Status record_event(int32_t device, void *event, Queue &queue) const;
  Status wait_event(int32_t device, void *event, Queue &queue) const;
  Status sync_event(int32_t device, void *event) const;
  void destroy_event(int32_t device, void *event) const;

  /// Work queued between the two is timed. Only if has_timing().
  Result<void *> start_timing(int32_t device, Queue &queue) const;
  Status stop_timing(int32_t device, Queue &queue, void *timing) const;
  /// When it began and ended, by the host's monotonic clock, once it is complete. Takes timing back, also if it fails.
  struct Times {
    uint64_t begin_ns;
    uint64_t end_ns;
  };
  Result<Times> read_timing(int32_t device, void *timing) const;
  void drop_timing(int32_t device, void *timing) const;

  /// Null if the plugin cannot pin memory.
  Result<void *> data_lock(int32_t device, void *host, int64_t size) const;
  Status data_unlock(int32_t device, void *host) const;
  Status data_notify_mapped(int32_t device, void *host, int64_t size) const;
  Status data_notify_unmapped(int32_t device, void *host) const;
  bool use_auto_zero_copy(int32_t device) const;
  /// OMPTARGET_HOST_MEMORY_...; -1 if the plugin does not tell.
  int32_t host_memory_access(int32_t device) const;

  Status set_function_ptr_map(int32_t device, uint64_t count, __omp_offloading_fptr_map_ty *table) const;
  /// Only if separates_images().
  Status set_image_functions(int32_t device, __tgt_target_table *image, const __tgt_image_functions &functions) const;

  /// Queue handles of their own, for interop. Null if the plugin has none.
  Result<__tgt_async_info *> init_async_info(int32_t device) const;
  Status release_async_info(int32_t device, __tgt_async_info *info) const;
  Status init_device_info(int32_t device, __tgt_device_info *info) const;
  /// False if the plugin prints nothing.
  bool print_device_info(int32_t device) const;
  /// Empty if the plugin does not tell.
  std::string device_arch(int32_t device) const;
  std::string device_uid(int32_t device) const;
  /// -1 if the plugin does not tell.
  int32_t device_numa_domain(int32_t device) const;
  /// Returns the shape in which the kernel would be launched with such arguments; none if it is not known.
  std::optional<__tgt_launch_shape> launch_shape(int32_t device, void *kernel, const __tgt_kernel_args &args) const;
  /// Bytes of dynamic shared memory that a team can have; if the plugin does not tell, 1, as LLVM says of a CPU.
  size_t group_memory_limit(int32_t device) const;
  /// Nothing if the plugin keeps no memory, or cannot tell.
  std::optional<__tgt_memory_statistics> memory_statistics(int32_t device) const;
  /// Gives back what it keeps; nothing if it has no function for that.
  Status trim_memory(int32_t device) const;

private:
  int32_t launch_adapted(int32_t device, void *kernel, void **arguments, __tgt_kernel_args &args,
                         __tgt_async_info *info) const;
  Status launch_failure(int32_t result, int32_t device, const void *kernel, uint32_t count) const;

  std::string name_;
  std::string path_;
  std::unique_ptr<PluginFunctions> functions_;
  int32_t number_of_devices_;
  bool is_asynchronous_;
  bool has_events_;
  bool has_timing_;
  bool wants_mappings_;
  bool has_function_map_;
  bool separates_images_;
  bool takes_trailing_;
  bool lasts_;
  decltype(&__tgt_rtl_launch_kernel) launch_as_is_; ///< takes every block as it is; or null
  ptrdiff_t *zero_offsets_;                         ///< kZeroOffsets of them
  mutable std::atomic<bool> has_missed_map_ = false;
  mutable std::atomic<bool> has_ended_ = false;
};

} // namespace omptarget
