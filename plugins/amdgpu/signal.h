// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals of a device, pooled and counted: each operation has one that goes from 1 to 0 when the operation is
// complete. It is used again only when nothing refers to it any more, neither a queue's packet nor an event.
#pragma once

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "amdgpu/hsa_api.h"
#include "base/guarded.h"
#include "base/status.h"

namespace omptarget::amdgpu {

class Device;
class SignalPool;

struct Signal {
  hsa_signal_t handle;
  SignalPool &pool;
  std::atomic<uint32_t> references{0};
};

/// A reference to a signal, or to none.
class SignalRef {
public:
  SignalRef() = default;
  explicit SignalRef(Signal *signal) : signal_(signal) {
    if (signal_)
      signal_->references.fetch_add(1, std::memory_order_relaxed);
  }
  SignalRef(const SignalRef &other) : SignalRef(other.signal_) {}
  SignalRef(SignalRef &&other) noexcept : signal_(std::exchange(other.signal_, nullptr)) {}
  SignalRef &operator=(SignalRef other) noexcept {
    std::swap(signal_, other.signal_);
    return *this;
  }
  // Release and acquire: the thread that takes the signal next comes after all uses by others.
  ~SignalRef() {
    if (signal_ && signal_->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      set_free();
  }

  explicit operator bool() const { return signal_ != nullptr; }
  hsa_signal_t handle() const { return signal_ ? signal_->handle : kNoSignal; }
  /// Tells whether nothing else refers to the signal.
  bool is_alone() const { return signal_ && signal_->references.load(std::memory_order_acquire) == 1; }

private:
  void set_free();
  Signal *signal_ = nullptr;
};

/// Any thread.
class SignalPool {
public:
  explicit SignalPool(Device &device) : device_(device) {}
  /// Reads LIBOMPTARGET_AMDGPU_NUM_INITIAL_HSA_SIGNALS and LIBOMPTARGET_AMDGPU_STREAM_BUSYWAIT.
  Status init();

  /// A signal with the value 1.
  Result<SignalRef> take();
  /// Gives a signal that is alone the value 1 again.
  static void set_again(const SignalRef &signal);
  /// Blocks until the signal is 0. Fails if the device faults meanwhile or the operation failed.
  Status wait(const SignalRef &signal);
  /// Returns whether wait() leaves the CPU to others from the start.
  bool sleeps() const { return busy_ticks_ == 0; }
  /// Returns whether it is 0.
  Result<bool> is_complete(const SignalRef &signal);
  /// Destroys all. Nothing refers to any.
  Status release_all();

private:
  friend class SignalRef;
  Result<Signal *> create();
  Status check(hsa_signal_value_t value);

  Device &device_;
  uint64_t busy_ticks_ = 0;  ///< for which a wait spins before it sleeps
  uint64_t slice_ticks_ = 0; ///< after which a wait looks whether the device has faulted
  Guarded<std::vector<Signal *>> free_;
  Guarded<std::vector<std::unique_ptr<Signal>>> all_;
};

} // namespace omptarget::amdgpu
