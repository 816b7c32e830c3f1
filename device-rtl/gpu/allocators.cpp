// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory allocators (OpenMP 5.2, 6.2 and 18.13). All memory spaces are the device's heap.

#include "environment.h"

namespace omptarget::device_rtl::gpu {

/// omp_allocator_handle_t; greater ones are the addresses of allocators that programs make.
enum PredefinedAllocator : uint64_t { kNullAllocator = 0, kDefaultAllocator = 1, kLastPredefinedAllocator = 4095 };
/// omp_memspace_handle_t: memory that device code cannot allocate.
enum MemorySpace : uint64_t { kHostMemorySpace = 100, kSharedMemorySpace = 101 };
/// omp_alloctrait_key_t; the other keys make no difference here.
enum TraitKey : int32_t { kAlignmentTrait = 2, kPoolSizeTrait = 4, kFallbackTrait = 5, kFallbackDataTrait = 6 };
/// omp_alloctrait_value_t, as far as it says what to do when memory is lacking.
enum Fallback : uint64_t {
  kDefaultMemoryFallback = 11,
  kNullFallback = 12,
  kAbortFallback = 13,
  kAllocatorFallback = 14
};

struct Trait {
  int32_t key;
  uint64_t value;
};
inline constexpr uint64_t kDefaultValue = ~uint64_t{0};

/// Made by omp_init_allocator, which returns its address.
struct Allocator {
  uint64_t alignment = kHeapAlignment, pool_size = ~uint64_t{0};
  uint64_t fallback = kDefaultMemoryFallback, fallback_allocator = kNullAllocator;
  uint64_t used = 0; ///< bytes; counted only where pool_size is limited
};

/// In front of the memory that the program gets.
struct AllocatedBlock {
  void *begin; ///< of the memory in the heap
  uint64_t size;
  uint64_t allocator;
};

INLINE AllocatedBlock *block_of(void *memory) { return static_cast<AllocatedBlock *>(memory) - 1; }
INLINE Allocator *made_allocator(uint64_t handle) {
  return handle > kLastPredefinedAllocator ? reinterpret_cast<Allocator *>(handle) : nullptr;
}

/// Returns whether the pool has room for that, which is taken then.
static bool take_from_pool(Allocator &allocator, uint64_t size) {
  uint64_t used = atomics::load(&allocator.used);
  do {
    if (size > allocator.pool_size - used)
      return false;
  } while (!atomics::compare_exchange(&allocator.used, used, used + size));
  return true;
}
INLINE void give_to_pool(Allocator &allocator, uint64_t size) { atomics::fetch_add(&allocator.used, ~size + 1); }

/// Null: there is no such memory. Alignment: a power of two.
static void *allocate_aligned(uint64_t handle, uint64_t alignment, uint64_t size) {
  Allocator *const made = made_allocator(handle);
  alignment = larger(alignment, made ? made->alignment : kHeapAlignment);
  const uint64_t extra = sizeof(AllocatedBlock) + alignment - 1;
  if (size > ~uint64_t{0} / 2 - extra)
    return nullptr;
  const bool is_limited = made && made->pool_size != ~uint64_t{0};
  if (is_limited && !take_from_pool(*made, size))
    return nullptr;
  void *const begin = allocate(size + extra);
  if (!begin) {
    if (is_limited)
      give_to_pool(*made, size);
    return nullptr;
  }
  void *const memory = reinterpret_cast<void *>((reinterpret_cast<uint64_t>(begin) + extra) & ~(alignment - 1));
  *block_of(memory) = {begin, size, handle};
  return memory;
}

__attribute__((noinline)) static void *allocate_by(uint64_t handle, uint64_t alignment, uint64_t size) {
  note_allocation(size);
  if (size == 0 || (alignment & (alignment - 1)) != 0)
    return nullptr;
  if (handle == kNullAllocator)
    handle = default_allocator();
  for (;;) {
    if (void *const memory = allocate_aligned(handle, alignment, size))
      return memory;
    const Allocator *const made = made_allocator(handle);
    if (!made || made->fallback == kNullFallback)
      return nullptr;
    if (made->fallback == kAbortFallback)
      fail("an allocator with the trait abort_fb has no memory left");
    handle = made->fallback == kAllocatorFallback ? made->fallback_allocator : kDefaultAllocator;
  }
}

static void *allocate_zeros(uint64_t handle, uint64_t alignment, uint64_t count, uint64_t size) {
  if (size != 0 && count > ~uint64_t{0} / size)
    return nullptr;
  auto *const memory = static_cast<char *>(allocate_by(handle, alignment, count * size));
  for (uint64_t i = 0; memory && i < count * size; ++i)
    memory[i] = 0;
  return memory;
}

static void release_block(void *memory) {
  const AllocatedBlock block = *block_of(memory);
  if (Allocator *const made = made_allocator(block.allocator); made && made->pool_size != ~uint64_t{0})
    give_to_pool(*made, block.size);
  release(block.begin);
}

/// Returns whether the trait can be had.
static bool set_trait(Allocator &allocator, const Trait &trait) {
  if (trait.value == kDefaultValue)
    return true;
  switch (trait.key) {
  case kAlignmentTrait:
    allocator.alignment = larger(trait.value, kHeapAlignment);
    return trait.value != 0 && (trait.value & (trait.value - 1)) == 0;
  case kPoolSizeTrait: allocator.pool_size = trait.value; return true;
  case kFallbackTrait:
    allocator.fallback = trait.value;
    return trait.value >= kDefaultMemoryFallback && trait.value <= kAllocatorFallback;
  case kFallbackDataTrait: allocator.fallback_allocator = trait.value; return true;
  default: return true;
  }
}

} // namespace omptarget::device_rtl::gpu

