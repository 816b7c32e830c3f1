// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interoperability objects (OpenMP 6.0, chapter 16): the native handles of a device and a queue of it, as far as the
// device's plugin has them. The program puts work into that queue, which constructs wait for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>

#include "base/status.h"
#include "device/device.h"

namespace omptarget {

/// A foreign runtime and its vendor, by the names and numbers of the OpenMP Additional Definitions.
struct ForeignRuntime {
  const char *plugin; ///< the plugin whose handles are of this runtime
  intptr_t id;
  const char *name;
  intptr_t vendor;
  const char *vendor_name;
  bool has_context; ///< the runtime's definition has the property device_context
};

/// One interoperability object. Any thread.
class Interop {
public:
  /// Null if the device has no foreign runtime: omp_interop_none. preferences has foreign runtimes (omp_interop_fr_t),
  /// the best first; if the device has none of them, it chooses. owner: the thread of libomp whose implicit object it
  /// is, or kExplicit.
  static Result<std::shared_ptr<Interop>> make(Device &device, bool has_queue, std::span<const int32_t> preferences,
                                               int32_t owner);
  Interop(const Interop &) = delete;
  Interop &operator=(const Interop &) = delete;
  ~Interop();

  static constexpr int32_t kExplicit = -1;

  const Device &device() const { return device_; }
  /// Null if nothing is known of the plugin's runtime.
  const ForeignRuntime *runtime() const { return runtime_; }
  int32_t owner() const { return owner_; }
  /// The native handles, or null: the plugin has none, or the device has ended.
  void *device_handle() const;
  void *context_handle() const;
  /// The native queue, or null as above. Clang does not tell an object of `init(target, targetsync: ...)` from one of
  /// `init(target: ...)`, so both get a queue when the program asks for it.
  Result<void *> queue_handle();

  /// Returns an event behind all that is in the queue now; null if nothing is left to wait for.
  Result<void *> mark();
  /// Waits for such an event, and ends it.
  Status wait(void *event);
  /// Ends the event without waiting for it. Null: nothing.
  void forget(void *event);
  /// Waits for all that is in the queue now.
  Status wait();
  /// In the child of a fork: the thread that may have held the mutex is not there.
  void forget_other_users() { new (&mutex_) std::mutex; }
  /// Gives the queue back, after its work. The object has none from then on.
  Status close();

private:
  Interop(Device &device, int32_t owner) : device_(device), owner_(owner) {}
  Status open_queue();

  Device &device_;
  const int32_t owner_;
  const ForeignRuntime *runtime_ = nullptr;
  __tgt_device_info handles_{};
  bool has_handles_ = false;
  /// Guards queue_, which the plugin lets one thread at a time use. Held while the plugin opens it, marks it and takes
  /// it back.
  std::mutex mutex_;
  __tgt_async_info *queue_ = nullptr;
};

/// The value of a program's variable (omp_interop_t): a number that no other object ever gets. So a variable whose
/// object was destroyed is known for what it is. Null: omp_interop_none.
using InteropHandle = void *;

/// The thread that uses an object, and whether it may leave the waiting to finish_interop_work().
struct InteropUser {
  int32_t thread; ///< as libomp numbers it; unused if the waiting is not left
  bool may_defer;
};

/// Enters an object, which may be null: then the handle is. Any thread, as all of these.
InteropHandle add_interop(std::shared_ptr<Interop> object);
/// Null if there is no such object: it was never made, or it was destroyed.
std::shared_ptr<Interop> find_interop(const void *handle);
/// Returns the implicit object that the thread has already, or null. Its work is waited for by finish_interop_work().
InteropHandle reuse_implicit_interop(const Device &device, int32_t thread, std::span<const int32_t> preferences);
/// Foreign work of an implicit object may follow, which finish_interop_work(thread) waits for.
void expect_implicit_work(const void *handle, int32_t thread);

/// Completes what is in the object's queue before the construct's generated task (OpenMP 6.0, section 16.1). Fails if
/// there is no such object, or its work has failed. The caller has waited for the construct's dependences, also with
/// nowait: native work that the program adds next must not begin before them.
Status use_interop(const void *handle, InteropUser user);
/// The same, and the object ends.
Status destroy_interop(const void *handle, InteropUser user);

/// Waits for what this thread's constructs have deferred. No lock and one load if there is nothing of any thread.
Status finish_interop_work(int32_t thread);

std::mutex &interop_mutex_for_fork();
/// In the child of a fork, whose devices are the parent's.
void forget_interop_work();

} // namespace omptarget
