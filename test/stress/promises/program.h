// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenMP program as the runtime sees it, on the devices of the split plugins. It has modules with kernels,
// constructs by the entry points that compilers call, and the part of libomp that these need.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "device/device.h"
#include "generations/map_bits.h"
#include "split_plugin.h"

namespace omptarget::test {

/// Code of a region; gets the values of the construct's arguments that are parameters.
using Body = std::function<void(void **arguments)>;

/// One argument of a construct.
struct Argument {
  void *base;
  void *begin;
  int64_t size;
  uint64_t type;
};
inline Argument data(void *begin, int64_t size, uint64_t type) { return {begin, begin, size, type}; }
using Arguments = std::vector<Argument>;

/// The constructs of one thread on one device. A construct with nowait gives a handle, which is null if it is complete
/// already.
class Constructs {
public:
  explicit Constructs(int64_t device) : device_(device) {}

  /// A region; data become its parameters as the arguments' types say (kTargetParam).
  void region(const Arguments &arguments, const Body &body) const;
  void enter(const Arguments &arguments) const;
  void exit(const Arguments &arguments) const;
  void update(const Arguments &arguments) const;
  bool is_present(const void *host) const;

  /// The same with nowait. The body lives until the construct is complete.
  void *region_nowait(const Arguments &arguments, const Body &body) const;
  void *enter_nowait(const Arguments &arguments) const;
  void *exit_nowait(const Arguments &arguments) const;

private:
  int64_t device_;
};

/// Asks, as libomp does, about a task that is not complete. Returns whether it is complete now.
bool ask(void *&handle);
inline void wait_for(void *handle) {
  while (!ask(handle)) {
  }
}

/// Registers modules for devices of all kinds, gives the plugins the hooks, and numbers the devices. Once per process.
void start_program(const SplitHooks &hooks);
/// The number of the first device of that kind, and the device itself.
int64_t device_of(SplitKind kind);
Device &runtime_device(SplitKind kind);
/// Blocks of memory of devices of that kind.
int64_t count_blocks(SplitKind kind);
/// Returns whether the range is memory of a device of that kind.
bool is_device_memory(SplitKind kind, const void *address, int64_t size);
/// Frees the device's dormant data.
void free_dormant_data(SplitKind kind);

/// From now on somebody observes, or nobody does. Nothing is printed.
void observe(bool is_on);

} // namespace omptarget::test
