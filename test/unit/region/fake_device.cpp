// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fake_device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <vector>

#include "plugin/plugin_functions.h"

namespace omptarget::test {

namespace {

struct LazyQueue {
  std::deque<std::function<void()>> work;
  int64_t done = 0;
};
struct LazyEvent {
  LazyQueue *queue = nullptr;
  int64_t position = 0; ///< how much work of the queue precedes it
};

std::recursive_mutex mutex; // guards everything below; work is done with it held
FakeCounts counts;
std::map<char *, int64_t> &blocks =
    *new std::map<char *, int64_t>; // sizes of device memory; tests may leave some mapped
int64_t failing = 0;
int64_t most_bytes = INT64_MAX;
int64_t failing_submit = 0;
int64_t refused_submit = 0;
int64_t failing_retrieve = 0;
int64_t failing_wait = 0;
int64_t failing_free = 0;
int64_t failing_synchronize = 0;
std::function<void(FakeOperation)> &hook = *new std::function<void(FakeOperation)>;
std::vector<LazyQueue *> queues;

using Lock = std::lock_guard<std::recursive_mutex>;

LazyQueue &queue_of(__tgt_async_info *info) {
  if (!info->Queue) {
    queues.push_back(new LazyQueue);
    info->Queue = queues.back();
  }
  return *static_cast<LazyQueue *>(info->Queue);
}

void advance(LazyQueue &queue, int64_t position) {
  while (queue.done < position && !queue.work.empty()) {
    const auto work = std::move(queue.work.front());
    queue.work.pop_front();
    ++queue.done;
    work();
  }
}

bool is_queue(LazyQueue *queue) { return std::find(queues.begin(), queues.end(), queue) != queues.end(); }

void end_queue(__tgt_async_info *info) {
  auto *queue = static_cast<LazyQueue *>(info->Queue);
  std::erase(queues, queue);
  delete queue;
  info->Queue = nullptr;
}

void *allocate(int32_t, int64_t size, void *, int32_t) {
  Lock lock(mutex);
  if (failing > 0 && --failing == 0)
    return nullptr;
  int64_t used = 0;
  for (const auto &[begin, bytes] : blocks)
    used += bytes;
  if (size > most_bytes - used)
    return nullptr;
  ++counts.allocations;
  void *memory = std::aligned_alloc(16, (static_cast<size_t>(size) + 15) / 16 * 16);
  std::memset(memory, kFresh, static_cast<size_t>(size));
  blocks[static_cast<char *>(memory)] = size;
  return memory;
}

int32_t free_block(int32_t, void *memory, int32_t) {
  Lock lock(mutex);
  ++counts.frees;
  if (blocks.erase(static_cast<char *>(memory)) == 0) {
    ADD_FAILURE() << "freeing " << memory << ", which is no device memory";
    return 1;
  }
  std::free(memory);
  return failing_free > 0 && --failing_free == 0 ? 1 : 0;
}

/// Calls the hook without the lock, so that it may use the device, and wait.
void call_hook(FakeOperation operation) {
  std::function<void(FakeOperation)> copy;
  {
    Lock lock(mutex);
    copy = hook;
  }
  if (copy)
    copy(operation);
}

int32_t submit_now(void *target, void *host, int64_t size) {
  Lock lock(mutex);
  ++counts.to_device;
  counts.bytes_to_device += size;
  if (failing_submit > 0 && --failing_submit == 0)
    return 1;
  std::memcpy(target, host, static_cast<size_t>(size));
  return 0;
}

int32_t submit(int32_t, void *target, void *host, int64_t size) {
  call_hook(FakeOperation::kSubmit);
  return submit_now(target, host, size);
}

/// A copy to the host that is staged: the device is read first, and the host is written later.
using Staged = std::vector<char>;

bool read_device(Staged &staged, const void *target, int64_t size) {
  Lock lock(mutex);
  if (failing_retrieve > 0 && --failing_retrieve == 0)
    return false;
  const auto *const begin = static_cast<const char *>(target);
  staged.assign(begin, begin + size);
  return true;
}

void write_host(void *host, const Staged &staged) {
  Lock lock(mutex);
  ++counts.to_host;
  if (!staged.empty())
    std::memcpy(host, staged.data(), staged.size());
}

int32_t retrieve(int32_t, void *host, void *target, int64_t size) {
  Staged staged;
  call_hook(FakeOperation::kBeforeRead);
  if (!read_device(staged, target, size))
    return 1;
  call_hook(FakeOperation::kRead);
  write_host(host, staged);
  call_hook(FakeOperation::kRetrieve);
  return 0;
}

/// The block of device memory that target lies in, or null: memory that tests made themselves.
char *block_of(void *target) {
  auto block = blocks.upper_bound(static_cast<char *>(target));
  if (block == blocks.begin())
    return nullptr;
  --block;
  return static_cast<char *>(target) < block->first + block->second ? block->first : nullptr;
}

/// Work that uses memory that went before its turn came.
bool is_gone(char *block) {
  if (!block || blocks.count(block) != 0)
    return false;
  ADD_FAILURE() << "queued work uses device memory " << static_cast<void *>(block)
                << ", which was freed before its turn";
  return true;
}

int32_t submit_lazily(int32_t, void *target, void *host, int64_t size, __tgt_async_info *info) {
  Lock lock(mutex);
  if (refused_submit > 0 && --refused_submit == 0)
    return 1;
  queue_of(info).work.push_back([=, block = block_of(target)] {
    if (!is_gone(block))
      submit_now(target, host, size);
  });
  return 0;
}

int32_t retrieve_lazily(int32_t, void *host, void *target, int64_t size, __tgt_async_info *info) {
  Lock lock(mutex);
  const auto staged = std::make_shared<Staged>();
  LazyQueue &queue = queue_of(info);
  queue.work.push_back([=, block = block_of(target)] {
    if (!is_gone(block))
      (void)read_device(*staged, target, size);
  });
  queue.work.push_back([=] { write_host(host, *staged); });
  return 0;
}

int32_t launch(int32_t, void *kernel, void **arguments, ptrdiff_t *, __tgt_kernel_args *args, __tgt_async_info *info) {
  Lock lock(mutex);
  ++counts.launches;
  std::vector<void *> values(arguments, arguments + args->NumArgs);
  auto run = [kernel, values]() mutable { (*static_cast<FakeKernel *>(kernel))(values.data()); };
  if (info)
    queue_of(info).work.push_back(run);
  else
    run();
  return 0;
}

int32_t synchronize(int32_t, __tgt_async_info *info) {
  Lock lock(mutex);
  ++counts.synchronisations;
  advance(queue_of(info), INT64_MAX);
  end_queue(info);
  return failing_synchronize > 0 && --failing_synchronize == 0 ? 1 : 0;
}

int32_t query(int32_t, __tgt_async_info *info) {
  Lock lock(mutex);
  LazyQueue &queue = queue_of(info);
  advance(queue, queue.done + 1);
  if (queue.work.empty())
    end_queue(info);
  return 0;
}

int32_t create_event(int32_t, void **event) {
  Lock lock(mutex);
  ++counts.events;
  *event = new LazyEvent;
  return 0;
}

int32_t record_event(int32_t, void *event, __tgt_async_info *info) {
  Lock lock(mutex);
  LazyQueue &queue = queue_of(info);
  *static_cast<LazyEvent *>(event) = {&queue, queue.done + static_cast<int64_t>(queue.work.size())};
  return 0;
}

int32_t sync_event(int32_t, void *event) {
  Lock lock(mutex);
  if (failing_wait > 0 && --failing_wait == 0)
    return 1;
  const LazyEvent copy = *static_cast<LazyEvent *>(event);
  if (is_queue(copy.queue))
    advance(*copy.queue, copy.position);
  return 0;
}

int32_t wait_event(int32_t device, void *event, __tgt_async_info *info) {
  Lock lock(mutex);
  LazyEvent copy = *static_cast<LazyEvent *>(event);
  queue_of(info).work.push_back([=]() mutable { sync_event(device, &copy); });
  return 0;
}

int32_t destroy_event(int32_t, void *event) {
  Lock lock(mutex);
  --counts.events;
  delete static_cast<LazyEvent *>(event);
  return 0;
}

// Queues for interop.
int32_t init_async_info(int32_t, __tgt_async_info **info) {
  Lock lock(mutex);
  *info = new __tgt_async_info{};
  (void)queue_of(*info);
  ++counts.interop_queues;
  return 0;
}

int32_t release_async_info(int32_t, __tgt_async_info *info) {
  Lock lock(mutex);
  if (info->Queue) {
    advance(queue_of(info), INT64_MAX);
    end_queue(info);
  }
  delete info;
  --counts.interop_queues;
  return 0;
}

std::unique_ptr<PluginFunctions> functions_of(FakeKind kind) {
  auto functions = std::make_unique<PluginFunctions>();
  functions->generation = PluginGeneration::kCurrent;
  functions->launches_as_is = true;
  functions->init_device = [](int32_t) -> int32_t { return 0; };
  functions->data_alloc = allocate;
  functions->data_delete = free_block;
  functions->data_submit = submit;
  functions->data_retrieve = retrieve;
  functions->launch_kernel = launch;
  if (kind == FakeKind::kSynchronous)
    return functions;
  functions->data_submit_async = submit_lazily;
  functions->data_retrieve_async = retrieve_lazily;
  functions->synchronize = synchronize;
  functions->query_async = query;
  functions->init_async_info = init_async_info;
  functions->release_async_info = release_async_info;
  if (kind == FakeKind::kLazyWithoutEvents)
    return functions;
  functions->create_event = create_event;
  functions->record_event = record_event;
  functions->sync_event = sync_event;
  functions->wait_event = wait_event;
  functions->destroy_event = destroy_event;
  return functions;
}

} // namespace

FakeCounts fake_counts() {
  Lock lock(mutex);
  return counts;
}

void reset_fake_counts() {
  Lock lock(mutex);
  const FakeCounts before = counts;
  counts = {};
  counts.events = before.events;
  counts.interop_queues = before.interop_queues;
}

int64_t fake_blocks() {
  Lock lock(mutex);
  return static_cast<int64_t>(blocks.size());
}

void fail_allocation(int64_t n) {
  Lock lock(mutex);
  failing = n;
}

void limit_memory(int64_t bytes) {
  Lock lock(mutex);
  most_bytes = bytes;
}

void fail_submit(int64_t n) {
  Lock lock(mutex);
  failing_submit = n;
}

void refuse_submit(int64_t n) {
  Lock lock(mutex);
  refused_submit = n;
}

void fail_retrieve(int64_t n) {
  Lock lock(mutex);
  failing_retrieve = n;
}

void fail_synchronize(int64_t n) {
  Lock lock(mutex);
  failing_synchronize = n;
}

void fail_free(int64_t n) {
  Lock lock(mutex);
  failing_free = n;
}

void forget_events() {
  Lock lock(mutex);
  counts.events = 0;
}

void fail_wait(int64_t n) {
  Lock lock(mutex);
  failing_wait = n;
}

void set_fake_hook(std::function<void(FakeOperation)> function) {
  Lock lock(mutex);
  hook = std::move(function);
}

const Plugin &fake_plugin(FakeKind kind) {
  static Plugin *const plugins[] = {
      new Plugin("fake", "", functions_of(FakeKind::kSynchronous), 2),
      new Plugin("lazy", "", functions_of(FakeKind::kLazy), 2),
      new Plugin("lazy-without-events", "", functions_of(FakeKind::kLazyWithoutEvents), 2),
  };
  return *plugins[static_cast<int>(kind)];
}

ModuleRegistry &fake_modules() {
  static auto *const modules = new ModuleRegistry;
  return *modules;
}

FakeDevice::FakeDevice(FakeKind kind, int32_t number)
    : Device(fake_modules(), DeviceId{number}, fake_plugin(kind), number) {}

} // namespace omptarget::test
