// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_DEBUG: the trace that every build can print, by topic, to stderr or LIBOMPTARGET_DEBUG_FILE. Host
// library and plugins each have their own copy with their own prefix. Off, it costs one predictable branch.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace omptarget {

/// Topics of the trace; LIBOMPTARGET_DEBUG names them in lower case (docs/use/observing.md).
enum class Topic : uint32_t {
  kRegistration = 1 << 0, ///< modules that come and go
  kImage = 1 << 1,        ///< images: matching, loading, symbols
  kPlugin = 1 << 2,       ///< plugins: search, checks, calls
  kDevice = 1 << 3,       ///< devices: numbering, initialisation, end
  kMapping = 1 << 4,      ///< present data
  kTransfer = 1 << 5,     ///< allocation and copies
  kKernel = 1 << 6,       ///< launches
  kIndirect = 1 << 7,     ///< indirect functions
  kApi = 1 << 8,          ///< calls of omp_* and llvm_omp_* functions
  kSetting = 1 << 9,      ///< settings read
  kTool = 1 << 10,        ///< OMPT
};

namespace log_internal {
extern std::atomic<uint32_t> topics; ///< bit kUnread: LIBOMPTARGET_DEBUG was not read yet
inline constexpr uint32_t kUnread = 1u << 31;
uint32_t read_topics();
} // namespace log_internal

/// The prefix of all lines of this library, for example "TARGET CUDA RTL"; "Libomptarget" unless set. Must live for
/// ever.
void set_log_prefix(const char *prefix);

/// Returns whether lines of this topic are printed. Any thread.
inline bool traces(Topic topic) {
  uint32_t topics = log_internal::topics.load(std::memory_order_relaxed);
  if (topics == 0) [[likely]]
    return false;
  if (topics & log_internal::kUnread) [[unlikely]]
    topics = log_internal::read_topics();
  return (topics & static_cast<uint32_t>(topic)) != 0;
}

/// Returns whether lines of any topic may be printed. Any thread.
inline bool traces_anything() { return log_internal::topics.load(std::memory_order_relaxed) != 0; }

/// Prints one line with time, thread, device (unless negative) and topic. Any thread; lines are never mixed.
[[gnu::format(printf, 3, 4)]] void trace_line(Topic topic, int32_t device, const char *pattern, ...);

/// Traces the settings that the environment has.
void trace_settings();

/// Parses a value of LIBOMPTARGET_DEBUG: a number (0 is off, 1 and more is everything) or topics separated by commas,
/// or "all". Words that are no topic are put into unknown, separated by commas.
uint32_t parse_topics(const char *value, std::string &unknown);

} // namespace omptarget

/// Traces with the device's number; TRACE for what belongs to no device.
#define OMPTARGET_TRACE_DEVICE(topic, device, ...)                                                                     \
  do {                                                                                                                 \
    if (::omptarget::traces(topic)) [[unlikely]]                                                                       \
      ::omptarget::trace_line(topic, static_cast<int32_t>(device), __VA_ARGS__);                                       \
  } while (false)
#define OMPTARGET_TRACE(topic, ...) OMPTARGET_TRACE_DEVICE(topic, -1, __VA_ARGS__)
