// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "emulator/ipc_memory.h"
#include "execute.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define STAND_IN_SYMBOL(name) sim_cuda_##name
#include "emulator/stand_in_functions.h"
#include "stand_in_cuda.h"

namespace emulator {

using namespace omptarget::cuda;

namespace {

std::atomic<int> hold_work{-1};

} // namespace

Calls &calls() {
  static Calls &the_calls = *new Calls({"libcuda",
                                        "SIM_CUDA_FAIL",
                                        "SIM_CUDA_RECORD",
                                        CUDA_ERROR_UNKNOWN,
                                        {"cuCtxGetCurrent", "cuCtxPushCurrent", "cuCtxPopCurrent"}});
  return the_calls;
}

State &state() {
  static State &the_state = *new State;
  return the_state;
}

bool holds_work() {
  int hold = hold_work.load();
  if (hold < 0) {
    const char *text = std::getenv("SIM_CUDA_HOLD");
    hold = text ? std::atoi(text) : 0;
    hold_work.store(hold);
  }
  return hold != 0;
}

HostMemory host_memory() {
  const auto is_set = [](const char *variable) {
    const char *value = std::getenv(variable);
    return value && *value == '1';
  };
  return is_set("SIM_CUDA_ATS") ? HostMemory::kAts : is_set("SIM_CUDA_HMM") ? HostMemory::kHmm : HostMemory::kUnreached;
}

bool holds_work_when_asked() { return holds_work() && hold_work.load() >= 2; }

CUresult enter(const char *name) {
  // As in the driver: nothing works in a child of the process that called cuInit.
  if (state().initialised && state().process != getpid())
    return CUDA_ERROR_NOT_INITIALIZED;
  if (state().deinitialised)
    return CUDA_ERROR_DEINITIALIZED;
  const CUresult injected = static_cast<CUresult>(calls().enter(name).value_or(CUDA_SUCCESS));
  // A fault of a kernel stays.
  if (Context *context = current_context(); context && injected >= 700 && injected < 720)
    context->error.store(injected);
  // Copies have ended when a driver reports that it lost the context; what is queued behind them never runs.
  if (Context *context = current_context(); injected != CUDA_SUCCESS && context && context->error.load() != 0)
    wait_for_context(context);
  return injected;
}

// ---- Streams

uint64_t Stream::enqueue(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable())
    thread_ = std::thread([this] { run(); });
  ++enqueued_;
  auto *const overlaps = executor::Overlaps::find();
  work_.push_back({std::move(work), overlaps ? overlaps->queue(this, enqueued_) : nullptr});
  if (!holds_work())
    released_ = enqueued_;
  changed_.notify_all();
  return enqueued_;
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || (done_ < released_ && !work_.empty()); });
    if (work_.empty() || done_ >= released_)
      return;
    const Work work = std::move(work_.front());
    work_.pop_front();
    lock.unlock();
    run_operation(work.operation, [&] {
      if (context_.error.load() == 0)
        work.run();
    });
    lock.lock();
    ++done_;
    changed_.notify_all();
  }
}

void Stream::enqueue_wait(Stream &other, uint64_t ticket) {
  if (auto *const overlaps = executor::Overlaps::find())
    overlaps->wait(this, &other, ticket);
  enqueue([&other, ticket] { other.wait_in_stream(ticket); });
}

void Stream::learn(uint64_t ticket) const {
  if (auto *const overlaps = executor::Overlaps::find())
    overlaps->learn(this, ticket);
}

void Stream::wait(uint64_t ticket) {
  wait_in_stream(ticket);
  learn(ticket);
}

void Stream::wait_in_stream(uint64_t ticket) {
  std::unique_lock lock(mutex_);
  released_ = std::max(released_, std::min(ticket, enqueued_));
  changed_.notify_all();
  changed_.wait(lock, [&] { return done_ >= ticket; });
}

uint64_t Stream::last_ticket() {
  const std::lock_guard lock(mutex_);
  return enqueued_;
}

