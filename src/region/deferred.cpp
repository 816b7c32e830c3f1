// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/deferred.h"

#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/settings.h"
#include "device/libomp.h"
#include "device/runtime.h"

namespace omptarget {

namespace {

/// How often asking is worth it before waiting; read once.
struct QuerySettings {
  int64_t most = setting_integer(SettingId::kQueryCountMax);
  int64_t threshold = setting_integer(SettingId::kQueryCountThreshold);
  double factor = setting_number(SettingId::kQueryCountBackoffFactor);
};
const QuerySettings &query_settings() {
  static const QuerySettings settings;
  return settings;
}

/// All work that is left to libomp. Never destroyed: threads of libomp's may come late.
Guarded<std::vector<ConstructWork *>> &left_work() {
  static auto *const all = new Guarded<std::vector<ConstructWork *>>;
  return *all;
}

bool take(ConstructWork &deferred) {
  auto expected = ConstructWork::State::kLeft;
  return deferred.state.compare_exchange_strong(expected, ConstructWork::State::kTaken, std::memory_order_acquire);
}

void destroy(ConstructWork *deferred) {
  std::erase(*left_work().lock(), deferred);
  delete deferred;
}

std::string place_of(const Call &call) {
  const SourcePosition position = source_position(call.location);
  return position ? format("%s at %.*s:%d:%d", call.construct, position.file_length, position.file, position.line,
                           position.column)
                  : call.construct;
}

/// Completes what is left for the device, which ends. Nobody uses the device any more, so that nothing is added meanwhile; who asks
/// for the work finds that it is done.
void finish_left_work(Device &device, std::vector<std::string> &failures) {
  for (ConstructWork *deferred : *left_work().lock()) {
    if (&deferred->work.device() != &device || !take(*deferred))
      continue;
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.id(), "finishing deferred %s, since the device ends",
                           deferred->call.construct);
    if (Status status = deferred->work.complete(); !status)
      failures.push_back(format("%s with nowait was not finished before device %d ended: %s",
                                place_of(deferred->call).c_str(), raw(device.id()), status.to_string().c_str()));
    deferred->state.store(ConstructWork::State::kDone, std::memory_order_release);
  }
}

/// Unfinished regions that this thread has met. Plain data: needs no hook at thread exit.
thread_local constinit int64_t unfinished_count = 0;

} // namespace

void **deferred_internal::free_slot(const Device &device, const Call &call) {
  if (!device.plugin().is_asynchronous())
    return nullptr;
  void **slot = libomp::async_handle(libomp::global_thread(const_cast<ident_t *>(call.location)));
  return slot && !*slot ? slot : nullptr;
}

void *deferred_internal::leave(std::unique_ptr<ConstructWork> deferred) {
  Runtime::set_drain(finish_left_work);
  deferred->reported.leave();
  left_work().lock()->push_back(deferred.get());
  return deferred.release();
}

Result<bool> ask_for_deferred(void *handle, Call &call) {
  auto *const deferred = static_cast<ConstructWork *>(handle);
  call = deferred->call;
  const DeviceUse use(deferred->work.device());
  if (!use && deferred->state.load(std::memory_order_acquire) == ConstructWork::State::kDone) {
    destroy(deferred);
    return true;
  }
  if (!use && deferred->work.device().is_gone() && take(*deferred))
    return Status::error(format("device %d has ended without finishing it", raw(deferred->work.device().id())));
  if (!use || !take(*deferred))
    return false; // the end of the device has it
  return deferred_internal::carry_on(deferred);
}

/// The device is in use by this thread, and so is the work.
Result<bool> deferred_internal::carry_on(ConstructWork *deferred) {
  deferred->reported.enter_again();
  const QuerySettings &settings = query_settings();
  bool is_done = true;
  if (unfinished_count >= settings.threshold) {
    OMPTARGET_TRY(deferred->work.complete());
  } else {
    OMPTARGET_TRY_ASSIGN(is_done, deferred->work.try_complete());
  }
  if (!is_done) {
    deferred->reported.leave();
    deferred->state.store(ConstructWork::State::kLeft, std::memory_order_release);
    unfinished_count += unfinished_count < settings.most ? 1 : 0;
    return false;
  }
  unfinished_count = static_cast<int64_t>(static_cast<double>(unfinished_count) * settings.factor);
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, deferred->work.device().id(), "deferred %s is done",
                         deferred->call.construct);
  destroy(deferred);
  return true;
}

} // namespace omptarget