using namespace omptarget::device_rtl::gpu;

RTL void *omp_alloc(uint64_t size, uint64_t allocator) { return allocate_by(allocator, 1, size); }
RTL void *omp_aligned_alloc(uint64_t alignment, uint64_t size, uint64_t allocator) {
  return allocate_by(allocator, alignment, size);
}
RTL void *omp_calloc(uint64_t count, uint64_t size, uint64_t allocator) {
  return allocate_zeros(allocator, 1, count, size);
}
RTL void *omp_aligned_calloc(uint64_t alignment, uint64_t count, uint64_t size, uint64_t allocator) {
  return allocate_zeros(allocator, alignment, count, size);
}
RTL void omp_free(void *memory, uint64_t) {
  if (memory)
    release_block(memory);
}
/// Without an allocator the memory's own.
RTL void *omp_realloc(void *memory, uint64_t size, uint64_t allocator, uint64_t) {
  if (!memory)
    return allocate_by(allocator, 1, size);
  const AllocatedBlock block = *block_of(memory);
  void *const moved = allocate_by(allocator != kNullAllocator ? allocator : block.allocator, 1, size);
  for (uint64_t i = 0; moved && i < smaller(size, block.size); ++i)
    static_cast<char *>(moved)[i] = static_cast<const char *>(memory)[i];
  if (moved || size == 0)
    release_block(memory);
  return moved;
}

RTL uint64_t omp_init_allocator(uint64_t memory_space, int32_t count, const Trait *traits) {
  Allocator wanted;
  bool is_possible = memory_space != kHostMemorySpace && memory_space != kSharedMemorySpace;
  for (int32_t i = 0; i < count; ++i)
    is_possible = set_trait(wanted, traits[i]) && is_possible;
  if (wanted.fallback == kAllocatorFallback && wanted.fallback_allocator == kNullAllocator)
    is_possible = false;
  auto *const made = is_possible ? static_cast<Allocator *>(allocate(sizeof(Allocator))) : nullptr;
  if (made)
    *made = wanted;
  return reinterpret_cast<uint64_t>(made);
}
RTL void omp_destroy_allocator(uint64_t allocator) { release(made_allocator(allocator)); }

RTL void omp_set_default_allocator(uint64_t allocator) {
  set_default_allocator(allocator != kNullAllocator ? allocator : kDefaultAllocator);
}
RTL uint64_t omp_get_default_allocator() { return default_allocator(); }
