// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libomptarget-heap.so, which LD_PRELOAD puts before the C library. It keeps the places and sizes of the blocks that
// the program has allocated. LIBOMPTARGET_CHECK=mapping asks it whether mapped data lie within their block. It needs
// the GNU C library.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <pthread.h>

extern "C" {
// The C library's own, under names that nothing replaces.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);
}

namespace {

/// Memory for the table that the table does not hear of.
template <class T> struct OwnAllocator {
  using value_type = T;
  OwnAllocator() = default;
  template <class U> OwnAllocator(const OwnAllocator<U> &) {}
  T *allocate(size_t count) {
    if (void *const memory = __libc_malloc(count * sizeof(T)))
      return static_cast<T *>(memory);
    __builtin_trap(); // as small as this it is the end anyway
  }
  void deallocate(T *memory, size_t) { __libc_free(memory); }
  template <class U> bool operator==(const OwnAllocator<U> &) const { return true; }
};

/// The blocks that are in use, by where they begin. Used before main and after exit handlers.
class Blocks {
public:
  void add(const void *block, size_t size) {
    const std::lock_guard lock(mutex);
    sizes_[reinterpret_cast<uintptr_t>(block)] = size;
  }
  void remove(const void *block) {
    const std::lock_guard lock(mutex);
    sizes_.erase(reinterpret_cast<uintptr_t>(block));
  }
  bool find(const void *address, const void *&begin, size_t &size) {
    const std::lock_guard lock(mutex);
    auto next = sizes_.upper_bound(reinterpret_cast<uintptr_t>(address));
    if (next == sizes_.begin())
      return false;
    --next;
    begin = reinterpret_cast<const void *>(next->first);
    size = next->second;
    return reinterpret_cast<uintptr_t>(address) - next->first < size;
  }
  std::mutex mutex;

private:
  std::map<uintptr_t, size_t, std::less<>, OwnAllocator<std::pair<const uintptr_t, size_t>>> sizes_;
};

Blocks &blocks() {
  alignas(Blocks) static unsigned char memory[sizeof(Blocks)];
  static Blocks *const all = new (memory) Blocks;
  return *all;
}

[[gnu::constructor]] void prepare_for_fork() {
  pthread_atfork([] { blocks().mutex.lock(); }, [] { blocks().mutex.unlock(); }, [] { blocks().mutex.unlock(); });
}

void *noted(void *block, size_t size) {
  if (block)
    blocks().add(block, size);
  return block;
}

} // namespace

#define OMPTARGET_EXPORT extern "C" [[gnu::visibility("default")]]

/// The block that is in use and has this address: where it begins and how many bytes were asked for. False if there is
/// none. Any thread.
OMPTARGET_EXPORT bool omptarget_heap_block(const void *address, const void **begin, size_t *size) {
  return blocks().find(address, *begin, *size);
}

OMPTARGET_EXPORT void *malloc(size_t size) { return noted(__libc_malloc(size), size); }

OMPTARGET_EXPORT void *calloc(size_t count, size_t size) { return noted(__libc_calloc(count, size), count * size); }

// The old block is forgotten first: once it is free, another thread may get it.
OMPTARGET_EXPORT void *realloc(void *block, size_t size) {
  const void *begin = nullptr;
  size_t old = 0;
  const bool is_known = block && blocks().find(block, begin, old) && begin == block;
  if (block)
    blocks().remove(block);
  void *const result = __libc_realloc(block, size);
  if (!result && size != 0 && is_known)
    blocks().add(block, old); // it is as it was
  return noted(result, size);
}

OMPTARGET_EXPORT void *reallocarray(void *block, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(block, bytes);
}

OMPTARGET_EXPORT void *memalign(size_t alignment, size_t size) { return noted(__libc_memalign(alignment, size), size); }

OMPTARGET_EXPORT void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

OMPTARGET_EXPORT int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  const int error = errno;
  void *const result = memalign(alignment, size);
  errno = error;
  if (!result)
    return ENOMEM;
  *block = result;
  return 0;
}

OMPTARGET_EXPORT void free(void *block) {
  if (block)
    blocks().remove(block);
  __libc_free(block);
}
