// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/deferred.h"

#include "base/log.h"
#include "base/settings.h"
#include "device/libomp.h"

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

/// Unfinished regions that this thread has met. Plain data: needs no hook at thread exit.
thread_local constinit int64_t unfinished_count = 0;

} // namespace

void **deferred_internal::free_slot(const Device &device, const Call &call) {
  if (!device.plugin().is_asynchronous())
    return nullptr;
  void **slot = libomp::async_handle(libomp::global_thread(const_cast<ident_t *>(call.location)));
  return slot && !*slot ? slot : nullptr;
}

Result<bool> ask_for_deferred(void *handle, Call &call) {
  auto *const deferred = static_cast<ConstructWork *>(handle);
  call = deferred->call;
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
    unfinished_count += unfinished_count < settings.most ? 1 : 0;
    return false;
  }
  unfinished_count = static_cast<int64_t>(static_cast<double>(unfinished_count) * settings.factor);
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, deferred->work.device().id(), "deferred %s is done", call.construct);
  delete deferred;
  return true;
}

} // namespace omptarget
