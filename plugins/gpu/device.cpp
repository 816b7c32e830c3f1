// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/device.h"

#include <algorithm>
#include <cstdio>

#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "common/boundary.h"
#include "common/device_layouts.h"
#include "common/schedule_text.h"
#include "gpu/devices.h"

namespace omptarget::gpu {

namespace {

constinit std::atomic<bool> has_warned_of_unified_memory{false};

// Once in a process: devices are mostly of one kind.
void warn_of_unified_memory(const std::string &problem) {
  if (!has_warned_of_unified_memory.exchange(true, std::memory_order_relaxed))
    write_error_line("omptarget warning: " + problem + ": kernels that use other memory fail");
}

} // namespace

int32_t Device::number() const {
  const int32_t told = number_.load(std::memory_order_relaxed);
  return told >= 0 ? told : id_ + device_offset();
}

Status Device::why_unusable() {
  if (is_forked())
    return Status::error(format("device %d: %s cannot be used in the child of a process that used it before fork",
                                number(), kVendor.driver));
  if (!is_ready())
    return Status::error(format("device %d is not initialised", number()));
  show_last_prints();
  return Status::error(fault_.text());
}

/// Tells the program of a fault, before it may end. A driver may report one fault twice, and the address once.
void Device::tell_traces(std::optional<uint64_t> address) {
  if (address && !has_told_address_.exchange(true, std::memory_order_relaxed))
    allocations_.tell_fault(number(), *address);
  if (!has_told_launches_.exchange(true, std::memory_order_relaxed))
    launches_.tell_traces(number());
}

void Device::lose(const std::string &what, std::optional<uint64_t> address) {
  tell_traces(address);
  const std::string kernels = launches_.unfinished();
  const std::string problem = unified_memory_problem();
  std::string why = functions_.call_of_other();
  if (why.empty()) // otherwise the driver only tells of a trap
    why = problem.empty() ? what : what + "; " + problem;
  fault_.set(kernels.empty() ? format("device %d failed: %s", number(), why.c_str())
                             : format("%s failed on device %d: %s", kernels.c_str(), number(), why.c_str()));
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "%s", fault_.text().c_str());
}

void Device::show_last_prints() {
  if (fault_.happened())
    services_.lost();
  std::fflush(stdout);
}

void Device::forget_fault() {
  fault_.clear();
  launches_.completed(nullptr);
  has_told_launches_.store(false, std::memory_order_relaxed);
  has_told_address_.store(false, std::memory_order_relaxed);
}

// ---- Memory of the host

bool Device::wants_zero_copy() const {
  return reaches_host_memory() && (shares_memory_with_cpu() || setting_flag(SettingId::kApuMaps));
}

// Empty if there is none.
std::string Device::unified_memory_problem() const {
  if (!uses_unified_shared_memory() || reaches_host_memory())
    return {};
  return format("the program requires unified_shared_memory, and device %d (%s) reaches %s", number(),
                architecture().c_str(), host_memory_access().text);
}

void Device::report_host_memory() const {
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "reaches %s; mapped data is %s", host_memory_access().text,
                         kernels_use_host_memory() ? "used in place" : "copied");
  if (kernels_use_host_memory() && wants_info(kInfoKernels))
    omptarget::print_info(number(), "The device reaches %s; mapped data is used in place", host_memory_access().text);
  if (const std::string problem = unified_memory_problem(); !problem.empty())
    warn_of_unified_memory(problem);
  if (!reaches_host_memory() && setting_flag(SettingId::kApuMaps))
    warn_about_setting(SettingId::kApuMaps, format("device %d (%s) reaches %s; mapped data is copied", number(),
                                                   architecture().c_str(), host_memory_access().text));
}

// ---- Life

Status Device::init() {
  if (is_lost_)
    return Status::error(format("device %d could not be closed and cannot be opened again", number()));
  OMPTARGET_TRY(open());
  Status status;
  {
    Scope scope(*this);
    status = create_contents();
    if (!status)
      release_contents().consume();
  }
  if (!status) {
    close().consume();
    return status;
  }
  is_zero_copy_ = wants_zero_copy();
  is_ready_.store(true, std::memory_order_release);
  OMPTARGET_TRACE_DEVICE(Topic::kDevice, number(), "ready: %s", summary().c_str());
  report_host_memory();
  return Status::ok();
}

Status Device::create_contents() {
  limits_ = LaunchLimits{};
  set_limits(limits_);
  apply_launch_settings(limits_);
  debug_kind_ = static_cast<uint32_t>(setting_integer(SettingId::kDeviceRtlDebug));
  heap_pools_.init((debug_kind_ & kDebugAllocationTracker) != 0);
  OMPTARGET_TRY(create_own());
  OMPTARGET_TRY_ASSIGN(const uint64_t free, free_memory());
  OMPTARGET_TRY(memory_.init(free));
  staging_.init();
  return queues_.init();
}

Status Device::deinit() {
  if (!is_ready_.exchange(false, std::memory_order_acq_rel))
    return Status::ok();
  Status status;
  {
    Scope scope(*this);
    status = check_entered();
    is_lost_ = !status;
    if (!is_lost_)
      status = release_contents();
  }
  if (!is_lost_)
    status.keep_first(close());
  return status;
}

