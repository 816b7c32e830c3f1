// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared stacks, the heap, and functions that compilers call for copies.

#include "memory.h"
#include "debugging.h"

extern "C" SHARED char __attribute__((visibility("default"), aligned(16))) omptarget_dynamic_shared[];

// Named: see tell_bytes.
static const char kStackIsFull[] = "are in global memory, as the stack in shared memory is full";

#if defined(__AMDGCN__)
/// Where the heap is: the plugin writes it (abi: device images, section 2). The memory ends size bytes behind this
/// record.
struct MemoryPool {
  uint64_t memory, size;
};
RTL_PLUGIN_VARIABLE MemoryPool __omp_rtl_device_memory_pool = {0, 0};

namespace omptarget::device_rtl::gpu {

/// A block of the heap. All of the heap is blocks, one behind the other; free ones are in a list besides, in no order.
struct HeapBlock {
  uint64_t size;              ///< with this header; lowest bit: in use
  uint64_t before;            ///< size of the block that lies before, 0 for the first
  HeapBlock *next, *previous; ///< of free ones
};
inline constexpr uint64_t kHeader = 16, kIsUsed = 1, kLeastBlock = sizeof(HeapBlock);
/// Free blocks are in lists by their size: each from one power of two to the next.
inline constexpr uint32_t kSizeClasses = 64;
/// How many blocks of the wanted class are looked at before a greater one is split.
inline constexpr uint32_t kFewBlocks = 8;

/// Owns the pool. All of it is used with the lock only.
struct Heap {
  uint32_t lock;
  uint32_t is_ready;
  uint64_t classes; ///< a bit for each that has free blocks
  HeapBlock *free[kSizeClasses];
  uint64_t end;
};
static Heap heap = {};

INLINE HeapBlock *block_at(uint64_t address) { return reinterpret_cast<HeapBlock *>(address); }
INLINE uint64_t address_of(HeapBlock *block) { return reinterpret_cast<uint64_t>(block); }

INLINE uint32_t class_of(uint64_t size) { return 63 - static_cast<uint32_t>(__builtin_clzll(size)); }

INLINE void add_free(HeapBlock *block) {
  const uint32_t size_class = class_of(block->size);
  HeapBlock *&first = heap.free[size_class];
  block->next = first;
  block->previous = nullptr;
  if (first)
    first->previous = block;
  first = block;
  heap.classes |= uint64_t{1} << size_class;
}

INLINE void remove_free(HeapBlock *block) {
  if (block->next)
    block->next->previous = block->previous;
  if (block->previous) {
    block->previous->next = block->next;
    return;
  }
  const uint32_t size_class = class_of(block->size);
  heap.free[size_class] = block->next;
  if (!block->next)
    heap.classes &= ~(uint64_t{1} << size_class);
}

/// A free block of the size or more; null: there is none.
INLINE HeapBlock *find_free(uint64_t wanted) {
  const uint32_t size_class = class_of(wanted);
  HeapBlock *found = heap.free[size_class];
  for (uint32_t i = 0; found && found->size < wanted && i < kFewBlocks; ++i)
    found = found->next;
  if (found && found->size >= wanted)
    return found;
  if (const uint64_t greater = heap.classes >> size_class >> 1; greater != 0)
    return heap.free[size_class + 1 + static_cast<uint32_t>(__builtin_ctzll(greater))];
  while (found && found->size < wanted)
    found = found->next;
  return found;
}

INLINE void tell_next(HeapBlock *block, uint64_t size) {
  if (address_of(block) + size < heap.end)
    block_at(address_of(block) + size)->before = size;
}

static void prepare_heap() {
  const uint64_t begin = round_up(__omp_rtl_device_memory_pool.memory, 16);
  heap.is_ready = 1;
  heap.end =
      (reinterpret_cast<uint64_t>(&__omp_rtl_device_memory_pool) + __omp_rtl_device_memory_pool.size) & ~uint64_t{15};
  if (__omp_rtl_device_memory_pool.memory == 0 || heap.end < begin + kLeastBlock)
    return;
  HeapBlock *const all = block_at(begin);
  all->size = heap.end - begin;
  all->before = 0;
  add_free(all);
}

static void *take(uint64_t wanted) {
  if (heap.is_ready == 0)
    prepare_heap();
  HeapBlock *const found = find_free(wanted);
  if (!found)
    return nullptr;
  remove_free(found);
  const uint64_t rest = found->size - wanted;
  if (rest >= kLeastBlock) {
    HeapBlock *const behind = block_at(address_of(found) + wanted);
    behind->size = rest;
    behind->before = wanted;
    tell_next(behind, rest);
    add_free(behind);
    found->size = wanted;
  }
  found->size |= kIsUsed;
  return reinterpret_cast<char *>(found) + kHeader;
}

static void give_back(HeapBlock *block) {
  block->size &= ~kIsUsed;
  HeapBlock *const behind = block_at(address_of(block) + block->size);
  if (address_of(behind) < heap.end && (behind->size & kIsUsed) == 0) {
    remove_free(behind);
    block->size += behind->size;
  }
  HeapBlock *const front = block_at(address_of(block) - block->before);
  if (block->before != 0 && (front->size & kIsUsed) == 0) {
    remove_free(front);
    front->size += block->size;
    block = front;
  }
  tell_next(block, block->size);
  add_free(block);
}

/// Takes a block at a multiple of the alignment. What lies before it is a free block.
static void *take_at(uint64_t alignment, uint64_t wanted) {
  auto *const memory = static_cast<char *>(take(wanted + alignment + kLeastBlock));
  if (!memory || reinterpret_cast<uint64_t>(memory) % alignment == 0)
    return memory;
  HeapBlock *const front = block_at(reinterpret_cast<uint64_t>(memory) - kHeader);
  const uint64_t at = round_up(reinterpret_cast<uint64_t>(memory) + kLeastBlock, alignment) - kHeader;
  const uint64_t all = front->size & ~kIsUsed, before = at - address_of(front);
  HeapBlock *const block = block_at(at);
  block->size = all - before;
  block->before = before;
  tell_next(block, block->size);
  block->size |= kIsUsed;
  front->size = before | kIsUsed;
  give_back(front);
  return reinterpret_cast<char *>(block) + kHeader;
}

/// Statistics of allocations: a record behind the pool. The plugin puts it there on request.
struct HeapStatistics {
  uint64_t mark, count, total, least, most;
};
inline constexpr uint64_t kHeapStatisticsMark = 0x7374617470616568; // "heapstat"
/// Puts a number in the place of a greater, or of a lesser one.
template <bool lesser> static void replace(uint64_t *place, uint64_t value) {
  uint64_t found = atomics::load(place);
  while ((lesser ? value < found : value > found) && !atomics::compare_exchange(place, found, value)) {
  }
}
static __attribute__((noinline)) void count_allocation(uint64_t size) {
  auto *const statistics = reinterpret_cast<HeapStatistics *>(
      (reinterpret_cast<uint64_t>(&__omp_rtl_device_memory_pool) + __omp_rtl_device_memory_pool.size) & ~uint64_t{15});
  if (__omp_rtl_device_memory_pool.size == 0 || statistics->mark != kHeapStatisticsMark)
    return;
  atomics::fetch_add(&statistics->count, uint64_t{1});
  atomics::fetch_add(&statistics->total, size);
  replace<true>(&statistics->least, size);
  replace<false>(&statistics->most, size);
}

INLINE uint64_t block_for(uint64_t size) { return larger(round_up(size + kHeader, 16), kLeastBlock); }
INLINE bool is_in_heap(const void *memory) {
  const auto at = reinterpret_cast<uint64_t>(memory);
  return at >= __omp_rtl_device_memory_pool.memory && at < heap.end;
}

void *allocate(uint64_t size) {
  if (size > ~uint64_t{0} / 2)
    return nullptr;
  void *result = nullptr;
  with_lock(&heap.lock, [&] { result = take(block_for(size)); });
  return result ? result : __omptarget_service_allocate(size);
}

void *allocate_at(uint64_t alignment, uint64_t size) {
  constexpr uint64_t kPage = 4096; // the host allocates whole ones
  if (size > ~uint64_t{0} / 4 || alignment > ~uint64_t{0} / 4)
    return nullptr;
  void *result = nullptr;
  with_lock(&heap.lock, [&] { result = take_at(alignment, block_for(size)); });
  return result || alignment > kPage ? result : __omptarget_service_allocate(size);
}

uint64_t size_of(void *memory) {
  if (is_in_heap(memory))
    return (block_at(reinterpret_cast<uint64_t>(memory) - kHeader)->size & ~kIsUsed) - kHeader;
  return __omptarget_service_size_of(memory);
}

void release(void *memory) {
  if (!memory)
    return;
  if (!is_in_heap(memory))
    return __omptarget_service_release(memory);
  with_lock(&heap.lock, [&] { give_back(reinterpret_cast<HeapBlock *>(static_cast<char *>(memory) - kHeader)); });
}

} // namespace omptarget::device_rtl::gpu

