// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gpu/devices.h"

#include <atomic>
#include <cstdlib>
#include <pthread.h>

#include "base/log.h"
#include "base/text_output.h"
#include "common/boundary.h"
#include "gpu/device.h"

namespace omptarget::gpu {

constinit std::atomic<const Devices *> devices_internal::all{nullptr};
constinit std::atomic<bool> devices_internal::was_forked{false};
constinit std::atomic<int64_t> devices_internal::requirements{0};

namespace {

constinit std::atomic<int32_t> first_number{0};
constinit std::atomic<__tgt_host_call> call_of_host{nullptr};

/// Returns a text on variables of the environment that limit the driver's devices; empty if there is none.
std::string visibility_text() {
  std::string text;
  if (const char *value = std::getenv(kVendor.visibility))
    text = format("%s=%s hides %s", kVendor.visibility, *value ? value : "'' (an empty list)",
                  *value ? "all devices but these" : "all devices");
  for (const char *other : kVendor.ignored_visibility())
    if (std::getenv(other))
      text += format("%s%s is set, but it hides nothing from OpenMP: %s does", text.empty() ? "" : "; ", other,
                     kVendor.visibility);
  return text;
}

} // namespace

Devices &devices() {
  static Devices &all = *[] {
    set_log_prefix(kVendor.log_prefix);
    auto *found = new Devices;
    const std::string visibility = visibility_text();
    if (!visibility.empty())
      OMPTARGET_TRACE(Topic::kPlugin, "%s", visibility.c_str());
    if (Status status = kVendor.find_devices(*found); !status) {
      if (!visibility.empty())
        status = Status::error(status.to_string() + "; " + visibility);
      OMPTARGET_TRACE(Topic::kPlugin, "no devices: %s", status.to_string().c_str());
      keep_reason(status);
      found->clear();
    }
    pthread_atfork(nullptr, nullptr, [] { devices_internal::was_forked.store(true, std::memory_order_relaxed); });
    devices_internal::all.store(found, std::memory_order_release);
    return found;
  }();
  return all;
}

int32_t number_of_devices() { return static_cast<int32_t>(devices().size()); }

Status leave_out(int32_t number, int32_t count, Status why) {
  if (count == 1)
    return why;
  write_error_line(
      format("omptarget warning: %s: GPU %d of %d is left out, and those after it have lower device numbers: %s",
             kVendor.plugin, number, count, why.to_string().c_str()));
  why.consume();
  return Status::ok();
}

void set_device_offset(int32_t first) { first_number.store(first, std::memory_order_relaxed); }
int32_t device_offset() { return first_number.load(std::memory_order_relaxed); }
void set_host_call(__tgt_host_call call) { call_of_host.store(call, std::memory_order_release); }
__tgt_host_call host_call() { return call_of_host.load(std::memory_order_acquire); }
void set_requirements(int64_t mask) { devices_internal::requirements.fetch_or(mask, std::memory_order_relaxed); }

} // namespace omptarget::gpu
