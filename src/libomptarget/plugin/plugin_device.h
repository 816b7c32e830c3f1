// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device of a plugin: the pair of plugin and number that every call needs, bound once; and a queue that cannot be
// forgotten. Contracts are those of class Plugin.
#pragma once

#include <optional>
#include <string>

#include "plugin/plugin.h"

namespace omptarget {

/// Cheap to copy. The plugin outlives it.
class PluginDevice {
public:
  PluginDevice(const Plugin &plugin, int32_t id) : plugin_(&plugin), id_(id) {}

  const Plugin &plugin() const { return *plugin_; }
  int32_t id() const { return id_; } ///< the plugin's number of it

  Status init_device(int64_t requires_mask) const { return plugin_->init_device(id_, requires_mask); }
  void deinit_device() const { plugin_->deinit_device(id_); }
  bool use_auto_zero_copy() const { return plugin_->use_auto_zero_copy(id_); }
  int32_t host_memory_access() const { return plugin_->host_memory_access(id_); }
  bool accepts(const __tgt_device_image &image, const char *arch) const {
    return plugin_->accepts_on_device(id_, image, arch);
  }
  Result<__tgt_target_table *> load_binary(__tgt_device_image &image) const { return plugin_->load_binary(id_, image); }
  void unload_binary(__tgt_target_table *table) const { plugin_->unload_binary(id_, table); }
  Status set_function_ptr_map(uint64_t count, __omp_offloading_fptr_map_ty *table) const {
    return plugin_->set_function_ptr_map(id_, count, table);
  }
  Status set_image_functions(__tgt_target_table *image, const __tgt_image_functions &functions) const {
    return plugin_->set_image_functions(id_, image, functions);
  }

  Result<void *> data_alloc(int64_t size, void *host_ptr, int32_t kind) const {
    return plugin_->data_alloc(id_, size, host_ptr, kind);
  }
  Status data_delete(void *pointer, int32_t kind) const { return plugin_->data_delete(id_, pointer, kind); }
  Status data_submit(void *target, const void *host, int64_t size, Queue *queue) const {
    return plugin_->data_submit(id_, target, host, size, queue);
  }
  Status data_retrieve(void *host, const void *target, int64_t size, Queue *queue) const {
    return plugin_->data_retrieve(id_, host, target, size, queue);
  }
  Status data_fill(void *target, uint8_t value, int64_t size, Queue *queue) const {
    return plugin_->data_fill(id_, target, value, size, queue);
  }
  bool can_exchange(PluginDevice to) const { return plugin_ == to.plugin_ && plugin_->can_exchange(id_, to.id_); }
  Status data_exchange(const void *source, PluginDevice to, void *destination, int64_t size, Queue *queue) const {
    return plugin_->data_exchange(id_, source, to.id_, destination, size, queue);
  }
  Status launch_kernel(void *kernel, void **arguments, __tgt_kernel_args &args, Queue *queue) const {
    return plugin_->launch_kernel(id_, kernel, arguments, args, queue);
  }
  Status synchronize(Queue &queue) const { return plugin_->synchronize(id_, queue); }
  Result<bool> query(Queue &queue) const { return plugin_->query(id_, queue); }

  Result<void *> create_event() const { return plugin_->create_event(id_); }
  Status record_event(void *event, Queue &queue) const { return plugin_->record_event(id_, event, queue); }
  Status wait_event(void *event, Queue &queue) const { return plugin_->wait_event(id_, event, queue); }
  Status sync_event(void *event) const { return plugin_->sync_event(id_, event); }
  void destroy_event(void *event) const { plugin_->destroy_event(id_, event); }

  Result<void *> start_timing(Queue &queue) const { return plugin_->start_timing(id_, queue); }
  Status stop_timing(Queue &queue, void *timing) const { return plugin_->stop_timing(id_, queue, timing); }
  Result<Plugin::Times> read_timing(void *timing) const { return plugin_->read_timing(id_, timing); }
  void drop_timing(void *timing) const { plugin_->drop_timing(id_, timing); }

  Result<void *> data_lock(void *host, int64_t size) const { return plugin_->data_lock(id_, host, size); }
  Status data_unlock(void *host) const { return plugin_->data_unlock(id_, host); }
  Status data_notify_mapped(void *host, int64_t size) const { return plugin_->data_notify_mapped(id_, host, size); }
  Status data_notify_unmapped(void *host) const { return plugin_->data_notify_unmapped(id_, host); }

  Result<__tgt_async_info *> init_async_info() const { return plugin_->init_async_info(id_); }
  Status release_async_info(__tgt_async_info *info) const { return plugin_->release_async_info(id_, info); }
  Status init_device_info(__tgt_device_info *info) const { return plugin_->init_device_info(id_, info); }
  bool print_device_info() const { return plugin_->print_device_info(id_); }
  std::string device_arch() const { return plugin_->device_arch(id_); }
  int32_t device_numa_domain() const { return plugin_->device_numa_domain(id_); }
  std::optional<__tgt_launch_shape> launch_shape(void *kernel, const __tgt_kernel_args &args) const {
    return plugin_->launch_shape(id_, kernel, args);
  }
  size_t group_memory_limit() const { return plugin_->group_memory_limit(id_); }
  std::string device_uid() const { return plugin_->device_uid(id_); }
  std::optional<__tgt_memory_statistics> memory_statistics() const { return plugin_->memory_statistics(id_); }
  Status trim_memory() const { return plugin_->trim_memory(id_); }

private:
  const Plugin *plugin_;
  int32_t id_;
};

/// A queue whose work ends before it does: what is still under way when it goes, after a failure, is waited for, so
/// that nothing of the plugin's writes to memory that is gone. One thread.
class OwnedQueue {
public:
  explicit OwnedQueue(PluginDevice device) : device_(device) {}
  OwnedQueue(const OwnedQueue &) = delete;
  OwnedQueue &operator=(const OwnedQueue &) = delete;
  ~OwnedQueue() {
    if (queue_.is_busy())
      complete().consume(); // the failure is on its way up already
  }

  Queue *get() { return &queue_; }
  /// Waits for all of its work.
  Status complete() { return device_.synchronize(queue_); }

private:
  PluginDevice device_;
  Queue queue_;
};

} // namespace omptarget
