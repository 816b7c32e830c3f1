// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIBOMPTARGET_RECORD: reads the memory that a launch reaches before and after it, and writes the recording.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/status.h"
#include "device/call.h"
#include "device/launch_request.h"
#include "mapping/map_arguments.h"
#include "memory/allocated_memory.h"
#include "observe/listeners.h"
#include "observe/recording_choice.h"
#include "record/recording.h"

namespace omptarget {

class ReachedMemory;

/// The recording of one launch. Used by one thread. Failures of recording are warned about, and change nothing for the
/// program.
class KernelRecorder {
public:
  /// A recorder if this launch is to be recorded, else null. request: before anything is launched.
  static std::unique_ptr<KernelRecorder> of(Device &device, const Call &call, const Kernel &kernel,
                                            const LaunchRequest &request) {
    if (!(observe::listeners() & observe::listener::kRecord))
      return nullptr;
    return claim(device, call, kernel, request);
  }
  ~KernelRecorder();
  KernelRecorder(const KernelRecorder &) = delete;
  KernelRecorder &operator=(const KernelRecorder &) = delete;

  /// The launch's private memory, and the pointers in it that hold device addresses.
  void set_private(DevicePtr begin, int64_t size) { private_ = {begin, static_cast<uint64_t>(size)}; }
  void add_pointer(DevicePtr place, DevicePtr value) { private_pointers_.push_back({place, value}); }
  /// The next argument, with the value that the kernel gets.
  void add_argument(const MapItem &item, MappingRef mapping, void *value) {
    arguments_.push_back({item, mapping, value});
  }

  /// Carries out the launch between two readings. The recording is written before the launch, and then, with its
  /// results, once more: a kernel that ends the process is recorded, too. settle(): waits for what is queued. Returns the
  /// launch's failure, or that of what was queued before.
  template <typename Settle, typename Launch> Status record(const ArgumentRefs &refs, Settle settle, Launch launch) {
    OMPTARGET_TRY(settle());
    const bool is_begun = read_before(refs);
    OMPTARGET_TRY(launch());
    OMPTARGET_TRY(settle());
    if (is_begun)
      read_after();
    return Status::ok();
  }

private:
  struct ArgumentItem {
    MapItem item;
    MappingRef mapping;
    void *value;
  };
  struct PrivatePointer {
    DevicePtr place, value;
  };

  KernelRecorder(Device &device, const Call &call, const Kernel &kernel, const LaunchRequest &request,
                 observe::RecordedLaunch launch);
  static std::unique_ptr<KernelRecorder> claim(Device &device, const Call &call, const Kernel &kernel,
                                               const LaunchRequest &request);
  bool read_before(const ArgumentRefs &refs);
  void read_after();
  Status read_program();
  Status read_memory(const ArgumentRefs &refs);
  void note_program_addresses();
  record::Argument describe(const ArgumentItem &argument);
  void describe_facts(const OffloadLibrary &library);
  Status write();

  Device &device_;
  const Call &call_;
  const Kernel &kernel_;
  const observe::RecordedLaunch launch_;
  record::Recording recording_;
  std::vector<std::byte> image_;
  std::vector<ArgumentItem> arguments_;
  AllocatedRange private_{};
  std::vector<PrivatePointer> private_pointers_;
  std::optional<KeptAllocations> kept_;
  std::unique_ptr<ReachedMemory> memory_;
};

} // namespace omptarget
