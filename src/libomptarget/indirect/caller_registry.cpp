// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "indirect/caller_registry.h"

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/buffer_pool.h"
#include "base/guarded.h"
#include "base/log.h"
#include "image/module_bounds.h"
#include "indirect/lookup_table.h"

namespace omptarget {

namespace {

using Load = device_rtl::HostTarget;

/// The code of one image and the table of its device. Written with relaxed stores, as late readers may look.
struct Caller {
  uint64_t begin;
  uint64_t end;
  const LookupTable *table;
};

/// The images in the order of their addresses, for lookups. Lies in a buffer of the pool.
struct Callers {
  uint64_t count;
  Caller &caller(uint64_t index) { return reinterpret_cast<Caller *>(this + 1)[index]; }
  const Caller &caller(uint64_t index) const { return reinterpret_cast<const Caller *>(this + 1)[index]; }
};

constinit std::atomic<const Callers *> current{nullptr};
constinit std::atomic<uint64_t> generation{0}; ///< counts replacements of current

/// An image as registered.
struct Image {
  uint64_t begin;
  uint64_t end;
  int32_t device;
};

struct Table {
  const LookupTable *table;
  size_t bytes;
};

/// State for changes. It has two pools, so that a late reader always finds numbers where it expects numbers, and
/// pointers to tables where it expects those.
struct Registry {
  BufferPool callers_pool;
  BufferPool tables_pool;
  std::vector<Image> images;
  std::map<int32_t, Table> tables;
  size_t current_bytes = 0;
};

Guarded<Registry> &registry() {
  static auto *const instance = new Guarded<Registry>(); // never destroyed: kernels may outlive exit handlers
  return *instance;
}

/// Host code asks for a device's table as if it were code at this address, where no code can be.
uint64_t address_of_device(int32_t device) { return (1ull << 63) | (static_cast<uint64_t>(device) << 4); }

size_t callers_bytes(size_t count) { return sizeof(Callers) + count * sizeof(Caller); }

template <typename T> void store(T &target, T value) { __atomic_store_n(&target, value, __ATOMIC_RELAXED); }

/// Buffers that were given back before this call may be written after it: a thread that still reads them and sees a
/// new value also sees the generation that made them free.
void before_reuse() { std::atomic_thread_fence(std::memory_order_release); }

/// Makes what lookups see out of the images and tables. The buffer of the former is free afterwards.
void publish(Registry &state) {
  std::vector<Image> images = state.images;
  for (const auto &[device, table] : state.tables)
    images.push_back({address_of_device(device), address_of_device(device) + 1, device});
  std::sort(images.begin(), images.end(), [](const Image &left, const Image &right) {
    return std::pair(left.begin, left.device) < std::pair(right.begin, right.device);
  });
  before_reuse();
  const size_t bytes = callers_bytes(images.size());
  auto *next = static_cast<Callers *>(state.callers_pool.take(bytes));
  uint64_t count = 0;
  for (const Image &image : images) {
    const auto table = state.tables.find(image.device);
    if (table == state.tables.end())
      continue;
    Caller &caller = next->caller(count++);
    store(caller.begin, image.begin);
    store(caller.end, image.end);
    store(caller.table, table->second.table);
  }
  store(next->count, count);
  const Callers *former = current.load(std::memory_order_relaxed);
  current.store(next, std::memory_order_release);
  generation.fetch_add(1, std::memory_order_release);
  if (former != nullptr)
    state.callers_pool.give(const_cast<Callers *>(former), state.current_bytes);
  state.current_bytes = bytes;
}

/// The table of the code at address, or null. Also a count that is out of date is one that this buffer had room for.
const LookupTable *table_of(const Callers &callers, uint64_t address) {
  uint64_t low = 0;
  uint64_t high = Load::load(&callers.count);
  while (low < high) { // the first that begins above address
    const uint64_t middle = (low + high) / 2;
    if (Load::load(&callers.caller(middle).begin) <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return nullptr;
  const Caller &caller = callers.caller(low - 1);
  if (address >= Load::load(&caller.end))
    return nullptr;
  return __atomic_load_n(&caller.table, __ATOMIC_RELAXED);
}

} // namespace

void publish_function_table(int32_t device, std::span<const __omp_offloading_fptr_map_ty> pairs) {
  auto state = registry().lock();
  std::optional<Table> former;
  if (const auto found = state->tables.find(device); found != state->tables.end())
    former = found->second;
  else if (pairs.empty())
    return;
  if (pairs.empty())
    state->tables.erase(device);
  else {
    before_reuse();
    const size_t bytes = LookupTable::bytes(pairs.size());
    state->tables[device] = {LookupTable::fill(state->tables_pool.take(bytes), pairs), bytes};
  }
  publish(*state);
  if (former)
    state->tables_pool.give(const_cast<LookupTable *>(former->table), former->bytes);
}

bool register_cpu_image(int32_t device, const void *address, const void *host_address) {
  const auto object = module_range(address);
  const auto is_in_object = [&](const void *other) {
    const auto value = reinterpret_cast<uintptr_t>(other);
    return value >= object->begin && value < object->end;
  };
  if (!object || is_in_object(host_address) || is_in_object(&current))
    return false;
  auto state = registry().lock();
  for (const Image &image : state->images)
    if (image.begin == object->begin && image.device == device)
      return true;
  state->images.push_back({object->begin, object->end, device});
  OMPTARGET_TRACE_DEVICE(Topic::kIndirect, device, "code at 0x%" PRIx64 " to 0x%" PRIx64 " is the device's",
                         object->begin, object->end);
  publish(*state);
  return true;
}

void forget_cpu_image(int32_t device, const void *address) {
  const auto value = reinterpret_cast<uint64_t>(address);
  auto state = registry().lock();
  const size_t count = std::erase_if(state->images, [=](const Image &image) {
    return image.device == device && image.begin <= value && value < image.end;
  });
  if (count != 0)
    publish(*state);
}

void *translate_function_pointer(void *pointer, const void *return_address) {
  if (pointer == nullptr || current.load(std::memory_order_relaxed) == nullptr)
    return pointer;
  while (true) {
    const uint64_t before = generation.load(std::memory_order_acquire);
    const Callers *callers = current.load(std::memory_order_acquire);
    const LookupTable *table = table_of(*callers, reinterpret_cast<uint64_t>(return_address));
    uint64_t result = reinterpret_cast<uint64_t>(pointer);
    if (table != nullptr)
      result = table->find(result);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (generation.load(std::memory_order_relaxed) == before)
      return reinterpret_cast<void *>(result);
  }
}

void *find_device_function(int32_t device, const void *pointer) {
  void *const host = const_cast<void *>(pointer);
  void *const found = translate_function_pointer(host, reinterpret_cast<const void *>(address_of_device(device)));
  return found == host ? nullptr : found;
}

std::mutex &caller_registry_mutex_for_fork() { return registry().mutex_for_fork(); }

} // namespace omptarget
