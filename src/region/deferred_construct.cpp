// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/deferred_construct.h"

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

/// All constructs that are left to libomp, which owns them. Never destroyed: threads of libomp's may come late.
Guarded<std::vector<DeferredConstruct *>> &left_constructs() {
  static auto *const all = new Guarded<std::vector<DeferredConstruct *>>;
  return *all;
}

std::string place_of(const Call &call) {
  const SourcePosition position = source_position(call.location);
  return position ? format("%s at %.*s:%d:%d", call.construct, position.file_length, position.file, position.line,
                           position.column)
                  : call.construct;
}

/// Unfinished constructs that this thread has met. Plain data: needs no hook at thread exit.
thread_local constinit int64_t unfinished_count = 0;

} // namespace

void **DeferredConstruct::free_slot(const Device &device, const Call &call) {
  if (!device.plugin().is_asynchronous())
    return nullptr;
  void **slot = libomp::async_handle(libomp::global_thread(const_cast<ident_t *>(call.location)));
  return slot && !*slot ? slot : nullptr;
}

void *DeferredConstruct::leave(std::unique_ptr<DeferredConstruct> construct) {
  Runtime::set_drain(complete_all);
  construct->reported_.leave();
  left_constructs().lock()->push_back(construct.get());
  return construct.release();
}

bool DeferredConstruct::take() {
  State expected = State::kLeft;
  return state_.compare_exchange_strong(expected, State::kTaken, std::memory_order_acquire);
}

Result<bool> DeferredConstruct::ask(void *handle, Call &call) {
  auto *const construct = static_cast<DeferredConstruct *>(handle);
  call = construct->call_;
  Device &device = construct->work_.device();
  bool is_done = false;
  if (const DeviceUse use(device); use) {
    if (construct->take()) {
      OMPTARGET_TRY_ASSIGN(is_done, construct->carry_on());
    }
  } else if (construct->state_.load(std::memory_order_acquire) == State::kDone) {
    is_done = true;
  } else if (device.is_gone() && construct->take()) {
    return Status::error(format("device %d has ended without finishing it", raw(device.id())));
  } // otherwise the end of the device has it
  if (is_done) {
    std::erase(*left_constructs().lock(), construct);
    delete construct;
  }
  return is_done;
}

/// The device is in use by this thread, which has taken the construct.
Result<bool> DeferredConstruct::carry_on() {
  reported_.enter_again();
  const QuerySettings &settings = query_settings();
  bool is_done = true;
  if (unfinished_count >= settings.threshold) {
    OMPTARGET_TRY(work_.complete());
  } else {
    OMPTARGET_TRY_ASSIGN(is_done, work_.try_complete());
  }
  if (!is_done) {
    reported_.leave();
    state_.store(State::kLeft, std::memory_order_release);
    unfinished_count += unfinished_count < settings.most ? 1 : 0;
    return false;
  }
  unfinished_count = static_cast<int64_t>(static_cast<double>(unfinished_count) * settings.factor);
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, work_.device().id(), "deferred %s is done", call_.construct);
  return true;
}

/// All constructs of the device, which ends. Nobody uses it any more, so that none is added meanwhile; a thread that asks for one
/// finds that it is done.
void DeferredConstruct::complete_all(Device &device, std::vector<std::string> &failures) {
  for (DeferredConstruct *construct : *left_constructs().lock()) {
    if (&construct->work_.device() != &device || !construct->take())
      continue;
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.id(), "finishing deferred %s, since the device ends",
                           construct->call_.construct);
    if (Status status = construct->work_.complete(); !status)
      failures.push_back(format("%s with nowait was not finished before device %d ended: %s",
                                place_of(construct->call_).c_str(), raw(device.id()), status.to_string().c_str()));
    construct->state_.store(State::kDone, std::memory_order_release);
  }
}

} // namespace omptarget
