// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "amdgpu/signal.h"

#include <algorithm>

#include "amdgpu/device.h"
#include "amdgpu/driver.h"
#include "base/settings.h"

namespace omptarget::amdgpu {

namespace {
// A fault leaves signals as they are, so that a wait must look for it itself.
constexpr uint64_t kSliceMilliseconds = 10;
} // namespace

void SignalRef::set_free() { signal_->pool.free_.lock()->push_back(signal_); }

Status SignalPool::init() {
  const uint64_t frequency = driver().timestamp_frequency;
  const uint64_t busy = static_cast<uint64_t>(setting_in(SettingId::kAmdgpuStreamBusywait, 0, INT32_MAX));
  busy_ticks_ = frequency * busy / 1000000;
  slice_ticks_ = std::max<uint64_t>(1, frequency * kSliceMilliseconds / 1000);
  for (int64_t i = setting_in(SettingId::kAmdgpuNumInitialSignals, 0, 65536); i > 0; --i) {
    OMPTARGET_TRY_ASSIGN(Signal *const signal, create());
    free_.lock()->push_back(signal);
  }
  return Status::ok();
}

Result<Signal *> SignalPool::create() {
  hsa_signal_t handle{0};
  OMPTARGET_TRY_DURING(OMPTARGET_HSA(hsa_amd_signal_create, 1, 0, nullptr, 0, &handle), "while creating a signal");
  auto all = all_.lock();
  all->push_back(std::make_unique<Signal>(handle, *this));
  return all->back().get();
}

Result<SignalRef> SignalPool::take() {
  Signal *signal = nullptr;
  {
    auto free = free_.lock();
    if (!free->empty()) {
      signal = free->back();
      free->pop_back();
    }
  }
  if (!signal) {
    OMPTARGET_TRY_ASSIGN(signal, create());
  } else {
    OMPTARGET_HSA_RESULT(hsa_signal_store_relaxed, signal->handle, 1);
  }
  return SignalRef(signal);
}

void SignalPool::set_again(const SignalRef &signal) {
  OMPTARGET_HSA_RESULT(hsa_signal_store_relaxed, signal.handle(), 1);
}

// The driver makes the signal of a copy that it could not carry out negative; what waits for it on the device waits for
// ever, so the device is lost.
Status SignalPool::check(hsa_signal_value_t value) {
  if (value >= 0)
    return Status::ok();
  device_.lose(format("an operation failed (its signal has the value %lld)", static_cast<long long>(value)));
  return Status::error(device_.fault().text());
}

Status SignalPool::wait(const SignalRef &signal) {
  uint64_t busy = busy_ticks_;
  while (true) {
    const bool spins = busy != 0;
    const uint64_t ticks = spins ? std::min(busy, slice_ticks_) : slice_ticks_;
    const hsa_signal_value_t value =
        OMPTARGET_HSA_RESULT(hsa_signal_wait_scacquire, signal.handle(), HSA_SIGNAL_CONDITION_LT, 1, ticks,
                             spins ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED);
    if (value < 1)
      return check(value);
    if (device_.fault().happened())
      return Status::error(device_.fault().text());
    busy -= std::min(busy, ticks);
  }
}

Result<bool> SignalPool::is_complete(const SignalRef &signal) {
  const hsa_signal_value_t value = OMPTARGET_HSA_RESULT(hsa_signal_load_scacquire, signal.handle());
  OMPTARGET_TRY(check(value));
  if (value > 0 && device_.fault().happened())
    return Status::error(device_.fault().text());
  return value == 0;
}

Status SignalPool::release_all() {
  Status status;
  free_.lock()->clear();
  std::vector<std::unique_ptr<Signal>> all;
  all.swap(*all_.lock());
  for (const auto &signal : all)
    status.keep_first(OMPTARGET_HSA(hsa_signal_destroy, signal->handle));
  return status;
}

} // namespace omptarget::amdgpu