void Stream::wait_all() { wait(last_ticket()); }

bool Stream::query() {
  const std::lock_guard lock(mutex_);
  const bool complete = done_ == enqueued_;
  if (complete)
    learn(enqueued_);
  if (!holds_work_when_asked())
    released_ = enqueued_;
  changed_.notify_all();
  return complete;
}

bool Stream::is_complete(uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  if (done_ >= ticket)
    learn(ticket);
  return done_ >= ticket;
}

void Stream::finish() {
  wait_all();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable())
    thread_.join();
}

// ---- Memory and contexts

Allocation *find_memory(const char *call, uintptr_t address, size_t size) {
  auto &memory = state().memory;
  auto next = memory.upper_bound(address);
  if (next != memory.begin()) {
    const auto found = std::prev(next);
    const size_t offset = address - found->first;
    if (offset < found->second.size) {
      if (size <= found->second.size - offset)
        return &found->second;
      violation("%s: %zu bytes at %#lx go past the end of an allocation of %zu bytes at %#lx", call, size,
                static_cast<unsigned long>(address), found->second.size, static_cast<unsigned long>(found->first));
      return nullptr;
    }
  }
  violation("%s: nothing is allocated at %#lx", call, static_cast<unsigned long>(address));
  return nullptr;
}

bool is_pinned(uintptr_t address) {
  auto &memory = state().memory;
  auto next = memory.upper_bound(address);
  if (next == memory.begin())
    return false;
  const auto found = std::prev(next);
  return address - found->first < found->second.size;
}

void free_memory(void *memory) {
  if (!ipc_memory().release(memory))
    std::free(memory);
}

std::vector<Stream *> streams_of(Context *context) {
  const std::lock_guard lock(state().mutex);
  std::vector<Stream *> streams;
  for (const auto &stream : state().streams)
    if (&stream->context() == context && !stream->is_destroyed)
      streams.push_back(stream.get());
  return streams;
}

void wait_for_context(Context *context) {
  for (Stream *stream : streams_of(context))
    stream->wait_all();
}

void destroy_context(Context *context) {
  uint64_t left = 0;
  for (Stream *stream : streams_of(context)) {
    stream->finish();
    stream->is_destroyed = true;
    ++left;
  }
  State &the_state = state();
  std::vector<Module *> modules;
  std::unique_lock lock(the_state.mutex);
  for (const auto &event : the_state.events)
    if (event->context == context && !event->is_destroyed) {
      event->is_destroyed = true;
      ++left;
    }
  for (const auto &module : the_state.modules)
    if (module->context == context && !module->is_destroyed) {
      module->is_destroyed = true;
      modules.push_back(module.get());
      ++left;
    }
  for (auto one = the_state.memory.begin(); one != the_state.memory.end();) {
    const Allocation &allocation = one->second;
    if (allocation.context != context) {
      ++one;
      continue;
    }
    if (allocation.kind != MemoryKind::kGlobal)
      ++left;
    if (allocation.kind != MemoryKind::kGlobal && allocation.kind != MemoryKind::kRegistered)
      free_memory(reinterpret_cast<void *>(one->first));
    one = the_state.memory.erase(one);
  }
  ++the_state.memory_generation;
  context->is_destroyed = true;
  if (context->error.load() == 0)
    the_state.leaked += left;
  lock.unlock();
  for (Module *module : modules) {
    module->code.close();
    module->device_code.reset();
  }
  release_heap(context);
}

uint64_t live_objects() {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  uint64_t live = count_live(all.contexts) + count_live(all.modules) + count_live(all.streams) + count_live(all.events);
  for (const auto &[address, allocation] : all.memory)
    live += allocation.kind != MemoryKind::kGlobal;
  return live;
}

uint64_t leaked_objects() {
  const std::lock_guard lock(state().mutex);
  return state().leaked;
}

void set_hold(bool hold) { hold_work.store(hold); }

} // namespace emulator
