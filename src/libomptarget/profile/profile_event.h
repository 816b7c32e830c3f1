// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The record of LIBOMPTARGET_PROFILE for one event, and its readers. Private to observe/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/construct_events.h"
#include "observe/device_events.h"

namespace omptarget::observe {

enum class EventKind : uint8_t {
  kTarget = 1, ///< the first four as ConstructKind
  kEnterData,
  kExitData,
  kUpdate,
  kKernel,
  kAllocate,
  kToDevice,
  kFromDevice,
  kDelete,
  kAssociate,
  kDisassociate,
  kBetweenDevices, ///< to device, from source_device
  kFill,
  kWait,
  kHostFallback, ///< name is the kernel, reason why
};

struct ProfileEvent {
  uint64_t begin_ns;
  uint64_t end_ns;
  uint64_t queued_ns; ///< of work on a device: when the call began that it follows from
  uint64_t region;    ///< number of the construct that it belongs to; 0: none
  uint64_t bytes;
  uint64_t fingerprint; ///< of the copied data, from a bounded number of samples; 0: not known
  const void *host;     ///< host address
  const char *name;     ///< of the kernel or the variable, as compilers write it; or null. Of the sum of constructs
                        ///< without a place: their kernel
  const char *place;    ///< of the construct, as compilers write it; or null
  const char *reason;   ///< of a fallback
  LaunchShape shape;    ///< of a kernel, as far as it is known
  int32_t device;
  int32_t source_device; ///< of kBetweenDevices
  uint32_t thread;
  EventKind kind;

  uint64_t duration() const { return end_ns - begin_ns; }
};

/// Events added up. Times in nanoseconds.
struct EventTotals {
  uint64_t count = 0;
  uint64_t total_ns = 0;
  uint64_t longest_ns = 0;
  uint64_t bytes = 0;
  uint64_t unchanged_count = 0; ///< copies of data that were on the other side already
  uint64_t unchanged_bytes = 0;
};

/// Events that are not kept.
struct EventSum : EventTotals {
  ProfileEvent event{}; ///< has what they have in common: kind, devices, name, place, reason
};

/// All events so far: those that are kept, in order of their begin, and the sums of the later ones.
struct Profile {
  std::vector<ProfileEvent> events;
  std::vector<EventSum> sums;
  std::vector<DeviceMemory> memory; ///< of devices whose plugins tell
  uint64_t granularity_ns = 0;      ///< shorter events are left out of timelines; tables count them

  /// Events that only tables have.
  uint64_t summed() const {
    uint64_t count = 0;
    for (const EventSum &sum : sums)
      count += sum.count;
    return count;
  }
};

/// The process that a profile is of.
struct ProfileSource {
  int64_t pid = 0;
  std::optional<int64_t> rank; ///< as its launcher tells
  /// A time by the clock that processes share (nanoseconds since 1970), and the same time by that of profiles.
  int64_t wall_ns = 0;
  uint64_t clock_ns = 0;
  std::string version; ///< of omptarget
  std::string node, program, command;
};
/// This process. Nothing is longer than a few thousand bytes.
ProfileSource own_profile_source();

/// Shorter events are left out of timelines (LIBOMPTARGET_PROFILE_GRANULARITY).
uint64_t profile_granularity_ns();

const char *mapped_data_text(MappedData mapped);

/// Chrome's trace-event format; tables as text.
std::string profile_as_json(const Profile &profile, const ProfileSource &source);
std::string profile_as_text(const Profile &profile);

} // namespace omptarget::observe
