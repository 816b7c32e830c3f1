// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device for tests, made of functions of this process: its memory is the host's, filled with a pattern. The lazy one
// queues work and does it as late as it may: at synchronize, for another queue that waits, or one piece per query. So a
// copy for which no thread waits has not arrived, and memory that was freed too early is read after its end.
#pragma once

#include <cstdint>
#include <functional>

#include "device/device.h"

namespace omptarget::test {

enum class FakeKind { kSynchronous, kLazy, kLazyWithoutEvents };

/// Counts of the fake's calls since reset_counts().
struct FakeCounts {
  int64_t allocations = 0;
  int64_t frees = 0;
  int64_t to_device = 0;
  int64_t to_host = 0;
  int64_t bytes_to_device = 0;
  int64_t synchronisations = 0;
  int64_t events = 0;         ///< that are alive
  int64_t interop_queues = 0; ///< likewise
  int64_t launches = 0;
};
FakeCounts fake_counts();
void reset_fake_counts();
/// Blocks of device memory that are allocated now.
int64_t fake_blocks();
/// Every n-th allocation from now on fails; 0: none.
void fail_allocation(int64_t n);

/// From now on all fakes together have so much memory.
void limit_memory(int64_t bytes);

/// The n-th copy to a synchronous device from now on fails; 0: none.
void fail_submit(int64_t n);

/// The n-th copy to a device with queues from now on is refused: it gets into none; 0: none.
void refuse_submit(int64_t n);

/// The n-th copy from the device from now on fails; 0: none.
void fail_retrieve(int64_t n);

/// The n-th wait for a queue from now on says that its work has failed; 0: none.
void fail_synchronize(int64_t n);

/// The n-th free of device memory from now on says that it has failed; 0: none.
void fail_free(int64_t n);

/// Events that are alive are no longer counted.
void forget_events();

/// The n-th wait for an event from now on fails; 0: none.
void fail_wait(int64_t n);

/// Called before each copy to a synchronous device, with no lock held. For each copy from it, called before and after
/// the device is read and when the host is written.
enum class FakeOperation { kSubmit, kBeforeRead, kRead, kRetrieve };
void set_fake_hook(std::function<void(FakeOperation)> hook);

/// The byte that fresh device memory is filled with.
inline constexpr unsigned char kFresh = 0xa5;

/// A plugin of that kind with two devices; lives for ever.
const Plugin &fake_plugin(FakeKind kind);

/// Those of the device below: none, unless the test adds some. Lives for ever.
ModuleRegistry &fake_modules();

/// A device of that plugin.
class FakeDevice : public Device {
public:
  explicit FakeDevice(FakeKind kind, int32_t number = 0);
  ~FakeDevice() { arrivals().destroy_all(); }
};

/// Kernels are functions of the arguments; their address is the handle.
using FakeKernel = std::function<void(void **arguments)>;

} // namespace omptarget::test