// Goes on after failures: what can be given back after a kernel's fault is given back.
Status Device::release_contents() {
  Status status;
  if (!fault_.happened())
    status.keep_first(wait_for_kernels());
  services_.completed(nullptr);
  while (!images_.empty()) {
    status.keep_first(close_image(*images_.back()));
    images_.pop_back();
  }
  trace_statistics(number(), memory_.statistics());
  status.keep_first(functions_.release());
  status.keep_first(queues_.release_all());
  status.keep_first(staging_.release_all());
  status.keep_first(memory_.release_all());
  allocations_.clear();
  status.keep_first(release_own());
  return status;
}

// ---- Images

Result<__tgt_target_table *> Device::load_image(const __tgt_device_image &source) {
  OMPTARGET_TRY_ASSIGN(std::unique_ptr<Image> image, Image::load(*this, source));
  Status status = write_environment(*image);
  if (status)
    status = give_services(*image);
  if (status)
    status = image->run_global_calls(GlobalCall::kConstructors);
  if (!status) {
    image->unload().consume();
    services_.take_back(*image).consume();
    heap_pools_.take_back(*this, *image).consume();
    return status;
  }
  images_.push_back(std::move(image));
  return images_.back()->table();
}

Result<Image *> Device::find_image(const __tgt_target_table *table) const {
  for (const auto &image : images_)
    if (image->table() == table)
      return image.get();
  return Status::error(format("%p is no table of an image on device %d", static_cast<const void *>(table), number()));
}

Status Device::unload_image(const __tgt_target_table *table) {
  OMPTARGET_TRY_ASSIGN(Image *const image, find_image(table));
  OMPTARGET_TRY(wait_for_kernels());
  launches_.completed(nullptr);
  services_.completed(nullptr);
  Status status = close_image(*image);
  std::erase_if(images_, [=](const auto &one) { return one.get() == image; });
  return status;
}

Status Device::set_image_functions(const __tgt_target_table *table, const __tgt_image_functions &functions) {
  OMPTARGET_TRY_ASSIGN(Image *const image, find_image(table));
  return functions_.set_own(*image, functions);
}

Status Device::close_image(Image &image) {
  Status status = fault_.happened() ? Status::ok() : image.run_global_calls(GlobalCall::kDestructors);
  report_memory_pool(image);
  if (image.profile() && !fault_.happened())
    save_profile(*this, image, *image.profile(), (debug_kind_ & kDebugProfile) != 0);
  image.release_turns();
  status.keep_first(image.unload());
  status.keep_first(functions_.take_back(image));
  status.keep_first(services_.take_back(image));
  status.keep_first(heap_pools_.take_back(*this, image));
  return status;
}

Status Device::trim_memory() {
  Status status = queues_.release_environments();
  status.keep_first(memory_.trim());
  return status;
}

// Device environment, function map and memory pool of an image that was just loaded.
Status Device::write_environment(Image &image) {
  const DeviceRates numbers = rates();
  DeviceEnvironment environment{};
  environment.debug_kind = debug_kind_;
  environment.num_devices = static_cast<uint32_t>(number_of_devices());
  environment.device_number = static_cast<uint32_t>(number());
  environment.dynamic_memory_size = limits_.shared_memory;
  environment.clock_frequency = numbers.clock_frequency;
  environment.hardware_parallelism = numbers.hardware_parallelism;
  for (const char *name : kDeviceEnvironmentNames) {
    OMPTARGET_TRY_ASSIGN(const bool written, image.write_global(name, &environment, sizeof(environment)));
    if (written)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, number(), "wrote %s", name);
  }
  if (const auto schedule = omptarget::device_schedule(number())) {
    const DeviceSchedule value{schedule->kind, schedule->chunk};
    OMPTARGET_TRY_ASSIGN(const bool written, image.write_global(kDeviceScheduleName, &value, sizeof(value)));
    if (written)
      OMPTARGET_TRACE_DEVICE(Topic::kImage, number(), "wrote %s", kDeviceScheduleName);
  }
  OMPTARGET_TRY(functions_.write(image));
  return has_heap_pools() ? heap_pools_.give(*this, image) : Status::ok();
}

Status Device::give_services(Image &image) {
  OMPTARGET_TRY_ASSIGN(const bool needs_services, services_.give(image));
  if (needs_services)
    image.note_services();
  return Status::ok();
}

// Where device code has no malloc of the driver's, the device runtime takes its memory from here.
void Device::report_memory_pool(Image &image) {
  if (!(debug_kind_ & kDebugAllocationTracker) || fault_.happened())
    return;
  DeviceMemoryPoolTracker tracker{};
  Result<bool> found = image.read_global(kMemoryPoolTrackerName, &tracker, sizeof(tracker));
  Result<std::optional<DeviceMemoryPoolTracker>> own = heap_pools_.statistics(*this, image);
  const bool is_own = own && *own;
  if (is_own)
    tracker = **own;
  if (is_own || (found && *found))
    omptarget::print_info(
        number(), "device memory pool: %llu allocations, %llu bytes, smallest %llu, largest %llu",
        static_cast<unsigned long long>(tracker.count), static_cast<unsigned long long>(tracker.total),
        static_cast<unsigned long long>(tracker.least), static_cast<unsigned long long>(tracker.most));
}

} // namespace omptarget::gpu
