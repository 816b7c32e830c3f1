// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Device that deals with its end, and with who uses it until then.

#include <pthread.h>

#include "base/log.h"
#include "device/device.h"
#include "device/mapping_notes.h"
#include "device/mapping_tables.h"
#include "observe/checks.h"
#include "observe/device_events.h"

namespace omptarget {

namespace {

// Plain data: needs no hook at thread exit.
thread_local constinit int32_t uses_of_thread = 0;
thread_local constinit int cancel_state_before = PTHREAD_CANCEL_ENABLE;

} // namespace

int32_t Device::own_uses() { return uses_of_thread; }

/// Either the thread that closes the device sees this use, or the use sees that it is closed: both orders are
/// sequentially consistent. A thread that is cancelled in a wait of the driver would use the device for ever, and could
/// keep locks. So it cannot be cancelled before its outermost use ends.
bool Device::count_use() {
  users_.fetch_add(1, std::memory_order_seq_cst);
  if (is_closed_.load(std::memory_order_seq_cst)) {
    users_.fetch_sub(1, std::memory_order_release);
    return false;
  }
  if (++uses_of_thread == 1)
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_before);
  return true;
}

void Device::uncount_use() {
  users_.fetch_sub(1, std::memory_order_release);
  if (--uses_of_thread == 0)
    pthread_setcancelstate(cancel_state_before, nullptr);
}

void Device::close() {
  is_closed_.store(true, std::memory_order_seq_cst);
  prepared_generation_.store(UINT32_MAX, std::memory_order_release);
}

bool Device::finish(Deadline deadline) {
  if (!wait_until(deadline, [this] { return load_mutex_.try_lock_closed(); }))
    return false;
  const std::lock_guard load(load_mutex_, std::adopt_lock);
  if (!is_initialised())
    return true;
  images_.finish();
  free_dormant();
  arrivals_.destroy_all();
  observe::keep_memory_report(id_);
  plugin_device_.deinit_device();
  return true;
}

void Device::report_end() {
  if (is_end_told_.exchange(true, std::memory_order_relaxed))
    return;
  print_mapping_table(*this, "libomptarget:0:0");
  if (observe::checks_mapping())
    note_never_released(*this, *names_at_end_.lock());
  if (!is_initialised())
    return;
  if (!is_loading_here() && load_mutex_.try_lock()) {
    const std::lock_guard load(load_mutex_, std::adopt_lock);
    images_.report_unloaded();
  }
  observe::device_finalised(id_);
}

void Device::end_module_use(const OffloadLibrary &library) {
  if (observe::checks_mapping())
    keep_names(*this, *names_at_end_.lock());
  forget_names(library);
  if (lasts_ && !has_ended())
    free_dormant(); // before the plugin's own destructors, which may look for what was not freed
  if (is_loading_here() || !load_mutex_.try_lock())
    return; // somebody is loading: the thread that closes a module waits for nobody
  const std::lock_guard load(load_mutex_, std::adopt_lock);
  images_.end_module_use(library, lasts_ && !has_ended());
}

/// Modules closed during the fork could not be taken apart: the next construct does that.
void Device::after_fork_of_loader() {
  load_mutex_.after_fork();
  if (!pending_unloads_.lock()->empty())
    prepared_generation_.store(UINT32_MAX, std::memory_order_release);
}

} // namespace omptarget
