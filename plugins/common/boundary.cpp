// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "common/boundary.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"
#include "base/settings.h"
#include "base/text_output.h"
#include "common/launch_traces.h"
#include "common/thread_text.h"

namespace omptarget {

namespace {

constinit std::atomic<bool> host_asks{false};

uint64_t own_bits() { return LaunchTraces::number_from_setting() != 0 ? kKeepsLaunches : 0; }

} // namespace

constinit std::atomic<uint64_t> info_internal::bits{kUnread};

int32_t finish_failed(Status status, int32_t device) {
  keep_reason(status);
  OMPTARGET_TRACE_DEVICE(Topic::kPlugin, device, "failed: %s", plugin::thread_text().c_str());
  if (!host_asks.load(std::memory_order_relaxed))
    write_error_line("omptarget error: " + plugin::thread_text());
  return kFailure;
}

void keep_reason(const Status &status) { plugin::set_thread_text(status.to_string()); }

void host_library_asks_for_errors() { host_asks.store(true, std::memory_order_relaxed); }

void set_info_bits(uint32_t bits) { info_internal::bits.store(bits | own_bits(), std::memory_order_relaxed); }

uint64_t info_internal::read_bits() {
  uint64_t unread = kUnread;
  const uint64_t read = static_cast<uint32_t>(setting_integer(SettingId::kInfo)) | own_bits();
  return bits.compare_exchange_strong(unread, read, std::memory_order_relaxed) ? read : unread;
}

void print_info(int32_t device, const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  const std::string text = format_arguments(pattern, arguments);
  va_end(arguments);
  write_error_line(format("\"PluginInterface\" device %d info: ", device) + text);
}

} // namespace omptarget
