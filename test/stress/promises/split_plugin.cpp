// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The split plugins, a shared object of each kind (SPLIT_LETTER, SPLIT_QUEUES, SPLIT_EVENTS). Queued work is done by
// whoever waits for it, and now and then, if the test chooses so, by whoever calls the plugin. A copy to the host may
// go by way of a block, as with the plugins for GPUs and pageable memory. Then it lands when a thread waits for its
// queue, or for an event behind it.

#include "split_plugin.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "omptarget/plugin.h"

using namespace omptarget::test;

namespace {

constexpr int32_t kDevices = 2;
constexpr unsigned char kFresh = 0xa5, kFreed = 0xdb;

std::atomic<const SplitHooks *> hooks{nullptr};

void tell(SplitMoment moment, const void *host = nullptr, const void *device = nullptr, int64_t size = 0,
          bool is_to_device = false) {
  if (const SplitHooks *now = hooks.load(std::memory_order_acquire); now && now->at)
    now->at({moment, host, device, size, is_to_device});
}
uint32_t choose(uint32_t limit) {
  const SplitHooks *now = hooks.load(std::memory_order_acquire);
  return now && now->choose ? now->choose(limit) : 0;
}
void fail(const char *what) {
  if (const SplitHooks *now = hooks.load(std::memory_order_acquire); now && now->fail)
    now->fail(what);
}

// ---- Memory

std::mutex memory_mutex;
std::map<const char *, int64_t> &blocks = *new std::map<const char *, int64_t>; // never destroyed

bool is_memory(const void *address, int64_t size) {
  std::lock_guard lock(memory_mutex);
  const auto *const begin = static_cast<const char *>(address);
  auto block = blocks.upper_bound(begin);
  if (block == blocks.begin())
    return false;
  --block;
  return begin + size <= block->first + block->second;
}

void check_memory(const void *address, int64_t size) {
  if (!is_memory(address, size))
    fail("a copy uses device memory that is not in use");
}

/// Words are read and written as a whole, since other threads may read them meanwhile.
void move_words(char *to, const char *from, int64_t size) {
  int64_t i = 0;
  if (reinterpret_cast<uintptr_t>(to) % 8 == 0 && reinterpret_cast<uintptr_t>(from) % 8 == 0)
    for (; i + 8 <= size; i += 8)
      __atomic_store_n(reinterpret_cast<uint64_t *>(to + i),
                       __atomic_load_n(reinterpret_cast<const uint64_t *>(from + i), __ATOMIC_RELAXED),
                       __ATOMIC_RELAXED);
  for (; i < size; ++i)
    __atomic_store_n(to + i, __atomic_load_n(from + i, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

struct Transfer {
  char *host;
  char *device;
  int64_t size;
  bool is_to_device;
  void tell_of(SplitMoment moment) const { tell(moment, host, device, size, is_to_device); }
};

using Block = std::vector<uint64_t>;
char *bytes_of(Block &block) { return reinterpret_cast<char *>(block.data()); }

Block read(const Transfer &transfer) {
  transfer.tell_of(SplitMoment::kCopyBegins);
  check_memory(transfer.device, transfer.size);
  Block block(static_cast<size_t>(transfer.size + 7) / 8);
  move_words(bytes_of(block), transfer.is_to_device ? transfer.host : transfer.device, transfer.size);
  transfer.tell_of(SplitMoment::kCopyHasRead);
  return block;
}

void write(const Transfer &transfer, Block &block) {
  if (transfer.is_to_device)
    check_memory(transfer.device, transfer.size);
  char *const to = transfer.is_to_device ? transfer.device : transfer.host;
  const int64_t first = transfer.size / 16 * 8;
  move_words(to, bytes_of(block), first);
  transfer.tell_of(SplitMoment::kCopyWritesOn);
  move_words(to + first, bytes_of(block) + first, transfer.size - first);
  transfer.tell_of(SplitMoment::kCopyEnds);
}

int32_t copy_now(const Transfer &transfer) {
  if (transfer.size > 0) {
    Block block = read(transfer);
    write(transfer, block);
  }
  return 0;
}

// ---- Queues

/// A copy to the host by way of a block. The device fills it in its turn; whoever waits for that empties it.
class Landing {
public:
  explicit Landing(const Transfer &transfer) : transfer_(transfer) {}
  void fill() {
    Block block = read(transfer_);
    std::lock_guard lock(mutex_);
    block_ = std::move(block);
  }
  void finish() {
    std::lock_guard lock(mutex_);
    if (!block_.empty())
      write(transfer_, block_);
    block_.clear();
  }

private:
  const Transfer transfer_;
  std::mutex mutex_;
  Block block_; ///< empty before and afterwards
};
using Landings = std::vector<std::shared_ptr<Landing>>;

struct Queue {
  std::mutex executing; ///< held while work is done
  std::mutex mutex;     ///< guards what follows
  std::deque<std::function<void()>> work;
  Landings landings;
  int64_t added = 0;
  std::atomic<int64_t> done{0};

  void add(std::function<void()> function) {
    std::lock_guard lock(mutex);
    work.push_back(std::move(function));
    ++added;
  }
  /// Does work until that much is done. executing is held.
  void advance(int64_t position) {
    while (done.load() < position) {
      std::function<void()> next;
      {
        std::lock_guard lock(mutex);
        if (work.empty())
          return;
        next = std::move(work.front());
        work.pop_front();
      }
      next();
      ++done;
    }
  }
  /// Other threads may be at work on the queue, or wait for another one with it held.
  void finish(int64_t position) {
    while (done.load() < position) {
      if (std::unique_lock lock(executing, std::try_to_lock); lock)
        advance(position);
      else
        std::this_thread::yield();
    }
  }
  void land() {
    Landings all;
    {
      std::lock_guard lock(mutex);
      all = landings;
    }
    for (const auto &landing : all)
      landing->finish();
  }
};

struct Event {
  std::mutex mutex;
  Queue *queue = nullptr;
  int64_t position = 0;
  Landings landings;
};

// Queues live for ever, as events name them that are older than what a queue is used for.
std::mutex queues_mutex;
std::vector<Queue *> &used_queues = *new std::vector<Queue *>, &spare_queues = *new std::vector<Queue *>;

Queue &queue_of(__tgt_async_info *info) {
  if (!info->Queue) {
    std::lock_guard lock(queues_mutex);
    if (spare_queues.empty())
      spare_queues.push_back(new Queue);
    info->Queue = used_queues.emplace_back(spare_queues.back());
    spare_queues.pop_back();
  }
  return *static_cast<Queue *>(info->Queue);
}

void end_queue(__tgt_async_info *info) {
  Queue &queue = queue_of(info);
  {
    std::lock_guard lock(queue.mutex);
    queue.landings.clear();
  }
  std::lock_guard lock(queues_mutex);
  std::erase(used_queues, &queue);
  spare_queues.push_back(&queue);
  info->Queue = nullptr;
}

/// The device works on some queue.
void make_progress() {
  if (choose(4) == 0)
    return;
  Queue *queue = nullptr;
  {
    std::lock_guard lock(queues_mutex);
    if (used_queues.empty())
      return;
    queue = used_queues[choose(static_cast<uint32_t>(used_queues.size()))];
  }
  if (std::unique_lock lock(queue->executing, std::try_to_lock); lock)
    queue->advance(queue->done.load() + 1 + choose(4));
}

int32_t launch(void *entry, void *const *arguments, uint32_t count) {
  tell(SplitMoment::kLaunches);
  std::vector<void *> values(arguments, arguments + count);
  static_cast<const SplitKernel *>(entry)->function(values.data());
  return 0;
}

} // namespace

extern "C" {

OMPTARGET_PLUGIN_API void split_set_hooks(const SplitHooks *new_hooks) { hooks = new_hooks; }
OMPTARGET_PLUGIN_API int64_t split_count_blocks() {
  std::lock_guard lock(memory_mutex);
  return static_cast<int64_t>(blocks.size());
}
OMPTARGET_PLUGIN_API bool split_is_memory(const void *address, int64_t size) { return is_memory(address, size); }

int32_t __tgt_rtl_number_of_devices() { return kDevices; }
int32_t __tgt_rtl_is_valid_binary(__tgt_device_image *image) {
  return image->ImageEnd != image->ImageStart && *static_cast<const char *>(image->ImageStart) == SPLIT_LETTER;
}
int32_t __tgt_rtl_init_device(int32_t) { return 0; }

/// Handles of kernels are the addresses that the program has for them.
__tgt_target_table *__tgt_rtl_load_binary(int32_t, __tgt_device_image *image) {
  const auto count = static_cast<size_t>(image->EntriesEnd - image->EntriesBegin);
  auto *const entries = new __tgt_offload_entry[count + 1];
  std::copy(image->EntriesBegin, image->EntriesEnd, entries);
  return new __tgt_target_table{entries, entries + count};
}
int32_t __tgt_rtl_unload_binary(int32_t, __tgt_target_table *table) {
  delete[] table->EntriesBegin;
  delete table;
  return 0;
}

void *__tgt_rtl_data_alloc(int32_t, int64_t size, void *, int32_t) {
  tell(SplitMoment::kAllocates, nullptr, nullptr, size);
  void *const memory = std::aligned_alloc(64, (static_cast<size_t>(size) + 64) / 64 * 64);
  std::memset(memory, kFresh, static_cast<size_t>(size));
  std::lock_guard lock(memory_mutex);
  blocks[static_cast<char *>(memory)] = size;
  return memory;
}

int32_t __tgt_rtl_data_delete(int32_t, void *memory, int32_t) {
  if (!memory)
    return 0;
  tell(SplitMoment::kFrees, nullptr, memory);
  {
    std::lock_guard lock(memory_mutex);
    const auto block = blocks.find(static_cast<char *>(memory));
    if (block == blocks.end()) {
      fail("what is freed is not device memory");
      return 1;
    }
    std::memset(memory, kFreed, static_cast<size_t>(block->second));
    blocks.erase(block);
  }
  std::free(memory);
  return 0;
}

int32_t __tgt_rtl_data_submit(int32_t, void *target, void *host, int64_t size) {
  return copy_now({static_cast<char *>(host), static_cast<char *>(target), size, true});
}
int32_t __tgt_rtl_data_retrieve(int32_t, void *host, void *target, int64_t size) {
  return copy_now({static_cast<char *>(host), static_cast<char *>(target), size, false});
}

int32_t __tgt_rtl_abi(__tgt_rtl_abi_info *info) {
  info->version = OMPTARGET_PLUGIN_ABI_VERSION;
  info->features = OMPTARGET_PLUGIN_LAUNCH_ENVIRONMENT | OMPTARGET_PLUGIN_LASTS;
  return 0;
}

int32_t __tgt_rtl_launch_kernel(int32_t, void *entry, void **arguments, ptrdiff_t *, __tgt_kernel_args *args,
                                __tgt_async_info *async) {
  if (!async)
    return launch(entry, arguments, args->NumArgs);
  std::vector<void *> values(arguments, arguments + args->NumArgs);
  queue_of(async).add([entry, values] { (void)launch(entry, values.data(), static_cast<uint32_t>(values.size())); });
  make_progress();
  return 0;
}

#if SPLIT_QUEUES
int32_t __tgt_rtl_data_submit_async(int32_t, void *target, void *host, int64_t size, __tgt_async_info *async) {
  const Transfer transfer{static_cast<char *>(host), static_cast<char *>(target), size, true};
  if (size > 0)
    queue_of(async).add([=] { (void)copy_now(transfer); });
  make_progress();
  return 0;
}

int32_t __tgt_rtl_data_retrieve_async(int32_t, void *host, void *target, int64_t size, __tgt_async_info *async) {
  const Transfer transfer{static_cast<char *>(host), static_cast<char *>(target), size, false};
  if (size > 0) {
    Queue &queue = queue_of(async);
    if (choose(3) == 1) {
      queue.add([=] { (void)copy_now(transfer); });
    } else {
      auto landing = std::make_shared<Landing>(transfer);
      queue.add([=] { landing->fill(); });
      std::lock_guard lock(queue.mutex);
      queue.landings.push_back(std::move(landing));
    }
  }
  make_progress();
  return 0;
}

int32_t __tgt_rtl_synchronize(int32_t, __tgt_async_info *async) {
  tell(SplitMoment::kWaits);
  if (!async->Queue)
    return 0;
  Queue &queue = queue_of(async);
  queue.finish(queue.added);
  queue.land();
  end_queue(async);
  return 0;
}

int32_t __tgt_rtl_query_async(int32_t, __tgt_async_info *async) {
  tell(SplitMoment::kAsks);
  if (!async->Queue)
    return 0;
  Queue &queue = queue_of(async);
  if (std::unique_lock lock(queue.executing, std::try_to_lock); lock)
    queue.advance(queue.done.load() + 1);
  if (queue.done.load() == queue.added) {
    queue.land();
    end_queue(async);
  }
  return 0;
}
#endif

#if SPLIT_EVENTS
int32_t __tgt_rtl_create_event(int32_t, void **event) {
  *event = new Event;
  return 0;
}
int32_t __tgt_rtl_destroy_event(int32_t, void *event) {
  delete static_cast<Event *>(event);
  return 0;
}

int32_t __tgt_rtl_record_event(int32_t, void *handle, __tgt_async_info *async) {
  auto &event = *static_cast<Event *>(handle);
  Queue &queue = queue_of(async);
  std::lock_guard lock(event.mutex);
  std::lock_guard queue_lock(queue.mutex);
  event.queue = &queue;
  event.position = queue.added;
  event.landings = queue.landings;
  return 0;
}

int32_t __tgt_rtl_wait_event(int32_t, void *handle, __tgt_async_info *async) {
  auto &event = *static_cast<Event *>(handle);
  Queue &queue = queue_of(async);
  std::lock_guard lock(event.mutex);
  if (event.queue)
    queue.add([other = event.queue, position = event.position] { other->finish(position); });
  std::lock_guard queue_lock(queue.mutex);
  queue.landings.insert(queue.landings.end(), event.landings.begin(), event.landings.end());
  return 0;
}

int32_t __tgt_rtl_sync_event(int32_t, void *handle) {
  auto &event = *static_cast<Event *>(handle);
  Queue *queue = nullptr;
  Landings landings;
  int64_t position = 0;
  {
    std::lock_guard lock(event.mutex);
    queue = event.queue;
    position = event.position;
    landings = event.landings;
  }
  if (queue)
    queue->finish(position);
  for (const auto &landing : landings)
    landing->finish();
  return 0;
}
#endif

} // extern "C"
