// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory beyond malloc, calloc and free. NVIDIA's driver has the heap there: it tells no sizes, so there is no realloc,
// and no block may begin elsewhere than the driver says.

#include "../gpu/services.h"
#include "libc.h"

extern "C" void free(void *memory);

namespace omptarget::device_rtl::libc {

inline constexpr int32_t kNoMemory = 12; ///< ENOMEM of Linux
inline constexpr uint64_t kBlockAlignment = 16;

/// Returns null, and sets errno, if there is no such memory.
static __attribute__((noinline)) void *allocate_aligned(uint64_t alignment, uint64_t size) {
  void *memory = nullptr;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    *__errno_location() = kInvalidArgument;
    return nullptr;
  }
#if defined(__NVPTX__)
  memory = alignment <= kBlockAlignment ? malloc(size) : nullptr;
#else
  memory = alignment <= kBlockAlignment ? malloc(size) : gpu::allocate_at(alignment, size);
#endif
  if (!memory)
    *__errno_location() = kNoMemory;
  return memory;
}

} // namespace omptarget::device_rtl::libc

using namespace omptarget::device_rtl::libc;

LIBC void *aligned_alloc(uint64_t alignment, uint64_t size) { return allocate_aligned(alignment, size); }
LIBC void *memalign(uint64_t alignment, uint64_t size) { return allocate_aligned(alignment, size); }
LIBC int32_t posix_memalign(void **result, uint64_t alignment, uint64_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
    return kInvalidArgument;
  void *const memory = allocate_aligned(alignment, size);
  if (!memory)
    return kNoMemory;
  *result = memory;
  return 0;
}

#if defined(__AMDGCN__)
LIBC uint64_t malloc_usable_size(void *memory) { return memory ? gpu::size_of(memory) : 0; }
LIBC __attribute__((noinline)) void *realloc(void *memory, uint64_t size) {
  const uint64_t old_size = malloc_usable_size(memory);
  if (memory && size == 0) {
    free(memory);
    return nullptr;
  }
  if (memory && size <= old_size && size > old_size / 2)
    return memory;
  void *const result = malloc(size);
  if (!result) {
    *__errno_location() = kNoMemory;
    return nullptr;
  }
  if (memory)
    __builtin_memcpy(result, memory, gpu::smaller(size, old_size));
  free(memory);
  return result;
}
LIBC void *reallocarray(void *memory, uint64_t count, uint64_t size) {
  uint64_t bytes = 0;
  if (!__builtin_mul_overflow(count, size, &bytes))
    return realloc(memory, bytes);
  *__errno_location() = kNoMemory;
  return nullptr;
}
#endif
