// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "plugin/plugin.h"

#include <algorithm>
#include <cstdarg>
#include <cstring>

#include "base/log.h"
#include "base/settings.h"
#include "observe/checks.h"
#include "plugin/plugin_adapters.h"
#include "plugin/plugin_functions.h"

namespace omptarget {

namespace {

/// The result of a plugin's function. number: 0 if its failure is a null pointer.
struct Returned {
  const char *function;
  int32_t number;
};

/// Returns the failure of a plugin on one of its devices, with its own words or else its result, the function and the
/// file.
[[gnu::cold, gnu::noinline, gnu::format(printf, 4, 5)]] Status
plugin_failure(const Plugin &plugin, const PluginFunctions &functions, Returned returned, const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  std::string text = "plugin " + plugin.name() + " cannot " + format_arguments(pattern, arguments);
  va_end(arguments);
  const std::string words = last_error_text(functions);
  if (!words.empty())
    text.append(": ").append(words);
  text += format(" (__tgt_rtl_%s of %s", returned.function, plugin.path().c_str());
  if (words.empty())
    text += returned.number != 0 ? format(" returns %d", returned.number) : " returns null";
  text += ')';
  OMPTARGET_TRACE(Topic::kPlugin, "%s", text.c_str());
  return Status::error(std::move(text));
}

[[gnu::cold, gnu::noinline]] Status no_support(const Plugin &plugin, const char *function) {
  return Status::error(format("plugin %s does not have __tgt_rtl_%s", plugin.name().c_str(), function));
}

std::string text_from(size_t (*function)(int32_t, char *, size_t), int32_t device) {
  if (!function)
    return {};
  char text[256] = "";
  if (function(device, text, sizeof text) == 0)
    return {};
  text[sizeof text - 1] = '\0';
  return text;
}

} // namespace

Plugin::Plugin(std::string name, std::string path, std::unique_ptr<PluginFunctions> functions, int32_t devices)
    : name_(std::move(name)), path_(std::move(path)), functions_(std::move(functions)), number_of_devices_(devices),
      is_asynchronous_(can_queue_work(*functions_) && !observe::checks_mapping()),
      has_events_(has_all_events(*functions_)), has_timing_(has_all_timing(*functions_)),
      wants_mappings_((functions_->data_notify_mapped || functions_->data_notify_unmapped) &&
                      (functions_->features & OMPTARGET_PLUGIN_IGNORES_MAPPINGS) == 0),
      has_function_map_(functions_->set_function_ptr_map != nullptr),
      separates_images_(functions_->set_image_functions && !setting_flag(SettingId::kCallsAcrossImages)),
      takes_trailing_((functions_->features & OMPTARGET_PLUGIN_TRAILING_ENVIRONMENT) != 0),
      lasts_((functions_->features & OMPTARGET_PLUGIN_LASTS) != 0),
      launch_as_is_(functions_->launches_as_is ? functions_->launch_kernel : nullptr),
      zero_offsets_(zero_offsets(kZeroOffsets)) {}

Plugin::~Plugin() = default;

bool Plugin::accepts(const __tgt_device_image &image, const char *arch) const {
  __tgt_device_image copy = image;
  if (!functions_->is_valid_binary_info)
    return functions_->is_valid_binary(&copy) != 0;
  // Plugins of LLVM take a null name for "not told", but cut the empty one apart.
  __tgt_image_info info{arch && *arch ? arch : nullptr};
  return functions_->is_valid_binary_info(&copy, &info) != 0;
}

bool Plugin::accepts_on_device(int32_t device, const __tgt_device_image &image, const char *arch) const {
  if (!functions_->is_device_compatible)
    return accepts(image, arch);
  __tgt_device_image copy = image;
  __tgt_image_info info{arch && *arch ? arch : nullptr};
  return functions_->is_device_compatible(device, &copy, &info) != 0;
}

bool Plugin::starts_driver_late() const { return functions_->generation != PluginGeneration::kCurrent; }

bool Plugin::keeps_images() const { return (functions_->features & OMPTARGET_PLUGIN_COPIES_IMAGES) == 0; }

bool Plugin::loads_side_by_side() const { return (functions_->features & OMPTARGET_PLUGIN_LOADS_SIDE_BY_SIDE) != 0; }

bool Plugin::always_leads() const { return functions_->generation == PluginGeneration::kBinary; }

bool Plugin::supports_empty_images() const {
  return functions_->supports_empty_images && functions_->supports_empty_images() != 0;
}

Status Plugin::init_device(int32_t device, int64_t requires_mask) const {
  OMPTARGET_TRACE(Topic::kPlugin, "plugin %s: initialising its device %d", name_.c_str(), device);
  if (functions_->init_requires)
    functions_->init_requires(requires_mask);
  if (const int32_t result = functions_->init_device(device); result != 0)
    return plugin_failure(*this, *functions_, {"init_device", result}, "initialise its device %d", device);
  return Status::ok();
}

void Plugin::deinit_device(int32_t device) const {
  if (!functions_->deinit_device)
    return;
  if (const int32_t result = functions_->deinit_device(device); result != 0)
    plugin_failure(*this, *functions_, {"deinit_device", result}, "end its device %d", device).consume();
}

void Plugin::deinit() const {
  if (!functions_->deinit_plugin)
    return;
  if (const int32_t result = functions_->deinit_plugin(); result != 0)
    plugin_failure(*this, *functions_, {"deinit_plugin", result}, "end").consume();
}

void Plugin::fork_phase(int32_t phase) const {
  if (functions_->fork_phase)
    functions_->fork_phase(phase);
}

void Plugin::set_device_offset(int32_t first) const {
  if (functions_->set_device_offset)
    functions_->set_device_offset(first);
}

void Plugin::set_device_number(int32_t device, int32_t number) const {
  if (functions_->set_device_number)
    functions_->set_device_number(device, number);
}

void Plugin::set_host_call(__tgt_host_call call) const {
  if (functions_->set_host_call)
    functions_->set_host_call(call);
}

bool Plugin::set_info_flag(uint32_t flag) const {
  if (functions_->set_info_flag)
    functions_->set_info_flag(flag);
  return functions_->set_info_flag != nullptr;
}

Result<__tgt_target_table *> Plugin::load_binary(int32_t device, __tgt_device_image &image) const {
  Result<__tgt_target_table *> table = load_checked(*functions_, device, image);
  if (table.is_ok())
    return table;
  std::string text = format(
      "plugin %s cannot load an image of %zu bytes on its device %d: %s; the plugin is %s", name_.c_str(),
      static_cast<size_t>(static_cast<const char *>(image.ImageEnd) - static_cast<const char *>(image.ImageStart)),
      device, table.status().to_string().c_str(), path_.c_str());
  OMPTARGET_TRACE(Topic::kPlugin, "%s", text.c_str());
  return Status::error(std::move(text));
}

void Plugin::unload_binary(int32_t device, __tgt_target_table *table) const {
  // Older generations unload nothing, and may look at what they were given as long as they live.
  if (functions_->generation != PluginGeneration::kCurrent || !functions_->unload_binary)
    return;
  if (const int32_t result = functions_->unload_binary(device, table); result != 0)
    plugin_failure(*this, *functions_, {"unload_binary", result}, "unload an image from its device %d", device)
        .consume();
}

Result<void *> Plugin::data_alloc(int32_t device, int64_t size, void *host_ptr, int32_t kind) const {
  void *memory = functions_->data_alloc(device, size, host_ptr, kind);
  if (!memory && size != 0)
    return plugin_failure(*this, *functions_, {"data_alloc", 0},
                          "allocate %llu bytes of memory of kind %d on its device %d",
                          static_cast<unsigned long long>(size), kind, device);
  return memory;
}

Status Plugin::data_delete(int32_t device, void *pointer, int32_t kind) const {
  // The plugins of LLVM 14 and 15 take two arguments and do not look at the third.
  if (const int32_t result = functions_->data_delete(device, pointer, kind); result != 0)
    return plugin_failure(*this, *functions_, {"data_delete", result}, "free memory at %p on its device %d", pointer,
                          device);
  return Status::ok();
}

Status Plugin::data_submit(int32_t device, void *target, const void *host, int64_t size, Queue *queue) const {
  void *source = const_cast<void *>(host);
  const int32_t result = queue && is_asynchronous_
                             ? functions_->data_submit_async(device, target, source, size, &queue->info)
                             : functions_->data_submit(device, target, source, size);
  if (result != 0)
    return plugin_failure(*this, *functions_, {queue && is_asynchronous_ ? "data_submit_async" : "data_submit", result},
                          "copy %llu bytes from host address %p to %p on its device %d",
                          static_cast<unsigned long long>(size), host, target, device);
  return Status::ok();
}

Status Plugin::data_retrieve(int32_t device, void *host, const void *target, int64_t size, Queue *queue) const {
  void *source = const_cast<void *>(target);
  const int32_t result = queue && is_asynchronous_
                             ? functions_->data_retrieve_async(device, host, source, size, &queue->info)
                             : functions_->data_retrieve(device, host, source, size);
  if (result != 0)
    return plugin_failure(*this, *functions_,
                          {queue && is_asynchronous_ ? "data_retrieve_async" : "data_retrieve", result},
                          "copy %llu bytes from %p on its device %d to host address %p",
                          static_cast<unsigned long long>(size), target, device, host);
  return Status::ok();
}

Status Plugin::data_fill(int32_t device, void *target, uint8_t value, int64_t size, Queue *queue) const {
  if (functions_->data_fill) {
    __tgt_async_info *info = queue && is_asynchronous_ ? &queue->info : nullptr;
    if (const int32_t result = functions_->data_fill(device, target, value, size, info); result != 0)
      return plugin_failure(*this, *functions_, {"data_fill", result}, "fill %llu bytes at %p on its device %d",
                            static_cast<unsigned long long>(size), target, device);
    return Status::ok();
  }
  // The bytes are copied from here, so that they must have arrived before this function returns.
  if (queue)
    OMPTARGET_TRY(synchronize(device, *queue));
  constexpr int64_t kChunk = 1 << 16;
  std::vector<uint8_t> bytes(static_cast<size_t>(std::min(size, kChunk)), value);
  for (int64_t done = 0; done < size; done += kChunk)
    OMPTARGET_TRY(
        data_submit(device, static_cast<char *>(target) + done, bytes.data(), std::min(kChunk, size - done), nullptr));
  return Status::ok();
}

bool Plugin::can_exchange(int32_t source, int32_t destination) const {
  return functions_->is_data_exchangable && functions_->data_exchange &&
         functions_->is_data_exchangable(source, destination) != 0;
}

Status Plugin::data_exchange(int32_t source_device, const void *source, int32_t destination_device, void *destination,
                             int64_t size, Queue *queue) const {
  if (!functions_->data_exchange)
    return no_support(*this, "data_exchange");
  void *from = const_cast<void *>(source);
  int32_t result;
  if (queue && is_asynchronous_ && functions_->data_exchange_async) {
    result = functions_->data_exchange_async(source_device, from, destination_device, destination, size, &queue->info);
  } else {
    if (queue)
      OMPTARGET_TRY(synchronize(source_device, *queue));
    result = functions_->data_exchange(source_device, from, destination_device, destination, size);
  }
  if (result != 0)
    return plugin_failure(*this, *functions_, {"data_exchange", result},
                          "copy %llu bytes from %p on its device %d to %p on its device %d",
                          static_cast<unsigned long long>(size), source, source_device, destination,
                          destination_device);
  return Status::ok();
}

int32_t Plugin::launch_adapted(int32_t device, void *kernel, void **arguments, __tgt_kernel_args &args,
                               __tgt_async_info *info) const {
  return omptarget::launch_adapted(*functions_, {device, kernel, arguments, &args, info});
}

Status Plugin::launch_failure(int32_t result, int32_t device, const void *kernel, uint32_t count) const {
  return plugin_failure(*this, *functions_, {"launch_kernel", result},
                        "run the kernel %p with %u arguments on its device %d", kernel, count, device);
}

Status Plugin::synchronize(int32_t device, Queue &queue) const {
  if (!queue.is_busy())
    return Status::ok();
  if (!functions_->synchronize)
    return no_support(*this, "synchronize");
  const int32_t result = functions_->synchronize(device, &queue.info);
  queue.info.Queue = nullptr; // also after a failure the queue is the plugin's again
  if (result != 0)
    return plugin_failure(*this, *functions_, {"synchronize", result}, "complete the work of a queue on its device %d",
                          device);
  return Status::ok();
}

Result<bool> Plugin::query(int32_t device, Queue &queue) const {
  if (!queue.is_busy())
    return true;
  if (!functions_->query_async) {
    OMPTARGET_TRY(synchronize(device, queue));
    return true;
  }
  if (const int32_t result = functions_->query_async(device, &queue.info); result != 0) {
    queue.info.Queue = nullptr;
    return plugin_failure(*this, *functions_, {"query_async", result}, "complete the work of a queue on its device %d",
                          device);
  }
  return !queue.is_busy();
}

Result<void *> Plugin::create_event(int32_t device) const {
  if (!has_events_)
    return no_support(*this, "create_event");
  void *event = nullptr;
  if (const int32_t result = functions_->create_event(device, &event); result != 0)
    return plugin_failure(*this, *functions_, {"create_event", result}, "create an event on its device %d", device);
  return event;
}

Status Plugin::record_event(int32_t device, void *event, Queue &queue) const {
  if (!has_events_)
    return no_support(*this, "record_event");
  if (const int32_t result = functions_->record_event(device, event, &queue.info); result != 0)
    return plugin_failure(*this, *functions_, {"record_event", result}, "record an event on its device %d", device);
  return Status::ok();
}

Status Plugin::wait_event(int32_t device, void *event, Queue &queue) const {
  if (!has_events_)
    return no_support(*this, "wait_event");
  if (const int32_t result = functions_->wait_event(device, event, &queue.info); result != 0)
    return plugin_failure(*this, *functions_, {"wait_event", result}, "make a queue of its device %d wait for an event",
                          device);
  return Status::ok();
}

Status Plugin::sync_event(int32_t device, void *event) const {
  if (!has_events_)
    return no_support(*this, "sync_event");
  if (const int32_t result = functions_->sync_event(device, event); result != 0)
    return plugin_failure(*this, *functions_, {"sync_event", result}, "wait for an event of its device %d", device);
  return Status::ok();
}

void Plugin::destroy_event(int32_t device, void *event) const {
  if (!has_events_)
    return;
  if (const int32_t result = functions_->destroy_event(device, event); result != 0)
    plugin_failure(*this, *functions_, {"destroy_event", result}, "destroy an event of its device %d", device)
        .consume();
}

Result<void *> Plugin::start_timing(int32_t device, Queue &queue) const {
  void *timing = nullptr;
  if (const int32_t result = functions_->start_timing(device, &queue.info, &timing); result != 0)
    return plugin_failure(*this, *functions_, {"start_timing", result}, "take the time of work on its device %d",
                          device);
  return timing;
}

Status Plugin::stop_timing(int32_t device, Queue &queue, void *timing) const {
  if (const int32_t result = functions_->stop_timing(device, &queue.info, timing); result != 0)
    return plugin_failure(*this, *functions_, {"stop_timing", result}, "take the time of work on its device %d",
                          device);
  return Status::ok();
}

Result<Plugin::Times> Plugin::read_timing(int32_t device, void *timing) const {
  Times times{0, 0};
  if (const int32_t result = functions_->read_timing(device, timing, &times.begin_ns, &times.end_ns); result != 0)
    return plugin_failure(*this, *functions_, {"read_timing", result}, "tell the time of work on its device %d",
                          device);
  return times;
}

void Plugin::drop_timing(int32_t device, void *timing) const {
  functions_->read_timing(device, timing, nullptr, nullptr);
}

Result<void *> Plugin::data_lock(int32_t device, void *host, int64_t size) const {
  if (!functions_->data_lock)
    return static_cast<void *>(nullptr);
  void *accessible = nullptr;
  if (const int32_t result = functions_->data_lock(device, host, size, &accessible); result != 0)
    return plugin_failure(*this, *functions_, {"data_lock", result},
                          "pin %llu bytes at host address %p for its device %d", static_cast<unsigned long long>(size),
                          host, device);
  return accessible;
}

Status Plugin::data_unlock(int32_t device, void *host) const {
  if (!functions_->data_unlock)
    return Status::ok();
  if (const int32_t result = functions_->data_unlock(device, host); result != 0)
    return plugin_failure(*this, *functions_, {"data_unlock", result}, "unpin host address %p for its device %d", host,
                          device);
  return Status::ok();
}

Status Plugin::data_notify_mapped(int32_t device, void *host, int64_t size) const {
  if (!wants_mappings_ || !functions_->data_notify_mapped)
    return Status::ok();
  if (const int32_t result = functions_->data_notify_mapped(device, host, size); result != 0)
    return plugin_failure(*this, *functions_, {"data_notify_mapped", result},
                          "pin %llu mapped bytes at host address %p for its device %d",
                          static_cast<unsigned long long>(size), host, device);
  return Status::ok();
}

Status Plugin::data_notify_unmapped(int32_t device, void *host) const {
  if (!wants_mappings_ || !functions_->data_notify_unmapped)
    return Status::ok();
  if (const int32_t result = functions_->data_notify_unmapped(device, host); result != 0)
    return plugin_failure(*this, *functions_, {"data_notify_unmapped", result},
                          "unpin mapped host address %p for its device %d", host, device);
  return Status::ok();
}

bool Plugin::use_auto_zero_copy(int32_t device) const {
  return functions_->use_auto_zero_copy && functions_->use_auto_zero_copy(device) != 0;
}

int32_t Plugin::host_memory_access(int32_t device) const {
  return functions_->host_memory_access ? functions_->host_memory_access(device) : -1;
}

Status Plugin::set_function_ptr_map(int32_t device, uint64_t count, __omp_offloading_fptr_map_ty *table) const {
  if (!functions_->set_function_ptr_map)
    return no_support(*this, "set_function_ptr_map");
  const int32_t result = functions_->set_function_ptr_map(device, count, table);
  if (result != 0 && (functions_->features & OMPTARGET_PLUGIN_FUNCTION_MAP_RESULT) != 0)
    return plugin_failure(*this, *functions_, {"set_function_ptr_map", result},
                          "set the table of %llu indirect functions of its device %d",
                          static_cast<unsigned long long>(count), device);
  return Status::ok();
}

Status Plugin::set_image_functions(int32_t device, __tgt_target_table *image,
                                   const __tgt_image_functions &functions) const {
  if (const int32_t result = functions_->set_image_functions(device, image, &functions); result != 0)
    return plugin_failure(*this, *functions_, {"set_image_functions", result},
                          "set the table of the %llu indirect functions of an image on its device %d",
                          static_cast<unsigned long long>(functions.count), device);
  return Status::ok();
}

Result<__tgt_async_info *> Plugin::init_async_info(int32_t device) const {
  __tgt_async_info *info = nullptr;
  if (!functions_->init_async_info)
    return info;
  if (const int32_t result = functions_->init_async_info(device, &info); result != 0)
    return plugin_failure(*this, *functions_, {"init_async_info", result}, "create a queue on its device %d", device);
  return info;
}

Status Plugin::release_async_info(int32_t device, __tgt_async_info *info) const {
  if (!functions_->release_async_info || !info)
    return Status::ok();
  if (const int32_t result = functions_->release_async_info(device, info); result != 0)
    return plugin_failure(*this, *functions_, {"release_async_info", result}, "release a queue of its device %d",
                          device);
  return Status::ok();
}

Status Plugin::init_device_info(int32_t device, __tgt_device_info *info) const {
  if (!functions_->init_device_info)
    return no_support(*this, "init_device_info");
  const char *words = nullptr;
  if (const int32_t result = functions_->init_device_info(device, info, &words); result != 0) {
    const std::string text(readable_text(words).value_or(""));
    return plugin_failure(*this, *functions_, {"init_device_info", result},
                          "tell the native handles of its device %d%s%s", device, text.empty() ? "" : ": ",
                          text.c_str());
  }
  return Status::ok();
}

bool Plugin::print_device_info(int32_t device) const {
  if (!functions_->print_device_info)
    return false;
  functions_->print_device_info(device);
  return true;
}

std::string Plugin::device_arch(int32_t device) const { return text_from(functions_->device_arch, device); }
int32_t Plugin::device_numa_domain(int32_t device) const {
  return functions_->device_numa_domain ? functions_->device_numa_domain(device) : -1;
}
std::string Plugin::device_uid(int32_t device) const { return text_from(functions_->device_uid, device); }

std::optional<__tgt_launch_shape> Plugin::launch_shape(int32_t device, void *kernel,
                                                       const __tgt_kernel_args &args) const {
  __tgt_launch_shape shape{};
  if (!functions_->launch_shape || functions_->launch_shape(device, kernel, &args, &shape) != 0 || shape.teams == 0)
    return std::nullopt;
  return shape;
}

size_t Plugin::group_memory_limit(int32_t device) const {
  return functions_->group_memory_limit ? static_cast<size_t>(functions_->group_memory_limit(device)) : 1;
}

std::optional<__tgt_memory_statistics> Plugin::memory_statistics(int32_t device) const {
  __tgt_memory_statistics statistics{};
  statistics.size = sizeof statistics;
  if (!functions_->memory_statistics || functions_->memory_statistics(device, &statistics) != 0)
    return std::nullopt;
  return statistics;
}

Status Plugin::trim_memory(int32_t device) const {
  const int32_t result = functions_->trim_memory ? functions_->trim_memory(device) : 0;
  return result == 0 ? Status::ok()
                     : plugin_failure(*this, *functions_, {"trim_memory", result},
                                      "give back the memory that its device %d keeps", device);
}

} // namespace omptarget