#else
namespace omptarget::device_rtl::gpu {
static const char kIsAllocated[] = "are allocated";
static __attribute__((noinline)) void count_allocation(uint64_t size) { tell_bytes(size, kIsAllocated); }

void *allocate(uint64_t size) { return malloc(size); }
void release(void *memory) { free(memory); }
} // namespace omptarget::device_rtl::gpu
#endif

namespace omptarget::device_rtl::gpu {

INLINE void note_allocation(uint64_t size) {
  if (debugs(kDebugAllocations)) [[unlikely]]
    count_allocation(size);
}

void *allocate_or_fail(uint64_t size) {
  void *const memory = allocate(size != 0 ? size : 1);
  if (!memory)
    fail("no memory is left for variables that threads share");
  return memory;
}

/// The part of the shared memory that is a thread's stack.
struct Stack {
  uint32_t begin, size;
};

INLINE Stack own_stack() {
  const uint32_t thread = target::thread_id();
  const bool spmd = is_spmd();
  if (!spmd && thread == main_thread())
    return {0, kMainStackSize};
  const uint32_t begin = spmd ? 0 : kMainStackSize, threads = usable_threads(spmd);
  const uint32_t size = (kStackSpace - begin) / threads / kStackUnit * kStackUnit;
  return {begin + thread * size, size};
}

INLINE char *stack_bytes() { return (char *)&stack_space.bytes[0]; }

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL __attribute__((noinline)) void *__kmpc_alloc_shared(uint64_t size) {
  TRACE;
  const Stack stack = own_stack();
  const uint32_t used = stack_tops[target::thread_id()] * kStackUnit;
  if (size > stack.size || round_up(size, kStackUnit) > stack.size - used) {
    if (debugs(kDebugProblems)) [[unlikely]]
      tell_bytes(size, kStackIsFull);
    note_allocation(size);
    return allocate_or_fail(size);
  }
  stack_tops[target::thread_id()] = static_cast<uint8_t>((used + round_up(size, kStackUnit)) / kStackUnit);
  return stack_bytes() + stack.begin + used;
}

/// The last one first, as the compiler does it.
RTL __attribute__((noinline)) void __kmpc_free_shared(void *memory, uint64_t size) {
  TRACE;
  if (static_cast<uint64_t>(static_cast<char *>(memory) - stack_bytes()) >= kStackSpace)
    return release(memory);
  stack_tops[target::thread_id()] =
      static_cast<uint8_t>(stack_tops[target::thread_id()] - round_up(size, kStackUnit) / kStackUnit);
}

RTL void *llvm_omp_target_dynamic_shared_alloc() { return (void *)omptarget_dynamic_shared; }
RTL void *llvm_omp_get_dynamic_shared() { return (void *)omptarget_dynamic_shared; }
RTL void *__kmpc_get_dynamic_shared() { return (void *)omptarget_dynamic_shared; }

#if OMPTARGET_RTL_GENERATION >= 23
// Memory of the clause dyn_groupprivate: shared memory, or a fallback of the plugin's if the block cannot have that.
RTL void *omp_get_dyn_gprivate_ptr(uint64_t offset, int32_t) {
  const LaunchEnvironment *launch = launch_environment();
  if (reinterpret_cast<uint64_t>(launch) == ~uint64_t{0} || !launch->group_memory)
    return (char *)omptarget_dynamic_shared + offset;
  return static_cast<char *>(launch->group_memory) + uint64_t{launch->group_memory_size} * target::block_id() + offset;
}
RTL void *omp_get_dyn_gprivate_nofb_ptr(uint64_t offset, int32_t) { return (char *)omptarget_dynamic_shared + offset; }
RTL uint64_t omp_get_dyn_gprivate_size(int32_t) {
  const LaunchEnvironment *launch = launch_environment();
  return reinterpret_cast<uint64_t>(launch) == ~uint64_t{0} ? 0 : launch->group_memory_size;
}
RTL uint64_t omp_get_dyn_gprivate_memspace(int32_t) {
  const LaunchEnvironment *launch = launch_environment();
  constexpr uint64_t kDefaultMemorySpace = 99,
                     kGroupMemorySpace = 5; // omp_default_mem_space and omp_cgroup_mem_space of omp.h
  return reinterpret_cast<uint64_t>(launch) != ~uint64_t{0} && launch->group_memory ? kDefaultMemorySpace
                                                                                    : kGroupMemorySpace;
}
#endif

/// Allocates lists of dependences for clang.
RTL void *__kmpc_alloc(int32_t, uint64_t size, void *) {
  note_allocation(size);
  return allocate_or_fail(size);
}
RTL void __kmpc_free(int32_t, void *memory, void *) { release(memory); }

// Copies that are not done in place. Without the attribute the compiler would make each a call of itself.
#define OMPTARGET_COPIES RTL_WEAK __attribute__((no_builtin))
OMPTARGET_COPIES int32_t memcmp(const void *left, const void *right, uint64_t size) {
  const auto *a = static_cast<const uint8_t *>(left), *b = static_cast<const uint8_t *>(right);
  for (uint64_t i = 0; i < size; ++i)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}
#if defined(__AMDGCN__) || OMPTARGET_RTL_GENERATION >= 22
OMPTARGET_COPIES void *memcpy(void *to, const void *from, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
  return to;
}
OMPTARGET_COPIES void *memmove(void *to, const void *from, uint64_t size) {
  auto *target = static_cast<char *>(to);
  const auto *source = static_cast<const char *>(from);
  if (target <= source)
    for (uint64_t i = 0; i < size; ++i)
      target[i] = source[i];
  else
    for (uint64_t i = size; i > 0; --i)
      target[i - 1] = source[i - 1];
  return to;
}
OMPTARGET_COPIES void *memset(void *to, int32_t value, uint64_t size) {
  for (uint64_t i = 0; i < size; ++i)
    static_cast<char *>(to)[i] = static_cast<char>(value);
  return to;
}
#endif
