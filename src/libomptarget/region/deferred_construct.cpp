// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "region/deferred_construct.h"

#include <pthread.h>

#include "base/guarded.h"
#include "base/log.h"
#include "base/sched_point.h"
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

/// Threads that wait for turns.
std::atomic<int> waiting_threads{0};

using DeferredConstructs = Guarded<std::vector<DeferredConstruct *>>;
DeferredConstructs &deferred_constructs();

// A fork takes the lock before those of Runtime, whose handlers were there first; no thread takes it that holds one
// of those. In the child there are no constructs: libomp forgets its tasks there, and the table of present data their
// turns.
void before_fork() { deferred_constructs().mutex_for_fork().lock(); }
void after_fork() { deferred_constructs().mutex_for_fork().unlock(); }
void after_fork_in_child() {
  after_fork();
  deferred_constructs().lock()->clear();
  waiting_threads.store(0, std::memory_order_relaxed);
}

/// All deferred constructs, from before they start. Never destroyed: threads of libomp's may come late.
DeferredConstructs &deferred_constructs() {
  static auto *const all = [] {
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    return new DeferredConstructs;
  }();
  return *all;
}

/// Unfinished constructs that this thread has met. Plain data: needs no hook at thread exit.
thread_local constinit int64_t unfinished_count = 0;

} // namespace

DeferredConstruct::DeferredConstruct(Device &device, const Call &call, observe::ConstructKind kind, const MapList &list)
    : device_(device), call_(call), reported_(call, device, kind, list) {
  Runtime::set_drain(complete_all);
  deferred_constructs().lock()->push_back(this);
}

DeferredConstruct::~DeferredConstruct() {
  std::erase(*deferred_constructs().lock(), this);
  failure_.consume();
}

void **DeferredConstruct::free_slot(const Device &device, const Call &call) {
  if (!device.plugin().is_asynchronous())
    return nullptr;
  void **slot = libomp::async_handle(libomp::global_thread(const_cast<ident_t *>(call.location)));
  return slot && !*slot ? slot : nullptr;
}

Status DeferredConstruct::defer(std::unique_ptr<DeferredConstruct> construct, void *&slot) {
  construct->reported_.suspend();
  if (!construct->put_back()) {
    construct->reported_.resume();
    return construct->complete();
  }
  slot = construct.release();
  return Status::ok();
}

bool DeferredConstruct::take() {
  State expected = State::kDeferred;
  return state_.compare_exchange_strong(expected, State::kTaken, std::memory_order_acq_rel);
}

/// A thread that waits for a turn counts itself before it looks for the construct that has it. This one looks for
/// waiting threads after it can be found. So one of the two sees the other.
bool DeferredConstruct::put_back() {
  State expected = State::kTaken;
  if (!state_.compare_exchange_strong(expected, State::kDeferred, std::memory_order_seq_cst))
    return false;
  return waiting_threads.load(std::memory_order_seq_cst) == 0 || !take();
}

void DeferredConstruct::want() {
  State expected = State::kTaken;
  state_.compare_exchange_strong(expected, State::kWanted, std::memory_order_acq_rel);
}

/// libomp may destroy it from now on.
void DeferredConstruct::finish(Status status) {
  failure_ = std::move(status);
  state_.store(State::kDone, std::memory_order_release);
}

Result<bool> DeferredConstruct::ask(void *handle, Call &call) {
  auto *const construct = static_cast<DeferredConstruct *>(handle);
  call = construct->call_;
  Device &device = construct->device_;
  bool is_done = false;
  if (construct->state_.load(std::memory_order_acquire) == State::kDone) {
    is_done = true;
  } else if (const DeviceUse use(device); use) {
    if (construct->take()) {
      OMPTARGET_TRY_ASSIGN(is_done, construct->carry_on());
    }
  } else if (device.is_gone() && construct->take()) {
    return Status::error(format("device %d has ended without finishing it", raw(device.id())));
  } // otherwise the end of the device has it
  if (!is_done)
    return false;
  Status status = std::move(construct->failure_);
  delete construct;
  if (!status)
    return status;
  return true;
}

/// The device is in use by this thread, which has taken the construct.
Result<bool> DeferredConstruct::carry_on() {
  reported_.resume();
  const QuerySettings &settings = query_settings();
  bool is_done = true;
  if (unfinished_count >= settings.threshold) {
    OMPTARGET_TRY(complete());
  } else {
    OMPTARGET_TRY_ASSIGN(is_done, this->is_done());
    if (is_done)
      OMPTARGET_TRY(complete());
  }
  if (!is_done) {
    reported_.suspend();
    if (put_back()) {
      unfinished_count += unfinished_count < settings.most ? 1 : 0;
      return false;
    }
    reported_.resume();
    OMPTARGET_TRY(complete());
  }
  unfinished_count = static_cast<int64_t>(static_cast<double>(unfinished_count) * settings.factor);
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device_.id(), "deferred %s is done", call_.construct);
  return true;
}

/// Takes the first construct of the device that choose(construct) wants, or null.
template <typename Choose> DeferredConstruct *DeferredConstruct::take_one(const Device &device, Choose choose) {
  for (auto all = deferred_constructs().lock(); DeferredConstruct * construct : *all) {
    if (&construct->device_ != &device)
      continue;
    if (!construct->take())
      construct->want(); // by whoever has it; nobody has a done one
    else if (choose(*construct))
      return construct;
    else // nobody has wanted it meanwhile, as that takes the lock
      construct->state_.store(State::kDeferred, std::memory_order_seq_cst);
  }
  return nullptr;
}

void DeferredConstruct::wait_for_turn(Device &device, MappingRef ref) {
  OMPTARGET_SCHED_POINT("about to wait for the turn");
  if (!device.plugin().is_asynchronous())
    return ref.wait_for_turn();
  waiting_threads.fetch_add(1, std::memory_order_seq_cst);
  complete_holder(device, ref);
  ref.wait_for_turn();
  waiting_threads.fetch_sub(1, std::memory_order_seq_cst);
}

void DeferredConstruct::complete_holder(Device &device, MappingRef ref) {
  DeferredConstruct *const holder =
      take_one(device, [&](const DeferredConstruct &construct) { return construct.has_turn(ref); });
  if (!holder)
    return;
  OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.id(), "finishing deferred %s, which copies back what is waited for",
                         holder->call_.construct);
  holder->finish(holder->complete());
}

/// All constructs of the device, which ends. Nobody uses it any more, so that none is added meanwhile; a thread that
/// asks for one finds that it is done.
void DeferredConstruct::complete_all(Device &device, std::vector<std::string> &failures) {
  while (DeferredConstruct *const construct = take_one(device, [](const DeferredConstruct &) { return true; })) {
    OMPTARGET_TRACE_DEVICE(Topic::kKernel, device.id(), "finishing deferred %s, since the device ends",
                           construct->call_.construct);
    if (Status status = construct->complete(); !status)
      failures.push_back(format("%s with nowait was not finished before device %d ended: %s",
                                place_of(construct->call_).c_str(), raw(device.id()), status.to_string().c_str()));
    construct->finish(Status::ok());
  }
}

} // namespace omptarget
